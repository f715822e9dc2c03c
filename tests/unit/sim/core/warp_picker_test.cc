// The policies on a handful of warps.
#include "sim/core/warp_picker.h"

#include <catch2/catch.hpp>

using namespace warptime::sim;

namespace {

/// The picker of sub-core 0 of `sub_cores`, with groups of two warps; pick() with nobody away unless said.
class Picker {
 public:
  explicit Picker(WarpPolicy policy, uint32_t sub_cores = 1) : picker_(config(policy, sub_cores), 0) {}
  void started(uint32_t warp) { picker_.started(warp); }
  uint32_t pick(uint64_t eligible, uint64_t away = 0) { return picker_.pick(eligible, away); }

 private:
  static IssueConfig config(WarpPolicy policy, uint32_t sub_cores) {
    IssueConfig issue;
    issue.policy = policy;
    issue.ports = sub_cores;
    issue.group_warps = 2;
    return issue;
  }
  WarpPicker picker_;
};

}  // namespace

TEST_CASE("round robin goes on after the last warp and wraps", "[picker]") {
  Picker picker(WarpPolicy::round_robin);
  REQUIRE(picker.pick(0b1011) == 0);
  REQUIRE(picker.pick(0b1011) == 1);
  REQUIRE(picker.pick(0b1011) == 3);
  REQUIRE(picker.pick(0b1011) == 0);
  REQUIRE(picker.pick(uint64_t{1} << 63) == 63);
  REQUIRE(picker.pick(~uint64_t{0}) == 0);
}

TEST_CASE("greedy then oldest stays with a warp, then takes the oldest", "[picker]") {
  Picker picker(WarpPolicy::greedy_then_oldest);
  for (uint32_t warp : {2u, 0u, 1u}) picker.started(warp);  // 2 is the oldest
  REQUIRE(picker.pick(0b011) == 0);
  REQUIRE(picker.pick(0b111) == 0);
  REQUIRE(picker.pick(0b110) == 2);
  REQUIRE(picker.pick(0b111) == 2);
}

TEST_CASE("oldest first always takes the oldest", "[picker]") {
  Picker picker(WarpPolicy::oldest_first);
  for (uint32_t warp : {2u, 0u, 1u}) picker.started(warp);
  REQUIRE(picker.pick(0b011) == 0);
  REQUIRE(picker.pick(0b111) == 2);
  picker.started(2);  // a new warp in the same place is the youngest
  REQUIRE(picker.pick(0b111) == 0);
}

TEST_CASE("two-level keeps its group until all of its warps are away", "[picker]") {
  Picker picker(WarpPolicy::two_level);
  // Groups: 0 1 | 2 3 | 4 5 ...
  REQUIRE(picker.pick(0b111111) == 0);
  REQUIRE(picker.pick(0b111111) == 1);
  REQUIRE(picker.pick(0b111111) == 0);
  REQUIRE(picker.pick(0b111100) == 2);            // 0 and 1 wait for arithmetic: the next group fills in
  REQUIRE(picker.pick(0b111111) == 0);            // and they come back
  REQUIRE(picker.pick(0b111100, 0b000011) == 2);  // 0 and 1 wait for memory: 2 and 3 take over
  REQUIRE(picker.pick(0b111111) == 3);            // and keep it when these come back
  REQUIRE(picker.pick(0b110011, 0b001100) == 4);
  REQUIRE(picker.pick(0b000011, ~uint64_t{3}) == 0);  // round the end
}

TEST_CASE("two-level groups of a port are that port's warps", "[picker]") {
  Picker picker(WarpPolicy::two_level, 2);  // groups of port 0: 0 2 | 4 6 | ...
  REQUIRE(picker.pick(0b1010101) == 0);
  REQUIRE(picker.pick(0b1010101) == 2);
  REQUIRE(picker.pick(0b1010101) == 0);
}
