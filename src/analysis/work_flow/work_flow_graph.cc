#include "analysis/work_flow/work_flow_graph.h"

#include <algorithm>
#include <map>

namespace warptime::analysis {

namespace {

using Kind = WorkFlowNode::Kind;

Kind kind_of(Work work) {
  if (is_global(work)) return Kind::Global;
  if (work == Work::Shared) return Kind::Shared;
  return work == Work::Barrier ? Kind::Barrier : Kind::Compute;
}

class GraphBuilder {
 public:
  GraphBuilder(const ptx::Kernel& kernel, const ModelProgram& program, double warps)
      : kernel_(kernel), program_(program), warps_(warps) {}

  WorkFlowGraph run() {
    graph_.nodes.push_back({.kind = Kind::Entry, .executions = 1});
    for (uint32_t b = 0; b < program_.blocks.size(); ++b) add_block(b);
    exit_ = static_cast<uint32_t>(graph_.nodes.size());
    graph_.nodes.push_back({.kind = Kind::Exit, .executions = 1});
    add_transitions();
    add_dependences();
    mark_critical_path();
    return std::move(graph_);
  }

 private:
  void add_block(uint32_t b) {
    const CodeBlock& block = program_.blocks[b];
    if (block.executions == 0 || block.begin == block.end) return;
    first_[b] = static_cast<uint32_t>(graph_.nodes.size());
    for (uint32_t i = block.begin; i < block.end; ++i) {
      const Kind kind = kind_of(program_.costs[i].work);
      const bool goes_on = i != block.begin && kind == Kind::Compute && graph_.nodes.back().kind == Kind::Compute;
      if (!goes_on) graph_.nodes.push_back({kind, i, i, block.executions / warps_, 0, false});
      graph_.nodes.back().end = i + 1;
      graph_.nodes.back().cycles += program_.path.cycles[i];
    }
    last_[b] = static_cast<uint32_t>(graph_.nodes.size()) - 1;
  }

  void add_arc(uint32_t from, uint32_t to, double share) {
    if (share > 0) graph_.transitions.push_back({from, to, graph_.nodes[from].cycles, share, false});
  }

  void add_transitions() {
    const std::vector<std::vector<double>> counts = transitions(program_.blocks);
    if (first_.empty()) return add_arc(0, exit_, 1);
    add_arc(0, first_.begin()->second, 1);
    for (const auto& [b, first] : first_) {
      for (uint32_t node = first; node < last_[b]; ++node) add_arc(node, node + 1, graph_.nodes[node].executions);
      const CodeBlock& block = program_.blocks[b];
      double leaving = block.executions;
      for (size_t s = 0; s < block.successors.size(); ++s) {
        auto to = block.successors[s] == CodeBlock::kEnd ? first_.end() : first_.find(block.successors[s]);
        if (to == first_.end()) continue;
        add_arc(last_[b], to->second, counts[b][s] / warps_);
        leaving -= counts[b][s];
      }
      // What ends here, and what goes to blocks without instructions.
      if (leaving > 1e-9 * block.executions) add_arc(last_[b], exit_, leaving / warps_);
    }
  }

  uint32_t node_of(uint32_t instruction) const {
    auto holds = [&](const WorkFlowNode& node) { return node.begin <= instruction && instruction < node.end; };
    return static_cast<uint32_t>(std::find_if(graph_.nodes.begin(), graph_.nodes.end(), holds) - graph_.nodes.begin());
  }

  void add_dependences() {
    for (const LoadUse& pair : first_uses(kernel_, program_.blocks, program_.costs)) {
      const uint32_t from = node_of(pair.load), to = node_of(pair.use);
      graph_.dependences.push_back({from, to, program_.latencies[pair.load], graph_.nodes[from].executions, false});
    }
  }

  /// Among paths that only go forward in the program, so that each loop is walked once with all of its cycles.
  void mark_critical_path() {
    std::vector<double> cycles(graph_.nodes.size(), -1);
    std::vector<size_t> arrived_by(graph_.nodes.size(), graph_.transitions.size());
    cycles[0] = 0;
    std::vector<size_t> order(graph_.transitions.size());
    for (size_t a = 0; a < order.size(); ++a) order[a] = a;
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return graph_.transitions[a].from < graph_.transitions[b].from; });
    for (size_t a : order) {
      const WorkFlowArc& arc = graph_.transitions[a];
      if (arc.to <= arc.from || cycles[arc.from] < 0) continue;
      const double through = cycles[arc.from] + graph_.nodes[arc.from].cycles * graph_.nodes[arc.from].executions;
      if (through <= cycles[arc.to]) continue;
      cycles[arc.to] = through;
      arrived_by[arc.to] = a;
    }
    uint32_t node = exit_;
    while (arrived_by[node] < graph_.transitions.size()) {
      graph_.nodes[node].critical = true;
      graph_.transitions[arrived_by[node]].critical = true;
      node = graph_.transitions[arrived_by[node]].from;
    }
    graph_.nodes[node].critical = true;
  }

  const ptx::Kernel& kernel_;
  const ModelProgram& program_;
  double warps_;
  WorkFlowGraph graph_;
  uint32_t exit_ = 0;
  std::map<uint32_t, uint32_t> first_, last_;  // nodes of executed blocks
};

}  // namespace

double WorkFlowGraph::cycles() const {
  double sum = 0;
  for (const WorkFlowArc& arc : transitions) sum += arc.cycles * arc.share;
  return sum;
}

WorkFlowGraph work_flow_graph(const ptx::Kernel& kernel, const ModelProgram& program, double warps) {
  return GraphBuilder(kernel, program, warps).run();
}

}  // namespace warptime::analysis
