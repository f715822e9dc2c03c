#include "host/device/host_clock.h"

#include <algorithm>
#include <utility>

namespace warptime::host {

namespace {

constexpr size_t kKernelEngine = 0;

}  // namespace

Stream HostClock::new_stream() {
  streams_.push_back(0);
  return {static_cast<uint32_t>(streams_.size())};
}

double HostClock::ready(Stream stream) const {
  return stream.id == 0 ? device_free_us_ : std::max(streams_[stream.id - 1], default_free_us_);
}

size_t HostClock::engine_of(TimelineEvent::Direction direction) const {
  bool back = direction == TimelineEvent::Direction::DeviceToHost;
  return std::min<size_t>(config_.copy_engines, back ? 2 : 1);
}

void HostClock::add(TimelineEvent event, size_t engine, Stream stream) {
  double& free = stream.id == 0 ? default_free_us_ : streams_[stream.id - 1];
  free = std::max(free, event.end_us);
  engines_free_us_[engine] = std::max(engines_free_us_[engine], event.end_us);
  device_free_us_ = std::max(device_free_us_, event.end_us);
  event.stream = stream.id;
  timeline_.push_back(std::move(event));
}

void HostClock::copy(TimelineEvent::Direction direction, uint64_t bytes, std::string_view name, CopyOptions options) {
  bool back = direction == TimelineEvent::Direction::DeviceToHost;
  double pageable = back ? config_.device_to_host_gb_s : config_.host_to_device_gb_s;
  double pinned = back ? config_.pinned_device_to_host_gb_s : config_.pinned_host_to_device_gb_s;
  // 1 GB/s is 1000 bytes a microsecond.
  double duration =
      config_.copy_latency_us + static_cast<double>(bytes) / ((options.pinned ? pinned : pageable) * 1000);
  size_t engine = engine_of(direction);
  double start = std::max({now_us_, ready(options.stream), engines_free_us_[engine]});
  double end = start + duration;
  // Pageable memory is copied piece by piece through the driver's own pinned memory: the host is busy with it.
  now_us_ = options.asynchronous && options.pinned ? now_us_ + config_.call_us : end;
  add({TimelineEvent::Kind::Copy, direction, std::string(name), start, end, bytes}, engine, options.stream);
}

void HostClock::launched(TimelineEvent event, double time_us, Stream stream) {
  double free = std::max(ready(stream), engines_free_us_[kKernelEngine]);
  double first_block = std::max(config_.launch_us, free - now_us_);  // after the call
  event.start_us = std::max(now_us_, free);
  event.end_us = now_us_ + (first_block + time_us);
  now_us_ += config_.call_us;
  add(std::move(event), kKernelEngine, stream);
}

double HostClock::earliest_kernel(Stream stream) const {
  return std::max({now_us_ + config_.launch_us, ready(stream), engines_free_us_[kKernelEngine]});
}

void HostClock::kernel_ran(std::string_view name, double called_us, double begin_us, double end_us, Stream stream) {
  add({TimelineEvent::Kind::Kernel, TimelineEvent::Direction::None, std::string(name),
       std::max(called_us, begin_us - config_.launch_us), end_us, 0},
      kKernelEngine, stream);
}

void HostClock::device_copy(uint64_t bytes, std::string_view name, double time_us, Stream stream) {
  launched({TimelineEvent::Kind::Copy, TimelineEvent::Direction::DeviceToDevice, std::string(name), 0, 0, bytes},
           time_us, stream);
}

void HostClock::fill(uint64_t bytes, std::string_view name, double time_us, Stream stream) {
  launched({TimelineEvent::Kind::Fill, TimelineEvent::Direction::None, std::string(name), 0, 0, bytes}, time_us,
           stream);
}

void HostClock::kernel(std::string_view name, double time_us, bool synchronous, Stream stream) {
  launched({TimelineEvent::Kind::Kernel, TimelineEvent::Direction::None, std::string(name), 0, 0, 0}, time_us, stream);
  if (synchronous) wait_until(ready(stream));
}

double HostClock::record_event(Stream stream) {
  double when = std::max(now_us_, ready(stream));
  now_us_ += config_.call_us;
  return when;
}

void HostClock::wait(Stream stream, double when_us) {
  double& free = stream.id == 0 ? default_free_us_ : streams_[stream.id - 1];
  free = std::max(free, when_us);
  device_free_us_ = std::max(device_free_us_, when_us);
  now_us_ += config_.call_us;
}

bool HostClock::query(double when_us) {
  bool over = when_us <= now_us_;
  now_us_ += config_.call_us;
  return over;
}

void HostClock::wait_until(double when_us) { now_us_ = std::max(now_us_, when_us) + config_.synchronize_us; }

void HostClock::wait_for_device() { now_us_ = std::max(now_us_, device_free_us_); }

}  // namespace warptime::host
