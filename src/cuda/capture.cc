#include "cuda/capture.h"

#include <algorithm>
#include <set>
#include <utility>

#include "cuda/graph.h"

namespace warptime::cuda {

namespace {

thread_local CaptureMode mode_of_thread = CaptureMode::Global;

/// The legacy default stream, which waits for all streams that are not created otherwise.
bool is_legacy(const void* stream) { return reinterpret_cast<uintptr_t>(stream) <= 1; }

}  // namespace

void Captures::end_all(Error error) {
  for (auto& [stream, captured] : streams_) captured.capture->valid = false;
  throw CallError{error};
}

CapturedStream* Captures::find(const void* stream) {
  auto found = streams_.find(stream);
  return found == streams_.end() ? nullptr : &found->second;
}

CapturedStream* Captures::of(Runtime& runtime, const void* stream) {
  if (streams_.empty()) return nullptr;
  if (is_legacy(stream)) {
    constexpr unsigned kNonBlocking = 1;
    for (const auto& [other, captured] : streams_) {
      auto object = runtime.streams.find(other);
      if (object == runtime.streams.end() || (object->second->flags & kNonBlocking) == 0)
        end_all(Error::StreamCaptureImplicit);
    }
    return nullptr;
  }
  CapturedStream* found = find(stream);
  if (found != nullptr && !found->capture->valid) throw CallError{Error::StreamCaptureInvalidated};
  return found;
}

bool Captures::goes_on(const Capture& capture) {
  const CapturedStream* found = find(capture.origin);
  return found != nullptr && found->capture.get() == &capture;
}

void Captures::check_wait(Runtime& runtime, const void* stream) {
  if (CapturedStream* found = of(runtime, stream)) {
    found->capture->valid = false;
    throw CallError{Error::StreamCaptureUnsupported};
  }
}

void Captures::check_wait() {
  if (!streams_.empty()) end_all(Error::StreamCaptureUnsupported);
}

void Captures::check_unsafe() {
  if (streams_.empty() || mode_of_thread == CaptureMode::Relaxed) return;
  for (const auto& [stream, captured] : streams_) {
    const Capture& capture = *captured.capture;
    const bool own = capture.thread == std::this_thread::get_id() && capture.mode != CaptureMode::Relaxed;
    const bool of_all = mode_of_thread == CaptureMode::Global && capture.mode == CaptureMode::Global;
    if (own || of_all) end_all(Error::StreamCaptureUnsupported);
  }
}

void Captures::join(const void* stream, const std::shared_ptr<Capture>& capture, const std::vector<Node*>& after) {
  if (is_legacy(stream)) throw CallError{Error::StreamCaptureUnsupported};
  CapturedStream& joined = streams_[stream];
  if (joined.capture != nullptr && joined.capture != capture) {
    joined.capture->valid = capture->valid = false;
    throw CallError{Error::StreamCaptureMerge};
  }
  joined.capture = capture;
  for (Node* node : after)
    if (std::find(joined.last.begin(), joined.last.end(), node) == joined.last.end()) joined.last.push_back(node);
}

void Captures::open(const void* stream, Capture capture, std::vector<Node*> after) {
  capture.origin = stream;
  capture.thread = std::this_thread::get_id();
  capture.id = ++count_;
  if (capture.into == nullptr) capture.graph = std::make_shared<Graph>();
  streams_[stream] = {std::make_shared<Capture>(std::move(capture)), std::move(after)};
}

std::shared_ptr<Graph> Captures::close(const void* stream) {
  CapturedStream* found = find(stream);
  if (found == nullptr) throw CallError{Error::IllegalState};
  const std::shared_ptr<Capture> capture = found->capture;
  if (capture->origin != stream) {
    capture->valid = false;
    throw CallError{Error::StreamCaptureUnmatched};
  }
  if (capture->mode != CaptureMode::Relaxed && capture->thread != std::this_thread::get_id())
    throw CallError{Error::StreamCaptureWrongThread};
  // All that was forked has come back: what no node depends on was the last of the first stream.
  std::set<const Node*> ends;
  if (capture->valid && capture->into == nullptr) {
    for (const auto& node : capture->graph->nodes) ends.insert(node.get());
    for (const auto& node : capture->graph->nodes)
      for (const Node* before : node->after) ends.erase(before);
    for (const Node* last : found->last) ends.erase(last);
  }
  std::erase_if(streams_, [&](const auto& entry) { return entry.second.capture == capture; });
  if (!capture->valid) throw CallError{Error::StreamCaptureInvalidated};
  capture->valid = false;  // for the events that it has left
  if (!ends.empty()) throw CallError{Error::StreamCaptureUnjoined};
  return capture->graph;
}

void Captures::forget(const void* stream) {
  if (CapturedStream* found = find(stream)) found->capture->valid = false;
  streams_.erase(stream);
}

CaptureMode Captures::exchange_mode(CaptureMode mode) { return std::exchange(mode_of_thread, mode); }

}  // namespace warptime::cuda
