// The work flow graph of a kernel (Baghsorkhi et al. 2010; the book's 4.2.2): what an average warp executes, as nodes
// of accesses, barriers and runs of other instructions, with the transitions between them. An arc has the cycles of its
// source, of one warp alone on this machine, waits for operands included, and the share of warps that take it: their
// products sum to the warp's time. Arcs of data dependence go from loads to the first use of what they load.
#pragma once

#include <string>
#include <vector>

#include "analysis/mwp_cwp/model_inputs.h"

namespace warptime::analysis {

struct WorkFlowNode {
  enum class Kind : uint8_t { Entry, Exit, Global, Shared, Barrier, Compute };
  Kind kind = Kind::Compute;
  uint32_t begin = 0, end = 0;  // instructions [begin, end)
  double executions = 0;        // per warp
  double cycles = 0;            // of an execution
  bool critical = false;        // on the path through the graph that takes most cycles
};

struct WorkFlowArc {
  uint32_t from = 0, to = 0;  // nodes
  double cycles = 0;          // of the source
  double share = 0;           // executions per warp that go this way; of a loop more than 1
  bool critical = false;
};

struct WorkFlowGraph {
  std::vector<WorkFlowNode> nodes;  // the entry first, the exit last, others in the order of the program
  std::vector<WorkFlowArc> transitions;
  std::vector<WorkFlowArc> dependences;  // cycles: latency of the load; share: of the load's executions

  /// Cycles of an average warp alone: of all transitions.
  double cycles() const;
};

WorkFlowGraph work_flow_graph(const ptx::Kernel& kernel, const ModelProgram& program, double warps);

/// In Graphviz' language. `title`: above the graph.
std::string dot_text(const ptx::Module& module, const ptx::Kernel& kernel, const WorkFlowGraph& graph,
                     const std::string& title);

}  // namespace warptime::analysis
