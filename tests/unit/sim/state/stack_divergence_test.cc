// Divergence and reconvergence by a stack: which lanes are active at which instruction.
#include <catch2/catch.hpp>
#include <utility>
#include <vector>

#include "sim/state/control_flow.h"

using warptime::ptx::kNoIndex;
using warptime::sim::ControlFlow;

namespace {

constexpr uint32_t kAll = 0xffffffff, kLow = 0x0000ffff, kHigh = 0xffff0000;

ControlFlow at(uint32_t pc, uint32_t lanes = kAll) {
  ControlFlow stack(warptime::sim::Reconvergence::stack);
  stack.start(lanes);
  while (stack.pc() < pc) stack.advance();
  return stack;
}

}  // namespace

TEST_CASE("a branch that all lanes take, or none, does not part them", "[simt]") {
  ControlFlow stack = at(3);
  REQUIRE_FALSE(stack.branch(kAll, 10, 20));
  REQUIRE(stack.pc() == 10);
  REQUIRE_FALSE(stack.branch(0, 3, 20));
  REQUIRE(stack.pc() == 11);
  REQUIRE(stack.active() == kAll);
}

TEST_CASE("if/else: the taken side first, then the other, then all together", "[simt]") {
  // 0: branch to 3 (reconverge at 5);  1, 2: else side, jumps to 5;  3, 4: then side;  5: join
  ControlFlow stack = at(0);
  REQUIRE(stack.branch(kLow, 3, 5));
  REQUIRE((stack.pc() == 3 && stack.active() == kLow));
  stack.advance();
  REQUIRE((stack.pc() == 4 && stack.active() == kLow));
  stack.advance();  // reaches 5: the other side's turn
  REQUIRE((stack.pc() == 1 && stack.active() == kHigh));
  stack.advance();
  REQUIRE_FALSE(stack.branch(kHigh, 5, 5));
  REQUIRE((stack.pc() == 5 && stack.active() == kAll));
}

TEST_CASE("if without else: lanes that skip wait at the reconvergence point", "[simt]") {
  ControlFlow stack = at(0);
  REQUIRE(stack.branch(kLow, 2, 2));  // kLow jumps over instruction 1
  REQUIRE((stack.pc() == 1 && stack.active() == kHigh));
  stack.advance();
  REQUIRE((stack.pc() == 2 && stack.active() == kAll));
}

TEST_CASE("nested branches reconverge from the inside out", "[simt]") {
  ControlFlow stack = at(0);
  REQUIRE(stack.branch(kLow, 5, 9));    // outer join 9
  REQUIRE(stack.branch(0x00ff, 7, 8));  // inner join 8
  REQUIRE((stack.pc() == 7 && stack.active() == 0x00ff));
  stack.advance();
  REQUIRE((stack.pc() == 6 && stack.active() == 0xff00));
  stack.advance();
  stack.advance();
  REQUIRE((stack.pc() == 8 && stack.active() == kLow));
  stack.advance();
  REQUIRE((stack.pc() == 1 && stack.active() == kHigh));
}

TEST_CASE("a loop that lanes leave one by one keeps a flat stack and joins them all", "[simt]") {
  // 0: body; 1: branch back to 0 for lanes that go on, reconverge at 2. More iterations than the stack is deep.
  ControlFlow stack = at(0);
  uint32_t staying = kAll;
  for (int lane = 0; lane < 32; ++lane) {
    REQUIRE(stack.pc() == 0);
    REQUIRE(stack.active() == staying);
    stack.advance();
    staying &= staying - 1;
    stack.branch(staying, 0, 2);
  }
  REQUIRE((stack.pc() == 2 && stack.active() == kAll));
}

TEST_CASE("lanes that exit early are not waited for", "[simt]") {
  ControlFlow stack = at(0);
  REQUIRE(stack.branch(kLow, 5, 9));
  stack.exit(kLow);
  REQUIRE((stack.pc() == 1 && stack.active() == kHigh && stack.live() == kHigh));
  REQUIRE_FALSE(stack.branch(kHigh, 9, 9));
  REQUIRE((stack.pc() == 9 && stack.active() == kHigh));
  stack.exit(kHigh);
  REQUIRE(stack.done());
}

TEST_CASE("a guarded exit lets the other lanes go on behind it", "[simt]") {
  ControlFlow stack = at(4);
  stack.exit(0xf);
  REQUIRE((stack.pc() == 5 && stack.active() == (kAll & ~0xfu) && !stack.done()));
}

TEST_CASE("sides that never meet run one after the other to their ends", "[simt]") {
  ControlFlow stack = at(0);
  REQUIRE(stack.branch(kLow, 5, kNoIndex));
  REQUIRE((stack.pc() == 5 && stack.active() == kLow));
  stack.exit(kLow);
  REQUIRE((stack.pc() == 1 && stack.active() == kHigh));
}

TEST_CASE("a partial warp never activates lanes it does not have", "[simt]") {
  ControlFlow stack = at(0, 0x7);
  REQUIRE(stack.branch(0x3, 4, 6));
  stack.advance();
  stack.advance();
  REQUIRE((stack.pc() == 1 && stack.active() == 0x4));
}

TEST_CASE("a call goes on behind itself when its lanes have returned", "[simt]") {
  ControlFlow stack = at(3);
  stack.call(kAll, 20);
  REQUIRE((stack.pc() == 20 && stack.active() == kAll && stack.caller() == 3));
  stack.advance();
  stack.ret(kAll);
  REQUIRE((stack.pc() == 4 && stack.active() == kAll));
}

TEST_CASE("lanes that do not call wait for those that do", "[simt]") {
  ControlFlow stack = at(0);
  stack.call(kLow, 20);
  REQUIRE((stack.pc() == 20 && stack.active() == kLow));
  stack.ret(kLow);
  REQUIRE((stack.pc() == 1 && stack.active() == kAll));
}

TEST_CASE("lanes that return at different places meet at the caller", "[simt]") {
  ControlFlow stack = at(0);
  stack.call(kAll, 20);
  REQUIRE(stack.branch(kLow, 30, kNoIndex));  // the sides return on their own
  stack.ret(kLow);
  REQUIRE((stack.pc() == 21 && stack.active() == kHigh));
  stack.ret(0xff000000);  // under a guard
  REQUIRE((stack.pc() == 22 && stack.active() == 0x00ff0000));
  stack.ret(0x00ff0000);
  REQUIRE((stack.pc() == 1 && stack.active() == kAll));
}

TEST_CASE("a lane that has returned does not come back where its side meets the other", "[simt]") {
  ControlFlow stack = at(0);
  stack.call(kAll, 20);
  REQUIRE(stack.branch(kLow, 25, 30));
  stack.ret(0xff);
  REQUIRE((stack.pc() == 26 && stack.active() == 0xff00));
  REQUIRE_FALSE(stack.branch(0xff00, 30, 30));
  REQUIRE((stack.pc() == 21 && stack.active() == kHigh));
  REQUIRE_FALSE(stack.branch(kHigh, 30, 30));
  REQUIRE((stack.pc() == 30 && stack.active() == (kAll & ~0xffu)));
  stack.ret(kAll & ~0xffu);
  REQUIRE((stack.pc() == 1 && stack.active() == kAll));
}

TEST_CASE("a call at the end of a side comes back into the join", "[simt]") {
  ControlFlow stack = at(0);
  REQUIRE(stack.branch(kLow, 5, 6));
  stack.call(kLow, 20);  // at 5, whose next instruction is the join
  stack.ret(kLow);
  REQUIRE((stack.pc() == 1 && stack.active() == kHigh));
  REQUIRE_FALSE(stack.branch(kHigh, 6, 6));
  REQUIRE((stack.pc() == 6 && stack.active() == kAll));
}

TEST_CASE("lanes that end inside a function are gone at the caller", "[simt]") {
  ControlFlow stack = at(0);
  stack.call(kAll, 20);
  stack.call(kAll, 40);
  stack.exit(kLow);
  REQUIRE((stack.pc() == 41 && stack.active() == kHigh));
  stack.ret(kHigh);
  REQUIRE((stack.pc() == 21 && stack.active() == kHigh));
  stack.exit(kHigh);
  REQUIRE(stack.done());
}

TEST_CASE("all lanes of a call may end while others wait at the caller", "[simt]") {
  ControlFlow stack = at(0);
  stack.call(kLow, 20);
  stack.exit(kLow);
  REQUIRE((stack.pc() == 1 && stack.active() == kHigh && stack.live() == kHigh));
}

TEST_CASE("lanes that call different functions go in turn and meet behind the call", "[simt]") {
  ControlFlow stack = at(3);
  stack.call(0xf, 20, 0xf0);  // the others of the warp do not call
  REQUIRE((stack.pc() == 20 && stack.active() == 0xf && stack.caller() == 3));
  stack.ret(0xf);
  REQUIRE((stack.pc() == 3 && stack.active() == 0xf0 && stack.calls() == 0));
  stack.call(0x70, 30, 0x80);
  stack.ret(0x70);
  REQUIRE((stack.pc() == 3 && stack.active() == 0x80));
  stack.call(0x80, 20);
  REQUIRE(stack.calls() == 1);
  stack.exit(0x80);
  REQUIRE((stack.pc() == 4 && stack.active() == (kAll & ~0x80u)));
}

TEST_CASE("calls in turn at the end of a side come back into the join", "[simt]") {
  ControlFlow stack = at(0);
  REQUIRE(stack.branch(kLow, 5, 6));
  stack.call(0xff, 20, 0xff00);  // at 5, whose next instruction is the join
  stack.ret(0xff);
  REQUIRE((stack.pc() == 5 && stack.active() == 0xff00));
  stack.call(0xff00, 30);
  stack.ret(0xff00);
  REQUIRE((stack.pc() == 1 && stack.active() == kHigh));
  REQUIRE_FALSE(stack.branch(kHigh, 6, 6));
  REQUIRE((stack.pc() == 6 && stack.active() == kAll));
}

TEST_CASE("calls may nest much deeper than the calls of a program without recursion", "[simt]") {
  ControlFlow stack = at(0);
  for (uint32_t depth = 0; depth < 3000; ++depth) stack.call(depth < 1500 ? kAll : kLow, 100 + depth);
  REQUIRE((stack.pc() == 3099 && stack.active() == kLow && stack.calls() == 3000));
  for (uint32_t depth = 0; depth < 1500; ++depth) stack.ret(kLow);
  REQUIRE((stack.pc() == 1600 && stack.active() == kAll));
  for (uint32_t depth = 0; depth < 1500; ++depth) stack.ret(kAll);
  REQUIRE((stack.pc() == 1 && stack.active() == kAll && stack.calls() == 0));
}

TEST_CASE("the deepest calls, each with a branch that parts off one lane, fit", "[simt]") {
  ControlFlow stack = at(0);
  uint32_t active = kAll;
  for (uint32_t depth = 0; depth < warptime::ptx::kMaxCallDepth; ++depth) {
    stack.call(active, 100 * (depth + 1));
    if (depth == 31) break;
    REQUIRE(stack.branch(active & (active - 1), 100 * (depth + 1) + 20, 100 * (depth + 1) + 30));
    active &= active - 1;
  }
  REQUIRE(stack.active() == 0x80000000);
  stack.ret(active);
  REQUIRE((stack.pc() == 3121 && stack.active() == 0x80000000));
}

TEST_CASE("where lanes go on that do not execute, also at callers", "[simt]") {
  ControlFlow stack = at(0);
  stack.branch(kLow, 10, 30);    // the others wait at 1
  stack.branch(0x00ff, 20, 25);  // 0xff00 at 11
  stack.call(0x00ff, 40);
  stack.ret(0x000f);  // they wait behind the call, at 21
  std::vector<std::pair<uint32_t, uint32_t>> places;
  stack.for_each_place([&](uint32_t pc, uint32_t lanes) { places.emplace_back(pc, lanes); });
  CHECK(stack.active() == 0x00f0);
  CHECK(places == std::vector<std::pair<uint32_t, uint32_t>>{{21, 0x000f}, {11, 0xff00}, {1, kHigh}});
}

TEST_CASE("an indexed branch: sides in the order of their first lanes, then the join", "[simt]") {
  ControlFlow stack = at(0);
  std::array<uint32_t, 32> targets{};
  for (uint32_t lane = 0; lane < 32; ++lane) targets[lane] = lane % 4 == 0 ? 30 : 10 * (lane % 4);  // 30, 10, 20, 30
  REQUIRE(stack.branch(kAll & ~0x80000000u, targets, 40));                                          // lane 31 goes on
  REQUIRE((stack.pc() == 30 && stack.active() == 0x19999999));
  REQUIRE_FALSE(stack.branch(stack.active(), 40, 40));
  REQUIRE((stack.pc() == 10 && stack.active() == 0x22222222));
  REQUIRE_FALSE(stack.branch(stack.active(), 40, 40));
  REQUIRE((stack.pc() == 20 && stack.active() == 0x44444444));
  REQUIRE_FALSE(stack.branch(stack.active(), 40, 40));
  REQUIRE((stack.pc() == 1 && stack.active() == 0x80000000));
  REQUIRE_FALSE(stack.branch(stack.active(), 40, 40));
  REQUIRE((stack.pc() == 40 && stack.active() == kAll));
}

TEST_CASE("an indexed branch to one label, or to the join itself, parts nobody who need not part", "[simt]") {
  ControlFlow stack = at(0);
  std::array<uint32_t, 32> targets{};
  targets.fill(7);
  REQUIRE_FALSE(stack.branch(kAll, targets, 9));
  REQUIRE((stack.pc() == 7 && stack.active() == kAll));
  targets[0] = 9;  // waits there
  REQUIRE(stack.branch(kAll, targets, 9));
  REQUIRE((stack.pc() == 7 && stack.active() == (kAll & ~1u)));
  REQUIRE_FALSE(stack.branch(0, targets, 9));  // the others under a guard
  REQUIRE(stack.pc() == 8);
}

TEST_CASE("an indexed branch to 32 places runs each lane alone", "[simt]") {
  ControlFlow stack = at(0);
  std::array<uint32_t, 32> targets{};
  for (uint32_t lane = 0; lane < 32; ++lane) targets[lane] = 10 + lane;
  REQUIRE(stack.branch(kAll, targets, kNoIndex));
  for (uint32_t lane = 0; lane < 32; ++lane) {
    REQUIRE((stack.pc() == 10 + lane && stack.active() == 1u << lane));
    stack.exit(1u << lane);
  }
  REQUIRE(stack.done());
}
