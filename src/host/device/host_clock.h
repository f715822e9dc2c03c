// The clock of a host program: copies over PCI Express, launches and events in one queue, as for a host program of
// 2007. The device executes one operation at a time, in the order of the calls (copies overlap kernels only from
// compute capability 1.1 on: CUDA C Programming Guide 4.2, 3.2.5.2); the host continues meanwhile, unless it waits.
// Left out: streams, a full queue, and the host program's own computation.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/model/machine.h"

namespace warptime::host {

struct TimelineEvent {
  enum class Kind : uint8_t { Copy, Kernel };
  enum class Direction : uint8_t { None, HostToDevice, DeviceToHost };
  Kind kind = Kind::Kernel;
  Direction direction = Direction::None;
  std::string name;
  double start_us = 0, end_us = 0;
  uint64_t bytes = 0;
};

struct CopyOptions {
  bool pinned = false;        // page-locked host memory
  bool asynchronous = false;  // of pinned memory only: the host does not wait for the copy
};

class HostClock {
 public:
  explicit HostClock(const sim::HostConfig& config) : config_(config) {}

  void copy(TimelineEvent::Direction direction, uint64_t bytes, std::string_view name, CopyOptions options = {});
  /// A launch whose blocks take `time_us`. Its time on the timeline begins when the device is free for it, and includes
  /// the rest of the launch latency. `synchronous`: the host waits for its end.
  void kernel(std::string_view name, double time_us, bool synchronous = false);
  /// When the device finishes all calls so far; costs the host a call.
  double record_event();
  /// The host waits until the device is idle.
  void synchronize();

  /// The time of the host program.
  double now_us() const { return now_us_; }
  const std::vector<TimelineEvent>& timeline() const { return timeline_; }
  void forget_timeline() { timeline_.clear(); }

 private:
  sim::HostConfig config_;
  double now_us_ = 0;
  double device_free_us_ = 0;  // the end of the last operation
  std::vector<TimelineEvent> timeline_;
};

}  // namespace warptime::host
