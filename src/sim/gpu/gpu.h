// The whole chip: runs a launch and returns its statistics, or the fault that ended it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sim/decode/compiled_kernel.h"
#include "sim/fault.h"
#include "sim/gpu/launch_listener.h"
#include "sim/mem/device_memory.h"
#include "sim/model/assumptions.h"
#include "sim/model/machine.h"
#include "sim/model/occupancy.h"
#include "sim/model/statistics.h"
#include "sim/model/texture.h"
#include "sim/runtime/device_heap.h"

namespace warptime::sim {

struct Launch {
  const CompiledKernel* kernel = nullptr;
  std::array<uint32_t, 3> grid{1, 1, 1};
  std::array<uint32_t, 3> block{1, 1, 1};
  std::array<uint32_t, 3> cluster{1, 1,
                                  1};  // blocks of a cluster; `blocks` are then whole clusters, one after the other
  bool explicit_cluster = false;       // LaunchContext::explicit_cluster
  uint32_t dynamic_shared_bytes = 0;
  uint32_t registers_per_thread = 0;     // 0: the kernel's estimate
  std::vector<std::byte> parameters;     // laid out as the kernel's .param space
  std::span<const std::byte> constants;  // the module's .const image
  std::span<const Texture> textures;     // handle h is the one at h - 1
  /// Blocks to run, as linear indices (x fastest); empty: the whole grid, in order.
  std::vector<uint64_t> blocks;
  /// 64 bytes for the barrier of the whole grid, whose blocks are then all resident; 0: the launch is not cooperative.
  Addr grid_workspace = 0;
  DeviceHeap* heap = nullptr;  // of the device, if the kernel calls malloc or free
  /// Where the kernel's code, and its module's constants, are among those of others. It matters where caches keep their
  /// contents between launches (Gpu::keeps_caches).
  Addr code_offset = 0, constant_offset = 0;
  /// Values of arguments other than addresses: with others it is another kind of launch (Sampling::FirstLaunches).
  std::vector<std::byte> scalars;
};

enum class Step : uint8_t { Whole = 1, Half = 2, Quarter = 4 };

enum class Sampling : uint8_t {
  Off,
  FullValues,     // every block is executed, some are timed
  Timing,         // only blocks that are timed are executed
  FirstLaunches,  // of alike launches the first are timed in full; the others are executed, and take their mean rate
};

/// Set from a signal handler.
using InterruptFlag = std::atomic<int>;
static_assert(InterruptFlag::is_always_lock_free);

class MemorySystem;
class Session;

struct RunOptions {
  uint32_t threads = 1;
  Step step = Step::Whole;
  bool functional = false;
  bool attribution = true;
  bool per_instruction = false;
  Sampling sampling = Sampling::Off;  // of timed runs without a trace
  uint64_t sample_seed = 1;
  uint64_t first_launches = 1;  // FirstLaunches: how many
  Cycle max_cycles = kNever;
  Cycle watchdog_cycles = 2'000'000;  // cycles without any issue or memory progress that end the run
  Assumptions assumptions = {};       // what the machine does not charge for
  /// Ends the launch at the next edge (session.h) once it is not 0; nullptr: it is not polled.
  const InterruptFlag* interrupt = nullptr;
  LaunchListener* listener = nullptr;  // who follows its launches, and must outlive them; nullptr: nobody
  uint64_t launch = 0;                 // number of the launch, for what is recorded of it
  bool all_calls = false;              // the message of a fault has all calls that were inlined at its place

  /// The needs of its listener for this launch: a trace and a log of blocks are those of one launch only.
  LaunchNeeds needs() const;
};

/// Whether this launch (`options.launch`) can be simulated together with others: what follows a single one needs it
/// alone.
bool may_overlap(const RunOptions& options);

/// A launch that may run beside others.
struct QueuedLaunch {
  Launch launch;
  Cycle arrival = 0;                 // it may begin from here on, in cycles of the run,
  std::vector<uint32_t> after = {};  // when these launches of the list, all before it, have ended
  // Results.
  LaunchStatistics statistics = {};
  Cycle begin = 0, end = 0;  // in cycles of the run
};

class Gpu {
 public:
  Gpu(const MachineConfig& machine, DeviceMemory& memory);
  ~Gpu();
  /// Runs one launch to its end. Returns a fault if the simulated program causes one; `statistics` is then that of the
  /// executed part.
  std::optional<Fault> run(const Launch& launch, const RunOptions& options, LaunchStatistics& statistics);
  /// Runs launches that may overlap, up to `chip.concurrent_kernels` at a time. Those that do not, and all of a
  /// functional run or with options that follow a single launch, run one after the other. Returns the first fault,
  /// which ends the run: what has not begun then is not `timed`.
  std::optional<Fault> run(std::span<QueuedLaunch> launches, const RunOptions& options);
  /// Begins one launch, not a sampled one, to be run step by step (session.h). `statistics` must outlive the session.
  Session begin(Launch launch, RunOptions options, LaunchStatistics& statistics);
  /// Whether a launch may find lines that the one before left in caches.
  bool keeps_caches() const;
  /// Between launches: the host has written to device memory, or to constants (Launch::constant_offset and on).
  void host_writes(Addr begin, uint64_t bytes);
  void host_writes_constants(Addr offset, uint64_t bytes);
  DeviceMemory& memory();
  MemorySystem& memory_system();  // with all that it counted in the last run
  const MachineConfig& machine() const;

 private:
  friend class Session;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace warptime::sim
