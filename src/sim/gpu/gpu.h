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
#include "sim/model/access_log.h"
#include "sim/model/assumptions.h"
#include "sim/model/machine.h"
#include "sim/model/occupancy.h"
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
};

enum class Step : uint8_t { Whole = 1, Half = 2, Quarter = 4 };

enum class Sampling : uint8_t {
  Off,
  FullValues,  // every block is executed, some are timed
  Timing,      // only blocks that are timed are executed
};

/// Set from a signal handler.
using InterruptFlag = std::atomic<int>;
static_assert(InterruptFlag::is_always_lock_free);

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
  TraceLog* trace = nullptr;      // of a timed run: what to record, and where to
  AccessLog* accesses = nullptr;  // the same of a functional run
  /// Receives the output of device code, in pieces, at the end of each launch, also after a fault; empty: the output is
  /// dropped.
  std::function<void(std::string_view)> print = {};
  /// Called periodically from the calling thread with the finished share of the launch's blocks, 0 to 1.
  std::function<void(double)> progress = {};
};

class Session;

class Gpu {
 public:
  Gpu(const MachineConfig& machine, DeviceMemory& memory);
  ~Gpu();
  /// Runs one launch to its end. Returns a fault if the simulated program causes one; `statistics` is then that of the
  /// executed part.
  std::optional<Fault> run(const Launch& launch, const RunOptions& options, LaunchStatistics& statistics);
  /// Begins one launch, not a sampled one, to be run step by step (session.h). `statistics` must outlive the session.
  Session begin(Launch launch, RunOptions options, LaunchStatistics& statistics);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace warptime::sim
