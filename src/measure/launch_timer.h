// How one launch is timed. Cold: before each, other memory of twice the L2's size was read, so that the L2 holds
// nothing of the launch's and nothing that must be written back. Warm: the same launch came before. In a row: several
// between two events, over their number. Events and launches are submitted while a kernel of our own keeps the GPU
// busy, so that the host's part of a launch is not in the times.
#pragma once

#include <functional>

#include "measure/gpu.h"
#include "measure/times.h"

namespace warptime::measure {

/// The PTX of warptime's own kernels. sweep(u64 from, u64 bytes) reads memory, 16 bytes for each thread and turn.
const char* own_kernels();

struct LaunchTimes {
  Times cold, warm, in_a_row;
};

class LaunchTimer {
 public:
  LaunchTimer(Gpu& gpu, uint32_t repetitions);

  /// Both begin to bring back what the launch changes; empty: there is nothing to bring back. `begin` comes before each
  /// cold launch, which finds what the program left; `restore` before all others that are timed, but not between those
  /// in a row: of a launch that computes something else a second time.
  LaunchTimes time(const GpuLaunch& launch, const std::function<void()>& begin, const std::function<void()>& restore);
  /// The median time of one of `in_a_row` launches, of a few repetitions after one that is not timed.
  double again(const GpuLaunch& launch, uint32_t in_a_row);
  /// The times of a kernel that does nothing: what events and the start of a kernel take.
  LaunchTimes empty();
  /// Begins to read more than the L2 holds.
  void flush();
  /// The clock of an SM, in MHz, while it counts its cycles.
  double sm_mhz();

  static constexpr uint32_t kInARow = 20;

 private:
  /// Keeps the GPU busy for some microseconds.
  void hold(uint32_t cycles);
  double once(const GpuLaunch& launch, uint32_t times);

  Gpu& gpu_;
  uint32_t repetitions_;
  uint64_t flush_bytes_;
  DevicePointer flush_at_, out_;
  GpuKernel nothing_, hold_, clocks_, sweep_;
};

}  // namespace warptime::measure
