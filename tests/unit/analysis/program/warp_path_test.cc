// The paths of an average warp through the dependence graph, worked out by hand. A G80's cycles: an instruction holds
// the scheduler for 2, a branch for 4 or 8 until the next; integer results take 22, floating-point ones 20.
#include "analysis/program/warp_path.h"

#include "../counted_kernel.h"

using namespace warptime;
using namespace warptime::analysis;
using warptime::test::CountedKernel;

namespace {

double load_takes(const std::vector<InstructionCost>& costs, uint32_t i, double cycles) {
  return is_global(costs[i].work) ? cycles : costs[i].latency;
}

}  // namespace

TEST_CASE("warp path: in order, an instruction waits for its operands") {
  const CountedKernel k = test::straight_kernel();
  const auto blocks = k.blocks();
  const auto costs = k.costs();
  const WarpPath path = in_order_path(k.kernel(), blocks, costs, [&](uint32_t i) { return load_takes(costs, i, 400); });
  // The address at 22; loads at 22 and 24, the second one's value at 424; the product at 444, its value at 464.
  CHECK(path.cycles == std::vector<double>{2, 22, 2, 400, 20, 20, 2});
  CHECK(cycles_per_warp(path, blocks, 1) == 468);
}

TEST_CASE("warp path: the longest chain counts instructions") {
  const CountedKernel k = test::straight_kernel();
  const auto blocks = k.blocks();
  // Address, load, sum, product, store.
  CHECK(cycles_per_warp(dependence_path(k.kernel(), blocks, k.costs()), blocks, 1) == 5);
}

TEST_CASE("warp path: a loop's iterations are as long as its longest cycle of dependences") {
  const CountedKernel k = test::loop_kernel();
  const auto blocks = k.blocks();
  // 1 before the loop, 10 x 4 additions (add, setp, bra are only 3), the store.
  CHECK(cycles_per_warp(dependence_path(k.kernel(), blocks, k.costs()), blocks, 1) == 42);
}

TEST_CASE("warp path: what is on its way at the end of an iteration delays the next") {
  const CountedKernel k = test::loop_kernel();
  const auto blocks = k.blocks();
  const auto costs = k.costs();
  const WarpPath path = in_order_path(k.kernel(), blocks, costs, [&](uint32_t i) { return costs[i].latency; });
  // An iteration: additions at a, a + 20, + 40, + 60; add.u32 at + 64, as the pipe is busy for 4; setp at + 86, bra at
  // + 108, the next at + 116, when the first addition's operand, + 80, has long been there.
  CHECK(path.of_block[1] == 116);
}

TEST_CASE("warp path: loads and their first uses") {
  const CountedKernel k = test::straight_kernel();
  const std::vector<LoadUse> uses = first_uses(k.kernel(), k.blocks(), k.costs());
  REQUIRE(uses.size() == 2);
  CHECK((uses[0].load == 1 && uses[0].use == 3));
  CHECK((uses[1].load == 2 && uses[1].use == 3));
}
