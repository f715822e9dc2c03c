// Streams and events, in simulated time.
#include <cmath>
#include <utility>

#include "cuda/runtime.h"

namespace warptime::cuda {

namespace {

EventObject& event_of(Runtime& runtime, const void* event) {
  auto found = runtime.events.find(event);
  if (found == runtime.events.end()) throw CallError{Error::InvalidResourceHandle};
  return *found->second;
}

}  // namespace

CUDA_FUNCTION(cudaStreamCreateWithPriority)(void** stream, unsigned flags, int priority) {
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
  return call([&](Runtime& r) { return r.streams.erase(stream) == 1 ? Error::Success : Error::InvalidResourceHandle; });
}
CUDA_FUNCTION(cudaStreamSynchronize)(void* stream) {
  return call([&](Runtime& r) {
    r.device().synchronize(r.stream_of(stream));
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaDeviceSynchronize)() {
  return call([&](Runtime& r) {
    r.device().synchronize();
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaStreamQuery)(void* stream) {
  return call([&](Runtime& r) {
    const host::Event now = r.device().record_event(r.stream_of(stream));
    return r.device().query_event(now) ? Error::Success : Error::NotReady;
  });
}
CUDA_FUNCTION(cudaStreamWaitEvent)(void* stream, void* event, unsigned) {
  return call([&](Runtime& r) {
    const EventObject& waited = event_of(r, event);
    if (waited.recorded) r.device().wait_event(r.stream_of(stream), waited.moment);
    return Error::Success;
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
/// Nothing is ever captured: graphs are not supported.
CUDA_FUNCTION(cudaStreamIsCapturing)(void*, int* status) {
  *status = 0;
  return Error::Success;
}
CUDA_FUNCTION(cudaStreamGetCaptureInfo)(void*, int* status) {
  *status = 0;
  return Error::Success;
}
CUDA_FUNCTION(cudaThreadExchangeStreamCaptureMode)(int*) { return Error::Success; }

/// What the stream does before a host function: it has come so far now, as values are already there. The program goes
/// on; host functions take no time.
static Error come_to_function(const void* stream) {
  return call([&](Runtime& r) {
    r.device().record_event(r.stream_of(stream));
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaLaunchHostFunc)(void* stream, void (*function)(void*), void* data) {
  const Error done = come_to_function(stream);
  if (done == Error::Success) function(data);
  return done;
}
CUDA_FUNCTION(cudaStreamAddCallback)
(void* stream, void (*function)(void*, Error, void*), void* data, unsigned) {
  const Error done = come_to_function(stream);
  function(stream, done, data);
  return done;
}

CUDA_FUNCTION(cudaEventCreateWithFlags)(void** event, unsigned flags) {
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
CUDA_FUNCTION(cudaEventRecord)(void* event, void* stream) {
  return call([&](Runtime& r) {
    EventObject& recorded = event_of(r, event);
    recorded.moment = r.device().record_event(r.stream_of(stream));
    recorded.recorded = true;
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaEventRecordWithFlags)(void* event, void* stream, unsigned) {
  return warptime_cudaEventRecord(event, stream);
}
CUDA_FUNCTION(cudaEventSynchronize)(void* event) {
  return call([&](Runtime& r) {
    const EventObject& waited = event_of(r, event);
    if (waited.recorded) r.device().synchronize(waited.moment);
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaEventQuery)(void* event) {
  return call([&](Runtime& r) {
    const EventObject& asked = event_of(r, event);
    return !asked.recorded || r.device().query_event(asked.moment) ? Error::Success : Error::NotReady;
  });
}
CUDA_FUNCTION(cudaEventElapsedTime)(float* milliseconds, void* from, void* to) {
  return call([&](Runtime& r) {
    constexpr unsigned kDisableTiming = 2;
    const EventObject &first = event_of(r, from), &last = event_of(r, to);
    if (!first.recorded || !last.recorded || ((first.flags | last.flags) & kDisableTiming) != 0)
      return Error::InvalidResourceHandle;
    *milliseconds = static_cast<float>(host::Device::elapsed_us(first.moment, last.moment) / 1000);
    return Error::Success;
  });
}

}  // namespace warptime::cuda
