// A work flow graph as text for Graphviz.
#include <fmt/format.h>

#include "analysis/work_flow/work_flow_graph.h"

namespace warptime::analysis {

namespace {

using Kind = WorkFlowNode::Kind;

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') out += "\\n";
    else out += c;
  }
  return out + "\"";
}

std::string_view style_of(Kind kind) {
  switch (kind) {
    case Kind::Entry:
    case Kind::Exit: return "shape=circle, style=filled, fillcolor=\"#eeeeee\"";
    case Kind::Global: return "shape=box, style=filled, fillcolor=\"#f6c1a6\"";
    case Kind::Shared: return "shape=box, style=filled, fillcolor=\"#bcd9f2\"";
    case Kind::Barrier: return "shape=octagon, style=filled, fillcolor=\"#f3e3a0\"";
    case Kind::Compute: return "shape=box, style=rounded";
  }
  return {};
}

std::string label_of(const ptx::Module& module, const ptx::Kernel& kernel, const WorkFlowNode& node) {
  switch (node.kind) {
    case Kind::Entry: return "entry";
    case Kind::Exit: return "exit";
    case Kind::Compute: break;
    case Kind::Global:
    case Kind::Shared:
    case Kind::Barrier:
      return fmt::format("line {}\n{}", kernel.instructions[node.begin].line,
                         ptx::to_text(module, kernel, kernel.instructions[node.begin]));
  }
  const uint32_t count = node.end - node.begin;
  return fmt::format("line {}\n{} instruction{}", kernel.instructions[node.begin].line, count, count == 1 ? "" : "s");
}

}  // namespace

std::string dot_text(const ptx::Module& module, const ptx::Kernel& kernel, const WorkFlowGraph& graph,
                     const std::string& title) {
  std::string out = fmt::format(
      "digraph work_flow {{\n  label={};\n  labelloc=t;\n  node [fontname=\"Helvetica\"];\n  edge "
      "[fontname=\"Helvetica\", "
      "fontsize=10];\n",
      quoted(fmt::format("{}\n{:.1f} cycles of an average warp alone\ntransitions: cycles x share of warps; dashed: "
                         "data dependence, latency; red: critical path",
                         title, graph.cycles())));
  for (size_t n = 0; n < graph.nodes.size(); ++n)
    out += fmt::format("  n{} [label={}, {}{}];\n", n, quoted(label_of(module, kernel, graph.nodes[n])),
                       style_of(graph.nodes[n].kind), graph.nodes[n].critical ? ", color=red, penwidth=2" : "");
  for (const WorkFlowArc& arc : graph.transitions)
    out += fmt::format("  n{} -> n{} [label=\"{:.4g} x {:.4g}\"{}];\n", arc.from, arc.to, arc.cycles, arc.share,
                       arc.critical ? ", color=red, penwidth=2" : "");
  for (const WorkFlowArc& arc : graph.dependences)
    out += fmt::format("  n{} -> n{} [label=\"{:.4g}\", style=dashed, color=gray40, constraint=false];\n", arc.from,
                       arc.to, arc.cycles);
  return out + "}\n";
}

}  // namespace warptime::analysis
