// The clock of a host program: copies over PCI Express, launches and events, in streams (CUDA C Programming Guide 4.2,
// 3.2.5). Operations of one stream follow each other; those of the default stream also wait for all others, and all
// others for them. Two operations overlap if their streams allow it and the machine has a copy engine for the copy
// (host.copy_engines; none on compute capability 1.0). Kernels overlap each other where they were simulated together
// (kernel_ran). The host goes on meanwhile, unless it waits.
// Left out: a full queue, and the host program's own computation.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/device/timeline.h"
#include "sim/model/machine.h"

namespace warptime::host {

class HostClock {
 public:
  explicit HostClock(const sim::HostConfig& config) : config_(config) {}

  /// A stream beside the default one.
  Stream new_stream();
  bool has(Stream stream) const { return stream.id <= streams_.size(); }

  void copy(TimelineEvent::Direction direction, uint64_t bytes, std::string_view name, CopyOptions options = {});
  /// A copy within device memory, or a fill: `time_us` after a launch as that of a kernel.
  void device_copy(uint64_t bytes, std::string_view name, double time_us, Stream stream = {});
  void fill(uint64_t bytes, std::string_view name, double time_us, Stream stream = {});
  /// A launch whose blocks take `time_us`. Its time on the timeline begins when the device is free for it, and includes
  /// the rest of the launch latency. `synchronous`: the host waits for its end.
  void kernel(std::string_view name, double time_us, bool synchronous = false, Stream stream = {});
  /// When the blocks of a kernel that the host launches now may begin, if no other kernel of its queue is before it.
  double earliest_kernel(Stream stream) const;
  /// A call that takes no time of the device, or whose time comes later.
  void called() { now_us_ += config_.call_us; }
  /// A kernel of a queue, whose blocks ran from `begin_us` to `end_us`.
  void kernel_ran(std::string_view name, double called_us, double begin_us, double end_us, Stream stream);
  /// When the stream finishes all calls so far; costs the host a call.
  double record_event(Stream stream = {});
  /// Later calls in the stream begin at `when_us` or after it; costs the host a call.
  void wait(Stream stream, double when_us);
  /// Whether that moment has passed when the host asks; costs the host a call.
  bool query(double when_us);
  /// The host waits until the device, a stream, or a moment of its work is over.
  void synchronize() { wait_until(device_free_us_); }
  void synchronize(Stream stream) { wait_until(ready(stream)); }
  void synchronize(double when_us) { wait_until(when_us); }
  /// The host waits for the device, in a call that takes no time of its own.
  void wait_for_device();

  /// The time of the host program.
  double now_us() const { return now_us_; }
  const std::vector<TimelineEvent>& timeline() const { return timeline_; }
  void forget_timeline() { timeline_.clear(); }

 private:
  /// When the calls so far let the stream go on.
  double ready(Stream stream) const;
  /// The engine that executes a copy; kernels have engine 0.
  size_t engine_of(TimelineEvent::Direction direction) const;
  void wait_until(double when_us);
  void launched(TimelineEvent event, double time_us, Stream stream);
  void add(TimelineEvent event, size_t engine, Stream stream);

  sim::HostConfig config_;
  double now_us_ = 0;
  double device_free_us_ = 0;                // the end of all operations so far
  double default_free_us_ = 0;               // of those of the default stream
  std::vector<double> streams_;              // of each other stream, by id - 1
  std::array<double, 3> engines_free_us_{};  // kernels; copies, by direction where there are two engines
  std::vector<TimelineEvent> timeline_;
};

}  // namespace warptime::host
