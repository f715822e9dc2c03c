// Captures of streams.
#include "cuda/graph.h"

namespace warptime::cuda {

namespace {

enum CaptureStatus : int { kNone = 0, kActive = 1, kInvalidated = 2 };

/// What is known of a stream's capture.
struct CaptureInfo {
  int* status = nullptr;
  unsigned long long* id = nullptr;
  void** graph = nullptr;
  void* const** dependencies = nullptr;
  size_t* count = nullptr;
};

Error tell_capture(const void* stream, const CaptureInfo& out) {
  return call([&](Runtime& r) {
    r.stream_of(stream);
    const CapturedStream* captured = r.captures.find(stream);
    if (captured == nullptr) r.captures.of(r, stream);  // the default stream must not be used
    const bool active = captured != nullptr && captured->capture->valid;
    *out.status = captured == nullptr ? kNone : active ? kActive : kInvalidated;
    if (!active) return Error::Success;
    if (out.id != nullptr) *out.id = captured->capture->id;
    if (out.graph != nullptr) *out.graph = &captured->capture->target();
    if (out.dependencies != nullptr) *out.dependencies = reinterpret_cast<void* const*>(captured->last.data());
    if (out.count != nullptr) *out.count = captured->last.size();
    return Error::Success;
  });
}

Error start(void* stream, int mode, void* graph, void* const* dependencies, size_t count) {
  return call([&](Runtime& r) {
    constexpr uintptr_t kPerThread = 2;
    if (mode < 0 || mode > static_cast<int>(CaptureMode::Relaxed)) return Error::InvalidValue;
    r.stream_of(stream);
    if (reinterpret_cast<uintptr_t>(stream) < kPerThread) return Error::StreamCaptureUnsupported;
    if (r.captures.find(stream) != nullptr) return Error::IllegalState;
    Capture capture{.mode = static_cast<CaptureMode>(mode)};
    if (graph != nullptr) capture.into = &graph_of(r, graph);
    r.captures.open(stream, std::move(capture), nodes_of(r, dependencies, count));
    return Error::Success;
  });
}

}  // namespace

CUDA_FUNCTION(cudaStreamBeginCapture)(void* stream, int mode) { return start(stream, mode, nullptr, nullptr, 0); }
CUDA_FUNCTION(cudaStreamBeginCaptureToGraph)
(void* stream, void* graph, void* const* dependencies, const EdgeData*, size_t count, int mode) {
  if (graph == nullptr) return last_error() = Error::InvalidValue;
  return start(stream, mode, graph, dependencies, count);
}
CUDA_FUNCTION(cudaStreamEndCapture)(void* stream, void** graph) {
  *graph = nullptr;
  return call([&](Runtime& r) {
    const CapturedStream* captured = r.captures.find(stream);
    Graph* into = captured == nullptr ? nullptr : captured->capture->into;
    const std::shared_ptr<Graph> made = r.captures.close(stream);
    *graph = made == nullptr ? into : made.get();
    if (made != nullptr) r.graphs[made.get()] = made;
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaStreamIsCapturing)(void* stream, int* status) { return tell_capture(stream, {.status = status}); }
extern "C" Error warptime_capture_info_11(void* stream, int* status, unsigned long long* id) {
  return tell_capture(stream, {.status = status, .id = id});
}
extern "C" Error warptime_capture_info_12(void* stream, int* status, unsigned long long* id, void** graph,
                                          void* const** dependencies, size_t* count) {
  return tell_capture(stream, {status, id, graph, dependencies, count});
}
extern "C" Error warptime_capture_info_13(void* stream, int* status, unsigned long long* id, void** graph,
                                          void* const** dependencies, const EdgeData** edges, size_t* count) {
  if (edges != nullptr) *edges = nullptr;  // all are plain
  return tell_capture(stream, {status, id, graph, dependencies, count});
}
extern "C" Error warptime_update_capture_12(void* stream, void* const* dependencies, size_t count, unsigned flags) {
  return call([&](Runtime& r) {
    constexpr unsigned kSet = 1;
    CapturedStream* captured = r.captures.of(r, stream);
    if (captured == nullptr) return Error::IllegalState;
    const std::vector<Node*> nodes = nodes_of(r, dependencies, count);
    if (flags == kSet) captured->last.clear();
    r.captures.join(stream, captured->capture, nodes);
    return Error::Success;
  });
}
extern "C" Error warptime_update_capture_13(void* stream, void* const* dependencies, const EdgeData*, size_t count,
                                            unsigned flags) {
  return warptime_update_capture_12(stream, dependencies, count, flags);
}
CUDA_FUNCTION(cudaThreadExchangeStreamCaptureMode)(int* mode) {
  if (*mode < 0 || *mode > static_cast<int>(CaptureMode::Relaxed)) return last_error() = Error::InvalidValue;
  *mode = static_cast<int>(Runtime::get().captures.exchange_mode(static_cast<CaptureMode>(*mode)));
  return Error::Success;
}

}  // namespace warptime::cuda
