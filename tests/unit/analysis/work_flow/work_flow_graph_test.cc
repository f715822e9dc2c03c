// Work flow graphs: their nodes, and that the arcs' weights sum to the time of an average warp.
#include "analysis/work_flow/work_flow_graph.h"

#include "../counted_kernel.h"

using namespace warptime;
using namespace warptime::analysis;
using Kind = WorkFlowNode::Kind;

namespace {

struct Drawn {
  ModelProgram program;
  WorkFlowGraph graph;
  explicit Drawn(const test::CountedKernel& k, double warps = 1) {
    program.blocks = k.blocks();
    program.costs = k.costs();
    for (const InstructionCost& cost : program.costs)
      program.latencies.push_back(is_global(cost.work) ? 400 : cost.latency);
    program.path =
        in_order_path(k.kernel(), program.blocks, program.costs, [&](uint32_t i) { return program.latencies[i]; });
    graph = work_flow_graph(k.kernel(), program, warps);
  }
};

}  // namespace

TEST_CASE("work flow graph: accesses are nodes of their own, other instructions blocks of several") {
  const Drawn drawn(test::straight_kernel());
  std::vector<Kind> kinds;
  for (const WorkFlowNode& node : drawn.graph.nodes) kinds.push_back(node.kind);
  CHECK(kinds == std::vector<Kind>{Kind::Entry, Kind::Compute, Kind::Global, Kind::Global, Kind::Compute, Kind::Global,
                                   Kind::Compute, Kind::Exit});
  CHECK(drawn.graph.nodes[4].end - drawn.graph.nodes[4].begin == 2);
  CHECK(drawn.graph.nodes[4].cycles == 420);  // the sum waits 400, the product 20
  REQUIRE(drawn.graph.dependences.size() == 2);
  CHECK(drawn.graph.dependences[0].from == 2);
  CHECK(drawn.graph.dependences[0].to == 4);
  CHECK(drawn.graph.dependences[0].cycles == 400);
  for (const WorkFlowNode& node : drawn.graph.nodes) CHECK(node.critical);  // there is one path only
}

TEST_CASE("work flow graph: cycles times shares sum to the warp's time") {
  for (double warps : {1.0, 4.0}) {
    const test::CountedKernel k = test::loop_kernel();
    const Drawn drawn(k, warps);
    CHECK(drawn.graph.cycles() == Approx(cycles_per_warp(drawn.program.path, drawn.program.blocks, warps)));
    CHECK(drawn.graph.cycles() > 1160 / warps);
  }
}

TEST_CASE("work flow graph: the critical path takes the longer way") {
  test::CountedKernel k(R"(setp.lt.u32 %p1, %r1, 10;
@%p1 bra long;
add.f32 %f1, %f1, %f1;
bra done;
long:
ld.global.f32 %f2, [%rd1];
add.f32 %f1, %f2, %f2;
done:
st.global.f32 [%rd1], %f1;
ret;)",
                        {100, 100, 50, 50, 50, 50, 100, 100});
  const Drawn drawn(k, 100);
  for (const WorkFlowNode& node : drawn.graph.nodes) {
    if (node.begin == 2 && node.end == 4) CHECK_FALSE(node.critical);
    if (node.kind == Kind::Global && node.begin == 4) CHECK(node.critical);
  }
  CHECK(drawn.graph.cycles() == Approx(cycles_per_warp(drawn.program.path, drawn.program.blocks, 100)));
}

TEST_CASE("work flow graph: Graphviz' text names every node and arc") {
  const test::CountedKernel k = test::straight_kernel();
  const Drawn drawn(k);
  const std::string text = dot_text(*k.module, k.kernel(), drawn.graph, "a \"kernel\"");
  CHECK(text.starts_with("digraph work_flow {\n  label=\"a \\\"kernel\\\"\\n"));
  CHECK(text.ends_with("}\n"));
  size_t arcs = 0;
  for (size_t at = 0; (at = text.find(" -> ", at)) != std::string::npos; ++at) ++arcs;
  CHECK(arcs == drawn.graph.transitions.size() + drawn.graph.dependences.size());
  CHECK(text.find("ld.global.f32 %f1, [%rd1];") != std::string::npos);
}
