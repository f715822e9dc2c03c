// The whole chip: runs a launch and returns its statistics, or the fault that ended it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sim/decode/compiled_kernel.h"
#include "sim/fault.h"
#include "sim/mem/device_memory.h"
#include "sim/model/assumptions.h"
#include "sim/model/block_log.h"
#include "sim/model/machine.h"
#include "sim/model/occupancy.h"
#include "sim/model/request_record.h"
#include "sim/model/statistics.h"
#include "sim/model/texture.h"
#include "sim/model/trace.h"
#include "sim/runtime/device_heap.h"

namespace warptime::sim {

struct Launch {
  const CompiledKernel* kernel = nullptr;
  std::array<uint32_t, 3> grid{1, 1, 1};
  std::array<uint32_t, 3> block{1, 1, 1};
  uint32_t dynamic_shared_bytes = 0;
  uint32_t registers_per_thread = 0;     // 0: the kernel's estimate
  std::vector<std::byte> parameters;     // laid out as the kernel's .param space
  std::span<const std::byte> constants;  // the module's .const image
  std::span<const Texture> textures;     // handle h is the one at h - 1
  /// Blocks to run, as linear indices (x fastest); empty: the whole grid, in order.
  std::vector<uint64_t> blocks;
  DeviceHeap* heap = nullptr;  // of the device, if the kernel calls malloc or free
  /// Where the kernel's code, and its module's constants, are among those of others. It matters where caches keep their
  /// contents between launches (Gpu::keeps_caches).
  Addr code_offset = 0, constant_offset = 0;
};

enum class Step : uint8_t { Whole = 1, Half = 2, Quarter = 4 };

enum class Sampling : uint8_t {
  Off,
  FullValues,  // every block is executed, some are timed
  Timing,      // only blocks that are timed are executed
};

/// What a launch has done up to a moment.
struct RunCounts {
  uint64_t warp_instructions = 0;
  std::optional<IssueSlots> issue = {};  // of all SMs; nullopt: without time or reasons
};

/// A moment of a running launch, for those who show its progress.
struct RunMoment {
  std::string_view kernel;
  bool timed = true;
  Cycle now = 0;                           // in functional runs warp instructions of the launch
  uint64_t ended_blocks = 0, blocks = 0;   // no blocks: only a sample of them runs
  double share = 0;                        // of the launch that has been simulated, 0 to 1
  bool is_end = false;                     // of the launch
  std::function<RunCounts()> counts = {};  // takes the time of a step
};

/// The counters of a part of a timed launch, as those of a launch that began and ended with it. Waits that had not
/// ended at its end were charged there as far as they were known: a reason that turned out to be another one may be
/// below 0 in the next part, modulo 2^64.
struct LaunchInterval {
  uint64_t launch = 0;  // RunOptions::launch
  Cycle begin = 0, end = 0;
  LaunchStatistics counted;
};

/// Set from a signal handler.
using InterruptFlag = std::atomic<int>;
static_assert(InterruptFlag::is_always_lock_free);

class Gpu;
class LaunchObserver;
class MemorySystem;
class Session;
struct LaunchProbe;

struct RunOptions {
  uint32_t threads = 1;
  Step step = Step::Whole;
  bool functional = false;
  bool attribution = true;
  bool per_instruction = false;
  Sampling sampling = Sampling::Off;  // of timed runs without a trace
  uint64_t sample_seed = 1;
  Cycle max_cycles = kNever;
  Cycle watchdog_cycles = 2'000'000;  // cycles without any issue or memory progress that end the run
  Assumptions assumptions = {};       // what the machine does not charge for
  /// Ends the launch at the next edge (session.h) once it is not 0; nullptr: it is not polled.
  const InterruptFlag* interrupt = nullptr;
  TraceLog* trace = nullptr;          // of a timed run: what to record, and where to
  RequestRecord* requests = nullptr;  // the same of a functional run
  /// Receives the output of device code, in pieces, at the end of each launch, also after a fault; empty: the output is
  /// dropped.
  std::function<void(std::string_view)> print = {};
  /// Called periodically from the calling thread while a launch runs, and at its end.
  std::function<void(const RunMoment&)> progress = {};
  uint64_t launch = 0;         // number of the launch, for what is recorded of it
  BlockLog* blocks = nullptr;  // of a timed run: receives when each block ran, and where
  /// Called in timed runs after every so many cycles (0: never), and with the rest at the end. Not of sampled runs.
  Cycle interval_cycles = 0;
  std::function<void(const LaunchInterval&)> interval = {};
  LaunchProbe* probe = nullptr;  // of a timed run: what a debugger asks for (core/launch_probe.h)
  /// Runs a launch in place of Gpu::run, with sessions of its own.
  std::function<std::optional<Fault>(Gpu&, const Launch&, const RunOptions&, LaunchStatistics&)> drive = {};
  /// Called by Gpu::run before the first cycle, and then at the first edge at or after the cycle that it returned,
  /// while the launch runs. Not of sampled runs.
  std::function<Cycle(Session&)> visit = {};
  LaunchObserver* observer = nullptr;  // of a functional run (launch_observer.h); it then uses one thread
  bool all_calls = false;              // the message of a fault has all calls that were inlined at its place
};

/// Whether launches can be simulated together: what follows a single launch needs it alone.
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
