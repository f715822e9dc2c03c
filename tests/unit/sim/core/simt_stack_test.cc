// Divergence and reconvergence on the stack alone: which lanes are active at which instruction.
#include "sim/core/simt_stack.h"

#include <catch2/catch.hpp>

using warptime::ptx::kNoIndex;
using warptime::sim::SimtStack;

namespace {

constexpr uint32_t kAll = 0xffffffff, kLow = 0x0000ffff, kHigh = 0xffff0000;

SimtStack at(uint32_t pc, uint32_t lanes = kAll) {
  SimtStack stack;
  stack.start(lanes);
  while (stack.pc() < pc) stack.advance();
  return stack;
}

}  // namespace

TEST_CASE("a branch that all lanes take, or none, does not part them", "[simt]") {
  SimtStack stack = at(3);
  REQUIRE_FALSE(stack.branch(kAll, 10, 20));
  REQUIRE(stack.pc() == 10);
  REQUIRE_FALSE(stack.branch(0, 3, 20));
  REQUIRE(stack.pc() == 11);
  REQUIRE(stack.active() == kAll);
}

TEST_CASE("if/else: the taken side first, then the other, then all together", "[simt]") {
  // 0: branch to 3 (reconverge at 5);  1, 2: else side, jumps to 5;  3, 4: then side;  5: join
  SimtStack stack = at(0);
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
  SimtStack stack = at(0);
  REQUIRE(stack.branch(kLow, 2, 2));  // kLow jumps over instruction 1
  REQUIRE((stack.pc() == 1 && stack.active() == kHigh));
  stack.advance();
  REQUIRE((stack.pc() == 2 && stack.active() == kAll));
}

TEST_CASE("nested branches reconverge from the inside out", "[simt]") {
  SimtStack stack = at(0);
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
  SimtStack stack = at(0);
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
  SimtStack stack = at(0);
  REQUIRE(stack.branch(kLow, 5, 9));
  stack.exit(kLow);
  REQUIRE((stack.pc() == 1 && stack.active() == kHigh && stack.live() == kHigh));
  REQUIRE_FALSE(stack.branch(kHigh, 9, 9));
  REQUIRE((stack.pc() == 9 && stack.active() == kHigh));
  stack.exit(kHigh);
  REQUIRE(stack.done());
}

TEST_CASE("a guarded exit lets the other lanes go on behind it", "[simt]") {
  SimtStack stack = at(4);
  stack.exit(0xf);
  REQUIRE((stack.pc() == 5 && stack.active() == (kAll & ~0xfu) && !stack.done()));
}

TEST_CASE("sides that never meet run one after the other to their ends", "[simt]") {
  SimtStack stack = at(0);
  REQUIRE(stack.branch(kLow, 5, kNoIndex));
  REQUIRE((stack.pc() == 5 && stack.active() == kLow));
  stack.exit(kLow);
  REQUIRE((stack.pc() == 1 && stack.active() == kHigh));
}

TEST_CASE("a partial warp never activates lanes it does not have", "[simt]") {
  SimtStack stack = at(0, 0x7);
  REQUIRE(stack.branch(0x3, 4, 6));
  stack.advance();
  stack.advance();
  REQUIRE((stack.pc() == 1 && stack.active() == 0x4));
}
