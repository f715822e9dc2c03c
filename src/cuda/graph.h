// Graphs: work with dependencies, as a program builds it or a capture records it, and its execution. A launch goes
// through the nodes level by level; nodes that do not depend on each other are in different streams of the device, so
// that they overlap where the machine can. Left out: conditional nodes, semaphores, launches by device code.
#pragma once

#include <optional>
#include <string>

#include "cuda/work.h"

namespace warptime::cuda {

struct Node {
  Graph* graph = nullptr;
  Work work = EmptyWork{};
  std::vector<Node*> after = {};   // what it depends on
  const Node* original = nullptr;  // in the graph that this one's was made from
  bool enabled = true;
  std::vector<void*> arguments = {};  // cudaGraphKernelNodeGetParams: where each is
  ~Node();
};

/// How a graph is executed.
struct Plan {
  struct Step {
    Node* node = nullptr;
    uint32_t level = 0, lane = 0;    // lane: which of the streams
    std::vector<size_t> waits = {};  // steps of other lanes that it comes after
    bool is_waited_for = false;      // by a step of another lane
  };
  std::vector<Step> steps = {};  // by level
  uint32_t lanes = 1;
};

struct Graph {
  Graph();
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  Node& add(Work work, std::vector<Node*> after);
  /// nullptr if nodes depend on each other in a circle.
  const Plan* plan();
  std::shared_ptr<Graph> clone() const;
  /// The node here that was made from it; nullptr: none.
  Node* made_from(const Node* original) const;

  std::vector<std::unique_ptr<Node>> nodes = {};
  const Graph* original = nullptr;
  std::optional<Plan> current_plan = {};  // until nodes or dependencies change
};

/// An executable graph.
struct GraphExec {
  std::shared_ptr<Graph> graph = {};
  unsigned long long flags = 0;
  std::vector<host::Stream> lanes = {};  // beside the stream that it is launched in
};

/// Does all that the graph has, after what is in the stream; what comes in the stream later waits for it.
Error launch(Runtime& runtime, GraphExec& exec, Graph& graph, host::Stream stream, size_t first_lane = 0);

// What handles of the program stand for. Throw CallError.
Graph& graph_of(Runtime& runtime, void* graph);
Node& node_of(Runtime& runtime, void* node);
std::vector<Node*> nodes_of(Runtime& runtime, void* const* nodes, size_t count);
GraphExec& exec_of(Runtime& runtime, const void* exec);

NodeKind kind_of(const Work& work);
/// The graph as text for Graphviz.
std::string dot_of(Runtime& runtime, const Graph& graph);

}  // namespace warptime::cuda
