// Groups of independently scheduled lanes: who runs, who meets whom, and that nobody starves.
#include <catch2/catch.hpp>

#include "sim/state/control_flow.h"

using namespace warptime;
using namespace warptime::sim;
using ptx::kNoIndex;

namespace {

constexpr uint32_t kBackwardBranches = 64;

void go(ControlFlow& lanes, uint32_t pc) {
  while (lanes.pc() < pc) lanes.advance();
}

ControlFlow independent_at(uint32_t pc, uint32_t live) {
  ControlFlow lanes(Reconvergence::independent);
  lanes.start(live);
  go(lanes, pc);
  return lanes;
}

}  // namespace

TEST_CASE("the side that is behind runs until it meets the other", "[groups]") {
  ControlFlow lanes = independent_at(3, 0xff);
  lanes.branch(0x0f, 10, kNoIndex);  // a branch ahead: the others are behind and go first
  CHECK(lanes.pc() == 4);
  CHECK(lanes.active() == 0xf0);
  CHECK(lanes.reconvergence() == 10);
  lanes.branch(lanes.active(), 10, kNoIndex);
  CHECK(lanes.active() == 0xff);
  CHECK(lanes.reconvergence() == kNoIndex);
}

TEST_CASE("lanes that leave a loop wait behind it for the others", "[groups]") {
  ControlFlow lanes = independent_at(0, 0xf);
  for (uint32_t leaves : {1u, 2u, 4u}) {
    go(lanes, 9);
    lanes.branch(lanes.active() & ~leaves, 5, kNoIndex);  // the loop's branch back
    CHECK(lanes.pc() == 5);
    CHECK((lanes.active() & leaves) == 0);
  }
  go(lanes, 9);
  lanes.branch(0, 5, kNoIndex);
  CHECK(lanes.pc() == 10);
  CHECK(lanes.active() == 0xf);
}

TEST_CASE("a group that loops gives way after a number of turns", "[groups]") {
  ControlFlow lanes = independent_at(4, 0x3);
  lanes.branch(0x1, 2, kNoIndex);  // lane 0 spins, lane 1 is ahead
  for (uint32_t turn = 1; turn <= kBackwardBranches; ++turn) {
    CHECK(lanes.active() == 0x1);
    go(lanes, 4);
    lanes.branch(0x1, 2, kNoIndex);
  }
  CHECK(lanes.active() == 0x2);
  CHECK(lanes.pc() == 5);
  // It, too, gives way when it loops.
  for (uint32_t turn = 1; turn <= kBackwardBranches; ++turn) {
    CHECK(lanes.active() == 0x2);
    go(lanes, 7);
    lanes.branch(lanes.active(), 6, kNoIndex);
  }
  CHECK(lanes.active() == 0x1);
}

TEST_CASE("a barrier parks a group, the release lets all go on behind it", "[groups]") {
  ControlFlow lanes = independent_at(1, 0x3);
  lanes.branch(0x1, 8, kNoIndex);
  go(lanes, 5);
  lanes.park(lanes.active(), 0);  // lane 1, at 5
  CHECK(lanes.awaited_barrier() == kNoBarrier);
  CHECK(lanes.pc() == 8);
  go(lanes, 8);
  lanes.park(lanes.active(), 0);
  CHECK(lanes.awaited_barrier() != kNoBarrier);
  lanes.release();
  CHECK(lanes.awaited_barrier() == kNoBarrier);
  CHECK(lanes.pc() == 6);
  CHECK(lanes.active() == 0x2);
  lanes.branch(lanes.active(), 9, kNoIndex);
  CHECK(lanes.active() == 0x3);
}

TEST_CASE("lanes of a member mask are complete when all that have not exited are there", "[groups]") {
  std::array<uint32_t, 32> mask{};
  mask.fill(0x17);
  auto released = [](ControlFlow& lanes) {
    std::vector<std::pair<uint32_t, uint32_t>> places;
    for (std::vector<LanePath> paths; !(paths = lanes.release_members()).empty();)
      for (const LanePath& path : paths) places.emplace_back(path.pc, path.lanes);
    return places;
  };
  using Places = std::vector<std::pair<uint32_t, uint32_t>>;
  ControlFlow lanes = independent_at(1, 0x1f);
  lanes.branch(0x4, 20, kNoIndex);
  go(lanes, 2);
  lanes.branch(0x2, 10, kNoIndex);  // lanes 0, 3 and 4 at 3, 1 at 10, 2 at 20
  go(lanes, 5);
  lanes.wait_for_members(0x11, nullptr, mask);  // not lane 3, whose guard is false: it goes on
  CHECK(released(lanes).empty());
  CHECK(lanes.active() == 0x8);
  CHECK(lanes.pc() == 6);
  go(lanes, 8);
  lanes.exit(0x8);
  CHECK(lanes.active() == 0x2);
  go(lanes, 11);
  lanes.wait_for_members(0x2, nullptr, mask);  // at another place
  CHECK(released(lanes).empty());
  CHECK(lanes.active() == 0x4);
  CHECK(lanes.awaited_barrier() == kNoBarrier);
  SECTION("the last one comes") {
    go(lanes, 21);
    lanes.branch(lanes.active(), 5, kNoIndex);
    lanes.wait_for_members(0x4, nullptr, mask);
    CHECK(lanes.awaited_barrier() != kNoBarrier);
    CHECK(released(lanes) == Places{{11, 0x2}, {5, 0x15}});
    CHECK(lanes.pc() == 6);
    CHECK(lanes.active() == 0x15);
    lanes.branch(lanes.active(), 12, kNoIndex);
    CHECK(lanes.active() == 0x17);
  }
  SECTION("it exits") {
    go(lanes, 21);
    lanes.exit(0x4);
    CHECK(lanes.awaited_barrier() != kNoBarrier);
    CHECK(released(lanes).size() == 2);
    CHECK(lanes.awaited_barrier() == kNoBarrier);
  }
}

TEST_CASE("groups in different calls of one function do not meet", "[groups]") {
  ControlFlow lanes = independent_at(1, 0x3);
  lanes.branch(0x1, 6, kNoIndex);
  go(lanes, 3);
  lanes.call(0x2, 50);
  CHECK(lanes.caller() == 3);
  go(lanes, 52);
  lanes.ret(0x2);
  CHECK(lanes.pc() == 4);
  lanes.branch(lanes.active(), 6, kNoIndex);
  CHECK(lanes.active() == 0x3);
  lanes.branch(0x1, 8, kNoIndex);  // lane 1 calls from 7, lane 0 from 8
  go(lanes, 7);
  lanes.call(0x2, 50);
  CHECK(lanes.active() == 0x2);
  for (uint32_t turn = 0; turn < kBackwardBranches; ++turn)
    lanes.branch(lanes.active(), 50, kNoIndex);  // loops until lane 0 has its turn
  CHECK(lanes.active() == 0x1);
  go(lanes, 8);
  lanes.call(0x1, 50);
  CHECK(lanes.active() == 0x1);  // both are at 50, called from different places
  CHECK(lanes.caller() == 8);
}

TEST_CASE("an indexed branch makes a group for each target", "[groups]") {
  ControlFlow lanes = independent_at(2, 0xff);
  std::array<uint32_t, 32> targets{};
  for (uint32_t lane = 0; lane < 6; ++lane) targets[lane] = 10 * (1 + lane % 3);
  lanes.branch(0x3f, targets, kNoIndex);  // lanes 6 and 7 go on
  CHECK(lanes.pc() == 3);
  CHECK(lanes.active() == 0xc0);
  lanes.branch(lanes.active(), 10, kNoIndex);
  CHECK(lanes.active() == 0xc9);
  lanes.branch(lanes.active(), 20, kNoIndex);
  CHECK(lanes.active() == 0xdb);
  lanes.branch(lanes.active(), 30, kNoIndex);
  CHECK(lanes.active() == 0xff);
}

TEST_CASE("lanes that call different functions come to the call one after the other", "[groups]") {
  ControlFlow lanes = independent_at(3, 0xf);
  lanes.call(0x1, 20, 0xe);
  CHECK(lanes.pc() == 20);
  CHECK(lanes.active() == 0x1);
  CHECK(lanes.caller() == 3);
  go(lanes, 22);
  lanes.ret(0x1);  // the others are behind
  CHECK(lanes.pc() == 3);
  CHECK(lanes.active() == 0xe);
  lanes.call(0xe, 30);
  lanes.ret(0xe);
  CHECK(lanes.pc() == 4);
  CHECK(lanes.active() == 0xf);
}

TEST_CASE("groups at one instruction of calls of different depth are not one", "[groups]") {
  ControlFlow lanes = independent_at(3, 0x3);
  lanes.call(0x3, 20);
  go(lanes, 22);
  lanes.call(0x1, 20);  // itself; lane 1 goes on
  CHECK(lanes.calls() == 2);
  lanes.branch(lanes.active(), 23, kNoIndex);
  CHECK(lanes.active() == 0x1);
  lanes.ret(0x1);
  CHECK(lanes.active() == 0x3);
  CHECK(lanes.pc() == 23);
}
