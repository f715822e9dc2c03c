// Streams and events, in simulated time.
#include <cmath>
#include <utility>

#include "cuda/graph.h"

namespace warptime::cuda {

CUDA_FUNCTION(cudaStreamCreateWithPriority)(void** stream, unsigned flags, int priority) {
  CUDA_NEEDS(stream);
  constexpr unsigned kNonBlocking = 1;
  if (flags > kNonBlocking) return last_error() = Error::InvalidValue;
  return call([&](Runtime& r) {
    auto made = std::make_unique<StreamObject>(StreamObject{r.device().create_stream(), flags, priority});
    *stream = made.get();
    r.streams[*stream] = std::move(made);
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaStreamCreateWithFlags)(void** stream, unsigned flags) {
  return warptime_cudaStreamCreateWithPriority(stream, flags, 0);
}
CUDA_FUNCTION(cudaStreamCreate)(void** stream) { return warptime_cudaStreamCreateWithPriority(stream, 0, 0); }
CUDA_FUNCTION(cudaStreamDestroy)(void* stream) {
  return call([&](Runtime& r) {
    r.captures.forget(stream);
    r.stream_attributes.erase(stream);
    return r.streams.erase(stream) == 1 ? Error::Success : Error::InvalidResourceHandle;
  });
}
CUDA_FUNCTION(cudaStreamSynchronize)(void* stream) {
  return call([&](Runtime& r) {
    r.captures.check_wait(r, stream);
    r.device().synchronize(r.stream_of(stream));
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaDeviceSynchronize)() {
  return call([&](Runtime& r) {
    r.captures.check_wait();
    r.device().synchronize();
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaStreamQuery)(void* stream) {
  return call([&](Runtime& r) {
    r.captures.check_wait(r, stream);
    const host::Event now = r.device().record_event(r.stream_of(stream));
    return r.device().query_event(now) ? Error::Success : Error::NotReady;
  });
}
CUDA_FUNCTION(cudaStreamWaitEvent)(void* stream, void* event, unsigned flags) {
  return call([&](Runtime& r) {
    constexpr unsigned kExternal = 1;
    const EventObject& waited = r.event_of(event);
    CapturedStream* captured = r.captures.of(r, stream);
    if (captured != nullptr && flags == kExternal) return submit(r, stream, WaitWork{event});
    if (waited.capture != nullptr) {
      if (!waited.capture->valid)
        return r.captures.goes_on(*waited.capture) ? Error::StreamCaptureInvalidated : Error::CapturedEvent;
      r.stream_of(stream);
      r.captures.join(stream, waited.capture, waited.nodes);
      return Error::Success;
    }
    if (captured != nullptr && waited.recorded) {
      captured->capture->valid = false;
      return Error::StreamCaptureIsolation;
    }
    return perform(r, WaitWork{event}, r.stream_of(stream));
  });
}
CUDA_FUNCTION(cudaStreamGetFlags)(void* stream, unsigned* flags) {
  return call([&](Runtime& r) {
    auto found = r.streams.find(stream);
    *flags = found == r.streams.end() ? 0 : found->second->flags;
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaStreamGetPriority)(void* stream, int* priority) {
  return call([&](Runtime& r) {
    auto found = r.streams.find(stream);
    *priority = found == r.streams.end() ? 0 : found->second->priority;
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaDeviceGetStreamPriorityRange)(int* least, int* greatest) {
  *least = *greatest = 0;  // all are equal
  return Error::Success;
}
/// What the stream does before a host function: it has come so far now, as values are already there. The program goes
/// on; host functions take no time.
static Error come_to_function(Runtime& runtime, const void* stream) {
  runtime.device().record_event(runtime.stream_of(stream));
  return Error::Success;
}
CUDA_FUNCTION(cudaLaunchHostFunc)(void* stream, void (*function)(void*), void* data) {
  bool is_due = false;
  const Error done = call([&](Runtime& r) {
    if (function == nullptr) return Error::InvalidValue;
    if (r.captures.of(r, stream) != nullptr) return submit(r, stream, HostWork{function, data});
    is_due = true;
    return come_to_function(r, stream);
  });
  if (is_due && done == Error::Success) function(data);
  return done;
}
CUDA_FUNCTION(cudaStreamAddCallback)
(void* stream, void (*function)(void*, Error, void*), void* data, unsigned) {
  const Error done = call([&](Runtime& r) {
    if (r.captures.of(r, stream) != nullptr) return Error::StreamCaptureUnsupported;
    return come_to_function(r, stream);
  });
  if (done < Error::StreamCaptureUnsupported || done > Error::StreamCaptureWrongThread) function(stream, done, data);
  return done;
}

CUDA_FUNCTION(cudaEventCreateWithFlags)(void** event, unsigned flags) {
  CUDA_NEEDS(event);
  constexpr unsigned kAllFlags = 7;  // blocking synchronization, no timing, interprocess
  if (flags > kAllFlags) return last_error() = Error::InvalidValue;
  return call([&](Runtime& r) {
    auto made = std::make_unique<EventObject>(EventObject{.flags = flags});
    *event = made.get();
    r.events[*event] = std::move(made);
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaEventCreate)(void** event) { return warptime_cudaEventCreateWithFlags(event, 0); }
CUDA_FUNCTION(cudaEventDestroy)(void* event) {
  return call([&](Runtime& r) { return r.events.erase(event) == 1 ? Error::Success : Error::InvalidResourceHandle; });
}
CUDA_FUNCTION(cudaEventRecordWithFlags)(void* event, void* stream, unsigned flags) {
  return call([&](Runtime& r) {
    constexpr unsigned kExternal = 1;
    EventObject& recorded = r.event_of(event);
    CapturedStream* captured = r.captures.of(r, stream);
    if (captured == nullptr || flags == kExternal) return submit(r, stream, RecordWork{event});
    recorded.capture = captured->capture;
    recorded.nodes = captured->last;
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaEventRecord)(void* event, void* stream) {
  return warptime_cudaEventRecordWithFlags(event, stream, 0);
}
CUDA_FUNCTION(cudaEventSynchronize)(void* event) {
  return call([&](Runtime& r) {
    const EventObject& waited = r.event_of(event);
    if (waited.capture != nullptr) return waited.capture->valid = false, Error::CapturedEvent;
    if (waited.recorded) r.device().synchronize(waited.moment);
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaEventQuery)(void* event) {
  return call([&](Runtime& r) {
    const EventObject& asked = r.event_of(event);
    if (asked.capture != nullptr) return asked.capture->valid = false, Error::CapturedEvent;
    return !asked.recorded || r.device().query_event(asked.moment) ? Error::Success : Error::NotReady;
  });
}
CUDA_FUNCTION(cudaEventElapsedTime)(float* milliseconds, void* from, void* to) {
  CUDA_NEEDS(milliseconds);
  return call([&](Runtime& r) {
    constexpr unsigned kDisableTiming = 2;
    const EventObject &first = r.event_of(from), &last = r.event_of(to);
    if (first.capture != nullptr || last.capture != nullptr) return Error::CapturedEvent;
    if (!first.recorded || !last.recorded || ((first.flags | last.flags) & kDisableTiming) != 0)
      return Error::InvalidResourceHandle;
    *milliseconds = static_cast<float>(host::Device::elapsed_us(first.moment, last.moment) / 1000);
    return Error::Success;
  });
}

}  // namespace warptime::cuda
