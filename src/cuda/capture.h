// Captures: while a stream is captured, its calls become nodes of a graph. Streams that wait for an event of the
// capture join it. A call that a capture cannot have fails and ends it (CUDA C++ Programming Guide, "Creating a Graph
// Using Stream Capture").
#pragma once

#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "cuda/errors.h"

namespace warptime::cuda {

struct Graph;
struct Node;
class Runtime;

enum class CaptureMode : int { Global = 0, ThreadLocal = 1, Relaxed = 2 };  // cudaStreamCaptureMode

struct Capture {
  const void* origin = nullptr;
  CaptureMode mode = CaptureMode::Global;
  std::thread::id thread = {};
  std::shared_ptr<Graph> graph = {};
  Graph* into = nullptr;  // the program's own graph instead (cudaStreamBeginCaptureToGraph)
  bool valid = true;
  unsigned long long id = 0;
  Graph& target() const { return into == nullptr ? *graph : *into; }
};
struct CapturedStream {
  std::shared_ptr<Capture> capture = {};
  std::vector<Node*> last = {};  // what the next node depends on
};

/// All throw CallError where a call is not permitted.
class Captures {
 public:
  /// The capture that the stream is in; nullptr: it is in none.
  CapturedStream* of(Runtime& runtime, const void* stream);
  /// That capture, also where the call would not be permitted.
  CapturedStream* find(const void* stream);
  /// It has not ended; it may have been invalidated.
  bool goes_on(const Capture& capture);
  /// The host waits for this stream, or asks how far it is.
  void check_wait(Runtime& runtime, const void* stream);
  /// The host waits for the whole device.
  void check_wait();
  /// Calls that may depend on work which has not been done: allocations, copies that wait.
  void check_unsafe();
  void join(const void* stream, const std::shared_ptr<Capture>& capture, const std::vector<Node*>& after);
  void open(const void* stream, Capture capture, std::vector<Node*> after);
  /// The graph; nullptr if it was the program's.
  std::shared_ptr<Graph> close(const void* stream);
  /// The stream is destroyed.
  void forget(const void* stream);
  CaptureMode exchange_mode(CaptureMode mode);
  void clear() { streams_.clear(); }

 private:
  void end_all(Error error);

  std::map<const void*, CapturedStream> streams_;
  unsigned long long count_ = 0;
};

}  // namespace warptime::cuda
