// The work that a call gives a stream: a launch, a copy, a fill, a call of the host, an event. It is done at once, or
// becomes a node of a graph while the stream is captured (capture.h); graphs do it later, as often as they are
// launched.
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "cuda/abi_graph.h"
#include "cuda/array.h"
#include "cuda/runtime.h"

namespace warptime::cuda {

struct Graph;

struct LaunchWork {
  const void* function = nullptr;
  Extent3 grid{}, block{};
  size_t shared_bytes = 0;
  bool cooperative = false;
  std::vector<host::Argument> arguments = {};
  Extent3 cluster{0, 0, 0};  // blocks of a cluster; 0: none is named
};
/// A box in memory: rows of one slice are `pitch` bytes apart, slices `height` rows. In an array they are the array's.
struct CopySide {
  const Array* array = nullptr;
  void* pointer = nullptr;
  size_t pitch = 0, height = 0;
  size_t x = 0, y = 0, z = 0;  // where it begins; x in bytes
};
struct CopyWork {
  CopySide to, from;
  size_t bytes = 0, rows = 1, slices = 1;
  int kind = kByAddress;
  bool asynchronous = false;
};
/// `width` elements in a row; slices are `height` rows apart.
struct FillWork {
  void* to = nullptr;
  size_t pitch = 0, height = 0;
  unsigned value = 0, element_bytes = 1;
  size_t width = 0, rows = 1, slices = 1;
};
struct HostWork {
  void (*function)(void*) = nullptr;
  void* data = nullptr;
};
struct RecordWork {
  void* event = nullptr;
};
struct WaitWork {
  void* event = nullptr;
};
struct EmptyWork {};
/// Memory of a graph: it is there as long as the graph, or one made from it, is.
struct GraphMemory {
  void* pointer = nullptr;
  size_t bytes = 0;
  ~GraphMemory();
};
struct AllocateWork {
  std::shared_ptr<GraphMemory> memory;
};
struct FreeWork {
  void* pointer = nullptr;
};
struct ChildWork {
  std::shared_ptr<Graph> graph;
};

/// In the order of NodeKind as far as that goes.
using Work = std::variant<LaunchWork, CopyWork, FillWork, HostWork, ChildWork, EmptyWork, WaitWork, RecordWork,
                          AllocateWork, FreeWork>;

/// Does it in this stream of the device. All throw CallError.
Error perform(Runtime& runtime, const LaunchWork& launch, host::Stream stream);
Error perform(Runtime& runtime, const CopyWork& copy, host::Stream stream);
Error perform(Runtime& runtime, const FillWork& fill, host::Stream stream);
Error perform(Runtime& runtime, const Work& work, host::Stream stream);
/// Does it in a stream of the program, or adds it to the graph that the stream is captured into.
Error submit(Runtime& runtime, void* stream, Work work);
/// A call that waits for its copy or fill uses the default stream, which must not be in a capture.
template <class Each>
Error perform_now(Runtime& runtime, const Each& work) {
  runtime.captures.of(runtime, nullptr);
  runtime.captures.check_unsafe();
  return perform(runtime, work, host::Stream{});
}

/// From cudaMemcpy3DParms. Throws CallError.
CopyWork copy_work(Runtime& runtime, const Copy3D& copy, bool asynchronous);
Copy3D parameters_of(const CopyWork& work);
/// `bytes` bytes from one address to another.
CopyWork line_copy(void* to, const void* from, size_t bytes, int kind, bool asynchronous = false);
/// Memory of a graph, which is there from now on; `pointer`: its address.
Work allocate_work(Runtime& runtime, size_t bytes, void*& pointer);
Work free_work(Runtime& runtime, void* pointer);
/// To a variable of a module, or from one.
CopyWork to_symbol(Runtime& runtime, const void* symbol, const void* from, size_t bytes, size_t offset, int kind,
                   bool asynchronous = false);
CopyWork from_symbol(Runtime& runtime, void* to, const void* symbol, size_t bytes, size_t offset, int kind,
                     bool asynchronous = false);
/// The arguments of a launch as the call has them: a pointer to each (`arguments`), or one block of memory (`extra`).
std::vector<host::Argument> arguments_of(const ptx::Kernel& kernel, void** arguments, void** extra = nullptr);

}  // namespace warptime::cuda
