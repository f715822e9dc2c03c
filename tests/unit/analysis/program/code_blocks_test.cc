// Executions of basic blocks, and of the transitions between them.
#include "analysis/program/code_blocks.h"

#include "../counted_kernel.h"

using namespace warptime;
using namespace warptime::analysis;

TEST_CASE("code blocks: executions, lanes, and where most of them come from") {
  test::CountedKernel k = test::loop_kernel();
  for (size_t i = 2; i < 9; ++i) k.rows[i].thread_instructions = 160;  // 16 lanes
  const std::vector<CodeBlock> blocks = k.blocks();
  REQUIRE(blocks.size() == 3);
  CHECK(blocks[0].executions == 1);
  CHECK(blocks[1].executions == 10);
  CHECK(blocks[1].lanes == 16);
  CHECK(blocks[0].lanes == 32);
  CHECK(blocks[1].predecessor == 1);  // itself
  CHECK(blocks[0].predecessor == ptx::kNoIndex);
}

TEST_CASE("code blocks: transitions agree with both ends") {
  const uint32_t end = CodeBlock::kEnd;
  SECTION("a loop is left once") {
    const auto counts = transitions({{0, 2, {1}, 1, 32}, {2, 9, {1, 2}, 10, 32}, {9, 11, {end}, 1, 32}});
    CHECK(counts[0][0] == Approx(1));
    CHECK(counts[1][0] == Approx(9));
    CHECK(counts[1][1] == Approx(1));
    CHECK(counts[2][0] == Approx(1));
  }
  SECTION("an if without else is skipped by the rest") {
    const auto counts = transitions({{0, 2, {1, 2}, 100, 32}, {2, 3, {2}, 30, 32}, {3, 4, {end}, 100, 32}});
    CHECK(counts[0][0] == Approx(30).margin(0.5));
    CHECK(counts[0][1] == Approx(70).margin(0.5));
  }
  SECTION("a block that nobody executed") {
    const auto counts = transitions({{0, 2, {1, 2}, 5, 32}, {2, 3, {2}, 0, 32}, {3, 4, {end}, 5, 32}});
    CHECK(counts[0][0] == 0);
    CHECK(counts[0][1] == Approx(5));
    CHECK(counts[1][0] == 0);
  }
}
