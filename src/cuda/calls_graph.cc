// Graphs as such: their nodes and dependencies, and their execution. What nodes are made of is in calls_graph_nodes.cc.
#include <algorithm>

#include "base/output_file.h"
#include "cuda/graph.h"

namespace warptime::cuda {

Graph& graph_of(Runtime& runtime, void* graph) {
  if (runtime.graph_handles.count(graph) == 0) throw CallError{Error::InvalidValue};
  return *static_cast<Graph*>(graph);
}
Node& node_of(Runtime& runtime, void* node) {
  if (runtime.node_handles.count(node) == 0) throw CallError{Error::InvalidValue};
  return *static_cast<Node*>(node);
}
std::vector<Node*> nodes_of(Runtime& runtime, void* const* nodes, size_t count) {
  if (nodes == nullptr && count > 0) throw CallError{Error::InvalidValue};
  std::vector<Node*> out;
  for (size_t i = 0; i < count; ++i) {
    Node& node = node_of(runtime, nodes[i]);
    if (std::find(out.begin(), out.end(), &node) != out.end()) throw CallError{Error::InvalidValue};
    out.push_back(&node);
  }
  return out;
}
GraphExec& exec_of(Runtime& runtime, const void* exec) {
  auto found = runtime.graph_execs.find(exec);
  if (found == runtime.graph_execs.end()) throw CallError{Error::InvalidValue};
  return *found->second;
}

namespace {

/// Fills in as many as there is room for; without an array only their number.
Error list(const std::vector<void*>& all, void** out, size_t* count) {
  if (count == nullptr) return Error::InvalidValue;
  if (out != nullptr)
    for (size_t i = 0; i < *count; ++i) out[i] = i < all.size() ? all[i] : nullptr;
  *count = out == nullptr ? all.size() : std::min(*count, all.size());
  return Error::Success;
}

template <class Chosen>
Error list_nodes(void* graph, void** out, size_t* count, Chosen chosen) {
  return call([&](Runtime& r) {
    std::vector<void*> all;
    for (const auto& node : graph_of(r, graph).nodes)
      if (chosen(*node)) all.push_back(node.get());
    return list(all, out, count);
  });
}

bool depends(const Node& node, const Node* before) {
  return std::find(node.after.begin(), node.after.end(), before) != node.after.end();
}

Error instantiate(Runtime& r, void** exec, void* graph, unsigned long long flags) {
  *exec = nullptr;
  constexpr unsigned long long kDeviceLaunch = 4, kKnown = 15;
  if ((flags & ~kKnown) != 0) return Error::InvalidValue;
  if ((flags & kDeviceLaunch) != 0) return Error::NotSupported;
  auto made = std::make_unique<GraphExec>(GraphExec{.graph = graph_of(r, graph).clone(), .flags = flags});
  if (made->graph->plan() == nullptr) return Error::InvalidValue;  // a circle
  *exec = made.get();
  r.graph_execs[*exec] = std::move(made);
  return Error::Success;
}

/// The graphs have the same nodes in the same order: the works of one become those of the other.
Error update(Runtime& r, void* exec, void* graph, GraphUpdateResult& result) {
  enum Why : int { kTopology = 2, kKind = 3 };
  result = {};
  Graph &now = *exec_of(r, exec).graph, &from = graph_of(r, graph);
  auto refuse = [&](Why why, Node* node, Node* before) {
    result = {why, node, before};
    return Error::GraphExecUpdateFailure;
  };
  if (now.nodes.size() != from.nodes.size()) return refuse(kTopology, nullptr, nullptr);
  auto number = [](const Graph& in, const Node* node) {
    return std::find_if(in.nodes.begin(), in.nodes.end(), [&](const auto& one) { return one.get() == node; }) -
           in.nodes.begin();
  };
  for (size_t i = 0; i < now.nodes.size(); ++i) {
    Node &old = *now.nodes[i], &fresh = *from.nodes[i];
    if (kind_of(old.work) != kind_of(fresh.work)) return refuse(kKind, &fresh, nullptr);
    if (old.after.size() != fresh.after.size()) return refuse(kTopology, &fresh, nullptr);
    for (size_t k = 0; k < old.after.size(); ++k)
      if (number(now, old.after[k]) != number(from, fresh.after[k])) return refuse(kTopology, &fresh, fresh.after[k]);
  }
  for (size_t i = 0; i < now.nodes.size(); ++i) {
    now.nodes[i]->work = from.nodes[i]->work;
    now.nodes[i]->original = from.nodes[i].get();
    if (auto* child = std::get_if<ChildWork>(&now.nodes[i]->work)) child->graph = child->graph->clone();
  }
  return Error::Success;
}

}  // namespace

CUDA_FUNCTION(cudaGraphCreate)(void** graph, unsigned flags) {
  return call([&](Runtime& r) {
    if (graph == nullptr || flags != 0) return Error::InvalidValue;
    auto made = std::make_shared<Graph>();
    *graph = made.get();
    r.graphs[*graph] = std::move(made);
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaGraphDestroy)(void* graph) {
  return call([&](Runtime& r) { return r.graphs.erase(graph) == 1 ? Error::Success : Error::InvalidValue; });
}
CUDA_FUNCTION(cudaGraphClone)(void** clone, void* graph) {
  return call([&](Runtime& r) {
    std::shared_ptr<Graph> made = graph_of(r, graph).clone();
    *clone = made.get();
    r.graphs[*clone] = std::move(made);
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaGraphNodeFindInClone)(void** node, void* original, void* clone) {
  return call([&](Runtime& r) {
    *node = graph_of(r, clone).made_from(static_cast<const Node*>(original));
    return *node == nullptr ? Error::InvalidValue : Error::Success;
  });
}
CUDA_FUNCTION(cudaGraphGetNodes)(void* graph, void** nodes, size_t* count) {
  return list_nodes(graph, nodes, count, [](const Node&) { return true; });
}
CUDA_FUNCTION(cudaGraphGetRootNodes)(void* graph, void** nodes, size_t* count) {
  return list_nodes(graph, nodes, count, [](const Node& node) { return node.after.empty(); });
}
extern "C" Error warptime_graph_edges(void* graph, void** from, void** to, size_t* count) {
  return call([&](Runtime& r) {
    std::vector<void*> firsts, seconds;
    for (const auto& node : graph_of(r, graph).nodes)
      for (Node* before : node->after) firsts.push_back(before), seconds.push_back(node.get());
    if ((from == nullptr) != (to == nullptr)) return Error::InvalidValue;
    size_t room = *count;
    const Error error = list(firsts, from, count);
    return to == nullptr ? error : list(seconds, to, &room);
  });
}
extern "C" Error warptime_graph_edges_13(void* graph, void** from, void** to, EdgeData* edges, size_t* count) {
  const Error error = warptime_graph_edges(graph, from, to, count);
  if (edges != nullptr && error == Error::Success) std::fill_n(edges, *count, EdgeData{});
  return error;
}
extern "C" Error warptime_graph_before(void* node, void** out, size_t* count) {
  return call([&](Runtime& r) {
    const std::vector<Node*>& after = node_of(r, node).after;
    return list({after.begin(), after.end()}, out, count);
  });
}
extern "C" Error warptime_graph_before_13(void* node, void** out, EdgeData* edges, size_t* count) {
  const Error error = warptime_graph_before(node, out, count);
  if (edges != nullptr && error == Error::Success) std::fill_n(edges, *count, EdgeData{});
  return error;
}
extern "C" Error warptime_graph_after(void* node, void** out, size_t* count) {
  return call([&](Runtime& r) {
    const Node& of = node_of(r, node);
    std::vector<void*> all;
    for (const auto& other : of.graph->nodes)
      if (depends(*other, &of)) all.push_back(other.get());
    return list(all, out, count);
  });
}
extern "C" Error warptime_graph_after_13(void* node, void** out, EdgeData* edges, size_t* count) {
  const Error error = warptime_graph_after(node, out, count);
  if (edges != nullptr && error == Error::Success) std::fill_n(edges, *count, EdgeData{});
  return error;
}
extern "C" Error warptime_graph_depend(void* graph, void* const* from, void* const* to, size_t count) {
  return call([&](Runtime& r) {
    Graph& in = graph_of(r, graph);
    for (size_t i = 0; i < count; ++i) {
      Node &before = node_of(r, from[i]), &node = node_of(r, to[i]);
      if (before.graph != &in || node.graph != &in || &before == &node || depends(node, &before))
        return Error::InvalidValue;
      node.after.push_back(&before);
    }
    in.current_plan.reset();
    return Error::Success;
  });
}
extern "C" Error warptime_graph_depend_13(void* graph, void* const* from, void* const* to, const EdgeData*,
                                          size_t count) {
  return warptime_graph_depend(graph, from, to, count);
}
extern "C" Error warptime_graph_release(void* graph, void* const* from, void* const* to, size_t count) {
  return call([&](Runtime& r) {
    Graph& in = graph_of(r, graph);
    for (size_t i = 0; i < count; ++i) {
      Node& node = node_of(r, to[i]);
      if (node.graph != &in || std::erase(node.after, static_cast<Node*>(from[i])) == 0) return Error::InvalidValue;
    }
    in.current_plan.reset();
    return Error::Success;
  });
}
extern "C" Error warptime_graph_release_13(void* graph, void* const* from, void* const* to, const EdgeData*,
                                           size_t count) {
  return warptime_graph_release(graph, from, to, count);
}
CUDA_FUNCTION(cudaGraphDestroyNode)(void* handle) {
  return call([&](Runtime& r) {
    Node& node = node_of(r, handle);
    Graph& in = *node.graph;
    for (const auto& other : in.nodes) std::erase(other->after, &node);
    std::erase_if(in.nodes, [&](const auto& one) { return one.get() == &node; });
    in.current_plan.reset();
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaGraphNodeGetType)(void* node, int* kind) {
  return call([&](Runtime& r) {
    *kind = static_cast<int>(kind_of(node_of(r, node).work));
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaGraphDebugDotPrint)(void* graph, const char* path, unsigned) {
  return call([&](Runtime& r) {
    OutputFile file(path);
    file.write(dot_of(r, graph_of(r, graph)));
    return file.commit() ? Error::Success : Error::OperatingSystem;
  });
}

CUDA_FUNCTION(cudaGraphInstantiateWithFlags)(void** exec, void* graph, unsigned long long flags) {
  return call([&](Runtime& r) { return instantiate(r, exec, graph, flags); });
}
extern "C" Error warptime_graph_instantiate_11(void** exec, void* graph, void** error_node, char* log, size_t room) {
  if (error_node != nullptr) *error_node = nullptr;
  if (log != nullptr && room > 0) *log = '\0';
  return warptime_cudaGraphInstantiateWithFlags(exec, graph, 0);
}
CUDA_FUNCTION(cudaGraphInstantiateWithParams)(void** exec, void* graph, InstantiateParameters* parameters) {
  const Error error = warptime_cudaGraphInstantiateWithFlags(exec, graph, parameters->flags);
  parameters->error_node = nullptr;
  parameters->result = error == Error::Success ? 0 : 1;  // cudaGraphInstantiateError
  return error;
}
CUDA_FUNCTION(cudaGraphExecGetFlags)(void* exec, unsigned long long* flags) {
  return call([&](Runtime& r) {
    *flags = exec_of(r, exec).flags;
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaGraphExecDestroy)(void* exec) {
  return call([&](Runtime& r) {
    r.give_lanes(std::move(exec_of(r, exec).lanes));
    r.graph_execs.erase(exec);
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaGraphUpload)(void* exec, void* stream) {
  return call([&](Runtime& r) {
    exec_of(r, exec);
    r.stream_of(stream);
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaGraphLaunch)(void* exec, void* stream) {
  return call([&](Runtime& r) {
    GraphExec& launched = exec_of(r, exec);
    // In a capture it becomes a part of that graph.
    if (r.captures.of(r, stream) != nullptr) return submit(r, stream, ChildWork{launched.graph->clone()});
    return launch(r, launched, *launched.graph, r.stream_of(stream));
  });
}
CUDA_FUNCTION(cudaGraphExecUpdate)(void* exec, void* graph, GraphUpdateResult* result) {
  return call([&](Runtime& r) { return update(r, exec, graph, *result); });
}
extern "C" Error warptime_graph_update_11(void* exec, void* graph, void** error_node, int* result) {
  GraphUpdateResult found{};
  const Error error = warptime_cudaGraphExecUpdate(exec, graph, &found);
  if (error_node != nullptr) *error_node = found.node;
  *result = found.result;
  return error;
}
CUDA_FUNCTION(cudaGraphNodeSetEnabled)(void* exec, void* node, unsigned enabled) {
  return call([&](Runtime& r) {
    Node* own = exec_of(r, exec).graph->made_from(static_cast<const Node*>(node));
    if (own == nullptr || kind_of(own->work) > NodeKind::Fill) return Error::InvalidValue;
    own->enabled = enabled != 0;
    return Error::Success;
  });
}
CUDA_FUNCTION(cudaGraphNodeGetEnabled)(void* exec, void* node, unsigned* enabled) {
  return call([&](Runtime& r) {
    const Node* own = exec_of(r, exec).graph->made_from(static_cast<const Node*>(node));
    if (own == nullptr) return Error::InvalidValue;
    *enabled = own->enabled ? 1 : 0;
    return Error::Success;
  });
}

}  // namespace warptime::cuda
