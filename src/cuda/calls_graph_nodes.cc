// What the nodes of graphs do: their parameters, as calls give and read them.
#include <cstring>

#include "cuda/graph.h"

namespace warptime::cuda {

Work allocate_work(Runtime& r, size_t bytes, void*& pointer) {
  auto memory = std::make_shared<GraphMemory>();
  memory->bytes = bytes;
  pointer = memory->pointer = r.allocate(bytes, "memory of a graph", false);
  r.graph_memory.insert(pointer);
  return AllocateWork{std::move(memory)};
}
Work free_work(Runtime& r, void* pointer) {
  if (r.graph_memory.count(pointer) == 0) throw CallError{Error::InvalidValue};
  return FreeWork{pointer};
}

namespace {

Work work_of(Runtime& r, const KernelNode& node) {
  const ptx::Kernel& kernel = r.ptx_of(r.kernel_of(node.function));
  return LaunchWork{.function = node.function,
                    .grid = node.grid,
                    .block = node.block,
                    .shared_bytes = node.shared_bytes,
                    .arguments = arguments_of(kernel, node.arguments, node.extra)};
}
Work work_of(Runtime& r, const Copy3D& copy) { return copy_work(r, copy, true); }
Work work_of(Runtime&, const FillNode& node) {
  if (node.element_bytes != 1 && node.element_bytes != 2 && node.element_bytes != 4)
    throw CallError{Error::InvalidValue};
  return FillWork{.to = node.to,
                  .pitch = node.pitch,
                  .value = node.value,
                  .element_bytes = node.element_bytes,
                  .width = node.width,
                  .rows = node.height};
}
Work work_of(Runtime&, const HostNode& node) {
  if (node.function == nullptr) throw CallError{Error::InvalidValue};
  return HostWork{node.function, node.data};
}
Work child_of(Runtime& r, void* graph) { return ChildWork{graph_of(r, graph).clone()}; }

/// One of any kind (cudaGraphNodeParams).
Work work_of(Runtime& r, AnyNode& node) {
  switch (node.kind) {
    case NodeKind::Kernel: return work_of(r, node.kernel);
    case NodeKind::Copy: return work_of(r, node.copy.copy);
    case NodeKind::Fill: return work_of(r, node.fill);
    case NodeKind::Host: return work_of(r, node.host);
    case NodeKind::Graph: return child_of(r, node.graph);
    case NodeKind::Empty: return EmptyWork{};
    case NodeKind::WaitEvent: return r.event_of(node.event), WaitWork{node.event};
    case NodeKind::RecordEvent: return r.event_of(node.event), RecordWork{node.event};
    case NodeKind::Allocate: return allocate_work(r, node.allocate.bytes, node.allocate.pointer);
    case NodeKind::Free: return free_work(r, node.pointer);
  }
  throw CallError{Error::NotSupported};
}

template <class Make>
Error add_node(void** node, void* graph, void* const* dependencies, size_t count, Make make) {
  return call([&](Runtime& r) {
    Graph& to = graph_of(r, graph);
    std::vector<Node*> after = nodes_of(r, dependencies, count);
    for (const Node* before : after)
      if (before->graph != &to) return Error::InvalidValue;
    *node = &to.add(make(r), std::move(after));
    return Error::Success;
  });
}

/// Gives a node other work of its kind: one of a graph, or what it has become in an executable one (`exec`: its
/// handle).
template <class Make>
Error change_node(void* const* exec, void* node, Make make) {
  return call([&](Runtime& r) {
    Node* own = &node_of(r, node);
    if (exec != nullptr) own = exec_of(r, *exec).graph->made_from(own);
    if (own == nullptr) return Error::InvalidValue;
    Work work = make(r);
    if (kind_of(work) != kind_of(own->work)) return Error::InvalidValue;
    // A launch keeps its attribute.
    if (auto* launch = std::get_if<LaunchWork>(&work))
      launch->cooperative = std::get<LaunchWork>(own->work).cooperative;
    own->work = std::move(work);
    return Error::Success;
  });
}

template <class Kind, class Read>
Error read_node(void* node, Read read) {
  return call([&](Runtime& r) {
    Node& own = node_of(r, node);
    auto* work = std::get_if<Kind>(&own.work);
    if (work == nullptr) return Error::InvalidValue;
    read(own, *work);
    return Error::Success;
  });
}

/// cudaLaunchAttributeID: the access policy and the priority have no effect.
bool is_known_attribute(int id) {
  constexpr int kAccessPolicy = 1, kPriority = 8;
  return id == kAccessPolicy || id == kPriority || id == LaunchAttribute::kCooperative;
}

}  // namespace

// Functions that add, read and change nodes of one kind, whose parameters are one struct.
#define NODE_FUNCTIONS(kind, Parameters)                                                                    \
  CUDA_FUNCTION(cudaGraphAdd##kind##Node)                                                                   \
  (void** node, void* graph, void* const* after, size_t count, const Parameters* parameters) {              \
    return add_node(node, graph, after, count, [&](Runtime& r) { return work_of(r, *parameters); });        \
  }                                                                                                         \
  CUDA_FUNCTION(cudaGraph##kind##NodeSetParams)(void* node, const Parameters* parameters) {                 \
    return change_node(nullptr, node, [&](Runtime& r) { return work_of(r, *parameters); });                 \
  }                                                                                                         \
  CUDA_FUNCTION(cudaGraphExec##kind##NodeSetParams)(void* exec, void* node, const Parameters* parameters) { \
    return change_node(&exec, node, [&](Runtime& r) { return work_of(r, *parameters); });                   \
  }
NODE_FUNCTIONS(Kernel, KernelNode)
NODE_FUNCTIONS(Memcpy, Copy3D)
NODE_FUNCTIONS(Memset, FillNode)
NODE_FUNCTIONS(Host, HostNode)
#undef NODE_FUNCTIONS

CUDA_FUNCTION(cudaGraphKernelNodeGetParams)(void* node, KernelNode* parameters) {
  return read_node<LaunchWork>(node, [&](Node& own, LaunchWork& work) {
    own.arguments.clear();
    for (host::Argument& argument : work.arguments) own.arguments.push_back(argument.bytes.data());
    *parameters = {work.function,        work.grid, work.block, static_cast<unsigned>(work.shared_bytes),
                   own.arguments.data(), nullptr};
  });
}
CUDA_FUNCTION(cudaGraphMemcpyNodeGetParams)(void* node, Copy3D* parameters) {
  return read_node<CopyWork>(node, [&](Node&, const CopyWork& work) { *parameters = parameters_of(work); });
}
CUDA_FUNCTION(cudaGraphMemsetNodeGetParams)(void* node, FillNode* parameters) {
  return read_node<FillWork>(node, [&](Node&, const FillWork& work) {
    *parameters = {work.to, work.pitch, work.value, work.element_bytes, work.width, work.rows};
  });
}
CUDA_FUNCTION(cudaGraphHostNodeGetParams)(void* node, HostNode* parameters) {
  return read_node<HostWork>(node, [&](Node&, const HostWork& work) { *parameters = {work.function, work.data}; });
}
CUDA_FUNCTION(cudaGraphChildGraphNodeGetGraph)(void* node, void** graph) {
  return read_node<ChildWork>(node, [&](Node&, const ChildWork& work) { *graph = work.graph.get(); });
}
CUDA_FUNCTION(cudaGraphEventRecordNodeGetEvent)(void* node, void** event) {
  return read_node<RecordWork>(node, [&](Node&, const RecordWork& work) { *event = work.event; });
}
CUDA_FUNCTION(cudaGraphEventWaitNodeGetEvent)(void* node, void** event) {
  return read_node<WaitWork>(node, [&](Node&, const WaitWork& work) { *event = work.event; });
}
CUDA_FUNCTION(cudaGraphMemAllocNodeGetParams)(void* node, AllocateNode* parameters) {
  return read_node<AllocateWork>(node, [&](Node&, const AllocateWork& work) {
    *parameters = {};
    parameters->bytes = work.memory->bytes;
    parameters->pointer = work.memory->pointer;
  });
}
CUDA_FUNCTION(cudaGraphMemFreeNodeGetParams)(void* node, void** pointer) {
  return read_node<FreeWork>(node, [&](Node&, const FreeWork& work) { *pointer = work.pointer; });
}

CUDA_FUNCTION(cudaGraphAddEmptyNode)(void** node, void* graph, void* const* after, size_t count) {
  return add_node(node, graph, after, count, [](Runtime&) { return EmptyWork{}; });
}
CUDA_FUNCTION(cudaGraphAddChildGraphNode)(void** node, void* graph, void* const* after, size_t count, void* child) {
  return add_node(node, graph, after, count, [&](Runtime& r) { return child_of(r, child); });
}
CUDA_FUNCTION(cudaGraphExecChildGraphNodeSetParams)(void* exec, void* node, void* child) {
  return change_node(&exec, node, [&](Runtime& r) { return child_of(r, child); });
}
CUDA_FUNCTION(cudaGraphAddMemAllocNode)
(void** node, void* graph, void* const* after, size_t count, AllocateNode* parameters) {
  return add_node(node, graph, after, count,
                  [&](Runtime& r) { return allocate_work(r, parameters->bytes, parameters->pointer); });
}
CUDA_FUNCTION(cudaGraphAddMemFreeNode)(void** node, void* graph, void* const* after, size_t count, void* pointer) {
  return add_node(node, graph, after, count, [&](Runtime& r) { return free_work(r, pointer); });
}

#define EVENT_FUNCTIONS(kind, EachWork)                                                                         \
  CUDA_FUNCTION(cudaGraphAddEvent##kind##Node)                                                                  \
  (void** node, void* graph, void* const* after, size_t count, void* event) {                                   \
    return add_node(node, graph, after, count, [&](Runtime& r) { return r.event_of(event), EachWork{event}; }); \
  }                                                                                                             \
  CUDA_FUNCTION(cudaGraphEvent##kind##NodeSetEvent)(void* node, void* event) {                                  \
    return change_node(nullptr, node, [&](Runtime& r) -> Work { return r.event_of(event), EachWork{event}; });  \
  }                                                                                                             \
  CUDA_FUNCTION(cudaGraphExecEvent##kind##NodeSetEvent)(void* exec, void* node, void* event) {                  \
    return change_node(&exec, node, [&](Runtime& r) -> Work { return r.event_of(event), EachWork{event}; });    \
  }
EVENT_FUNCTIONS(Record, RecordWork)
EVENT_FUNCTIONS(Wait, WaitWork)
#undef EVENT_FUNCTIONS

CUDA_FUNCTION(cudaGraphAddMemcpyNode1D)
(void** node, void* graph, void* const* after, size_t count, void* to, const void* from, size_t bytes, int kind) {
  return add_node(node, graph, after, count, [&](Runtime&) { return line_copy(to, from, bytes, kind, true); });
}
CUDA_FUNCTION(cudaGraphMemcpyNodeSetParams1D)(void* node, void* to, const void* from, size_t bytes, int kind) {
  return change_node(nullptr, node, [&](Runtime&) -> Work { return line_copy(to, from, bytes, kind, true); });
}
CUDA_FUNCTION(cudaGraphExecMemcpyNodeSetParams1D)
(void* exec, void* node, void* to, const void* from, size_t bytes, int kind) {
  return change_node(&exec, node, [&](Runtime&) -> Work { return line_copy(to, from, bytes, kind, true); });
}
#define SYMBOL_FUNCTIONS(direction, To, From, make)                                                                    \
  CUDA_FUNCTION(cudaGraphAddMemcpyNode##direction)                                                                     \
  (void** node, void* graph, void* const* after, size_t count, To to, From from, size_t bytes, size_t offset,          \
   int kind) {                                                                                                         \
    return add_node(node, graph, after, count,                                                                         \
                    [&](Runtime& r) { return make(r, to, from, bytes, offset, kind, true); });                         \
  }                                                                                                                    \
  CUDA_FUNCTION(cudaGraphMemcpyNodeSetParams##direction)                                                               \
  (void* node, To to, From from, size_t bytes, size_t offset, int kind) {                                              \
    return change_node(nullptr, node,                                                                                  \
                       [&](Runtime& r) -> Work { return make(r, to, from, bytes, offset, kind, true); });              \
  }                                                                                                                    \
  CUDA_FUNCTION(cudaGraphExecMemcpyNodeSetParams##direction)                                                           \
  (void* exec, void* node, To to, From from, size_t bytes, size_t offset, int kind) {                                  \
    return change_node(&exec, node, [&](Runtime& r) -> Work { return make(r, to, from, bytes, offset, kind, true); }); \
  }
SYMBOL_FUNCTIONS(ToSymbol, const void*, const void*, to_symbol)
SYMBOL_FUNCTIONS(FromSymbol, void*, const void*, from_symbol)
#undef SYMBOL_FUNCTIONS

extern "C" Error warptime_graph_add_node_12(void** node, void* graph, void* const* after, size_t count,
                                            AnyNode* parameters) {
  return add_node(node, graph, after, count, [&](Runtime& r) { return work_of(r, *parameters); });
}
extern "C" Error warptime_graph_add_node_13(void** node, void* graph, void* const* after, const EdgeData*, size_t count,
                                            AnyNode* parameters) {
  return warptime_graph_add_node_12(node, graph, after, count, parameters);
}
CUDA_FUNCTION(cudaGraphNodeSetParams)(void* node, AnyNode* parameters) {
  return change_node(nullptr, node, [&](Runtime& r) { return work_of(r, *parameters); });
}
CUDA_FUNCTION(cudaGraphExecNodeSetParams)(void* exec, void* node, AnyNode* parameters) {
  return change_node(&exec, node, [&](Runtime& r) { return work_of(r, *parameters); });
}

CUDA_FUNCTION(cudaGraphKernelNodeGetAttribute)(void* node, int id, void* value) {
  if (!is_known_attribute(id)) return last_error() = Error::InvalidValue;
  return read_node<LaunchWork>(node, [&](Node&, const LaunchWork& work) {
    std::memset(value, 0, sizeof(LaunchAttribute::value));
    if (id == LaunchAttribute::kCooperative) *static_cast<int*>(value) = work.cooperative ? 1 : 0;
  });
}
CUDA_FUNCTION(cudaGraphKernelNodeSetAttribute)(void* node, int id, const void* value) {
  if (!is_known_attribute(id)) return last_error() = Error::InvalidValue;
  return read_node<LaunchWork>(node, [&](Node&, LaunchWork& work) {
    if (id == LaunchAttribute::kCooperative) work.cooperative = *static_cast<const int*>(value) != 0;
  });
}
CUDA_FUNCTION(cudaGraphKernelNodeCopyAttributes)(void* to, void* from) {
  return read_node<LaunchWork>(to, [&](Node&, LaunchWork& work) {
    Node& other = node_of(Runtime::get(), from);
    if (const auto* launch = std::get_if<LaunchWork>(&other.work)) work.cooperative = launch->cooperative;
  });
}

}  // namespace warptime::cuda
