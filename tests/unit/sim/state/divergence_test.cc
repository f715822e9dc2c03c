// Whatever the policy, each lane takes its own way through a generated program, as if it were alone.
#include <catch2/catch.hpp>

#include "base/random.h"
#include "sim/state/control_flow.h"

using namespace warptime;
using namespace warptime::sim;

namespace {

enum class Kind : uint8_t { Plain, Branch, Back, Indexed, Call, Ret, Exit };

struct Op {
  explicit Op(Kind of, bool under_guard = false, uint32_t to = 0) : kind(of), guarded(under_guard), target(to) {}
  Kind kind;
  bool guarded;
  uint32_t target, join = ptx::kNoIndex;
};

using Trace = std::vector<uint32_t>;

struct Program {
  std::vector<Op> ops;
  uint64_t seed;
  SplitMix64 random{seed};

  explicit Program(uint64_t number) : seed(number) {
    const uint32_t to_main = add(Op(Kind::Branch));
    const uint32_t function = size();
    statements(2, false);
    add(Op(Kind::Ret));
    ops[to_main].target = size();
    statements(3, true);
    add(Op(Kind::Exit));
    for (Op& op : ops)
      if (op.kind == Kind::Call) op.target = function;
  }
  uint32_t size() const { return static_cast<uint32_t>(ops.size()); }
  uint32_t add(Op op) {
    ops.push_back(op);
    return size() - 1;
  }
  void join_here(uint32_t branch) { ops[branch].join = size(); }

  void statements(uint32_t depth, bool calls) {
    for (uint64_t count = 1 + random.below(4); count-- > 0;) statement(depth, calls);
  }
  void statement(uint32_t depth, bool calls) {
    const auto kind = depth == 0 ? Kind::Plain : static_cast<Kind>(random.below(7));
    if (kind == Kind::Branch || kind == Kind::Indexed) {  // two or three ways; the first ones jump over the last
      const uint32_t branch = add(Op(kind, true));
      statements(depth - 1, calls);
      const uint32_t over = add(Op(Kind::Branch));
      ops[branch].target = size();
      if (random.below(3) != 0) statements(depth - 1, calls);
      ops[over].target = ops[over].join = size();
      join_here(branch);
    } else if (kind == Kind::Back) {
      const uint32_t first = size();
      statements(depth - 1, calls);
      const uint32_t branch = add(Op(Kind::Back, true, first));
      join_here(branch);
    } else if (kind == Kind::Ret ? !calls : kind != Kind::Call || calls) {
      add(Op(kind, true));
    }
  }

  /// What decides for the lane at its `times`-th visit.
  bool taken(uint32_t pc, uint32_t lane, uint32_t times) const {
    const Op& op = ops[pc];
    if (!op.guarded) return true;
    const uint64_t number =
        SplitMix64(seed * 1000003 + pc * 4099 + lane * 67 + (op.kind == Kind::Back ? 0 : times)).below(4);
    return op.kind == Kind::Back ? times < number : number % 2 == 0 && (op.kind != Kind::Exit || number == 0);
  }
  /// The trace of one lane alone.
  Trace alone(uint32_t lane) const {
    Trace trace, callers, visits(size());
    for (uint32_t pc = 0;;) {
      const Op& op = ops[pc];
      trace.push_back(pc);
      const bool takes = taken(pc, lane, visits[pc]++);
      if (takes && op.kind == Kind::Exit) return trace;
      if (takes && op.kind == Kind::Call) callers.push_back(pc);
      if (takes && op.kind == Kind::Ret) {
        pc = callers.back() + 1;
        callers.pop_back();
      } else {
        pc = takes && op.kind != Kind::Plain ? op.target : pc + 1;
      }
    }
  }
};

void step(ControlFlow& flow, const Op& op, uint32_t lanes) {
  std::array<uint32_t, 32> targets{};
  switch (op.kind) {
    case Kind::Plain: return flow.advance();
    case Kind::Branch:
    case Kind::Back: flow.branch(lanes, op.target, op.join); return;
    case Kind::Indexed:
      targets.fill(op.target);
      flow.branch(lanes, targets, op.join);
      return;
    case Kind::Call: return lanes == 0 ? flow.advance() : flow.call(lanes, op.target);
    case Kind::Ret: return lanes == 0 ? flow.advance() : flow.ret(lanes);
    case Kind::Exit: return lanes == 0 ? flow.advance() : flow.exit(lanes);
  }
}

std::vector<Trace> together(const Program& program, Reconvergence policy) {
  std::vector<Trace> traces(32), visits(32, Trace(program.size()));
  ControlFlow flow(policy);
  flow.start(0xffffffff);
  for (int steps = 0; !flow.done() && steps < 100'000; ++steps) {
    const uint32_t pc = flow.pc();
    uint32_t lanes = 0;
    for (uint32_t lane = 0; lane < 32; ++lane) {
      if (((flow.active() >> lane) & 1) == 0) continue;
      traces[lane].push_back(pc);
      lanes |= uint32_t{program.taken(pc, lane, visits[lane][pc]++)} << lane;
    }
    step(flow, program.ops[pc], lanes);
  }
  return traces;
}

}  // namespace

TEST_CASE("by every policy each lane goes its own way through generated programs", "[divergence]") {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    const Program program(seed);
    std::vector<Trace> expected(32);
    for (uint32_t lane = 0; lane < 32; ++lane) expected[lane] = program.alone(lane);
    INFO("program " << seed);
    for (const Reconvergence policy : {Reconvergence::stack, Reconvergence::independent})
      REQUIRE(together(program, policy) == expected);
  }
}
