// Streams and events of a device, on the host's clock (host_clock.h).
#include "host/device/device_impl.h"

namespace warptime::host {

void Device::Impl::check(Stream stream) const {
  if (!clock.has(stream)) throw_error(fmt::format("this device has not created a stream {}", stream.id));
}

Stream Device::create_stream() { return impl_->clock.new_stream(); }

Event Device::record_event(Stream stream) {
  impl_->run_queue();
  impl_->check(stream);
  return {impl_->options.functional ? 0 : impl_->clock.record_event(stream)};
}

void Device::wait_event(Stream stream, const Event& event) {
  impl_->run_queue();
  impl_->check(stream);
  if (!impl_->options.functional) impl_->clock.wait(stream, event.when_us);
}

bool Device::query_event(const Event& event) {
  impl_->run_queue();
  return impl_->options.functional || impl_->clock.query(event.when_us);
}

void Device::synchronize() {
  impl_->run_queue();
  if (!impl_->options.functional) impl_->clock.synchronize();
}

void Device::synchronize(Stream stream) {
  impl_->run_queue();
  impl_->check(stream);
  if (!impl_->options.functional) impl_->clock.synchronize(stream);
}

void Device::synchronize(const Event& event) {
  impl_->run_queue();
  if (!impl_->options.functional) impl_->clock.synchronize(event.when_us);
}

double Device::now_us() const {
  impl_->run_queue();
  return impl_->clock.now_us();
}

}  // namespace warptime::host
