#include "host/device/host_clock.h"

#include <algorithm>

namespace warptime::host {

void HostClock::copy(TimelineEvent::Direction direction, uint64_t bytes, std::string_view name, CopyOptions options) {
  bool back = direction == TimelineEvent::Direction::DeviceToHost;
  double pageable = back ? config_.device_to_host_gb_s : config_.host_to_device_gb_s;
  double pinned = back ? config_.pinned_device_to_host_gb_s : config_.pinned_host_to_device_gb_s;
  // 1 GB/s is 1000 bytes a microsecond.
  double duration =
      config_.copy_latency_us + static_cast<double>(bytes) / ((options.pinned ? pinned : pageable) * 1000);
  double start = std::max(now_us_, device_free_us_);
  device_free_us_ = start + duration;
  // Pageable memory is copied piece by piece through the driver's own pinned memory: the host is busy with it.
  now_us_ = options.asynchronous && options.pinned ? now_us_ + config_.call_us : device_free_us_;
  timeline_.push_back({TimelineEvent::Kind::Copy, direction, std::string(name), start, device_free_us_, bytes});
}

void HostClock::kernel(std::string_view name, double time_us, bool synchronous) {
  double start = std::max(now_us_, device_free_us_);
  double first_block = std::max(config_.launch_us, device_free_us_ - now_us_);  // after the call
  device_free_us_ = now_us_ + (first_block + time_us);
  now_us_ += config_.call_us;
  timeline_.push_back(
      {TimelineEvent::Kind::Kernel, TimelineEvent::Direction::None, std::string(name), start, device_free_us_, 0});
  if (synchronous) synchronize();
}

double HostClock::record_event() {
  double when = std::max(now_us_, device_free_us_);
  now_us_ += config_.call_us;
  return when;
}

void HostClock::synchronize() { now_us_ = std::max(now_us_, device_free_us_) + config_.synchronize_us; }

}  // namespace warptime::host
