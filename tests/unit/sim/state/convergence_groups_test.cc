// Groups of independently scheduled lanes: who runs, who meets whom, and that nobody starves.
#include "sim/state/convergence_groups.h"

#include <catch2/catch.hpp>

using namespace warptime;
using namespace warptime::sim;

TEST_CASE("the side that is behind runs until it meets the other", "[groups]") {
  ConvergenceGroups groups;
  groups.start(0xff);
  groups.at(3);
  groups.part(0x0f, 10, 4);  // a branch ahead: the others are behind and go first
  CHECK(groups.pc() == 4);
  CHECK(groups.active() == 0xf0);
  CHECK(groups.next_convergence() == 10);
  groups.move_to(10);
  CHECK(groups.active() == 0xff);
  CHECK(groups.next_convergence() == ptx::kNoIndex);
}

TEST_CASE("lanes that leave a loop wait behind it for the others", "[groups]") {
  ConvergenceGroups groups;
  groups.start(0xf);
  for (uint32_t leaves : {1u, 2u, 4u}) {
    groups.at(9);
    groups.part(groups.active() & ~leaves, 5, 10);  // the loop's branch back
    CHECK(groups.pc() == 5);
    CHECK((groups.active() & leaves) == 0);
  }
  groups.at(9);
  groups.part(0, 5, 10);
  CHECK(groups.pc() == 10);
  CHECK(groups.active() == 0xf);
}

TEST_CASE("a group that loops gives way after a number of turns", "[groups]") {
  ConvergenceGroups groups;
  groups.start(0x3);
  groups.at(4);
  groups.part(0x1, 2, 5);  // lane 0 spins, lane 1 is ahead
  for (uint32_t turn = 1; turn <= ConvergenceGroups::kBackwardBranches; ++turn) {
    CHECK(groups.active() == 0x1);
    groups.at(4);
    groups.part(0x1, 2, 5);
  }
  CHECK(groups.active() == 0x2);
  CHECK(groups.pc() == 5);
  // It, too, gives way when it loops.
  for (uint32_t turn = 1; turn <= ConvergenceGroups::kBackwardBranches; ++turn) {
    CHECK(groups.active() == 0x2);
    groups.at(7);
    groups.move_to(6);
  }
  CHECK(groups.active() == 0x1);
}

TEST_CASE("a barrier parks a group, the release lets all go on behind it", "[groups]") {
  ConvergenceGroups groups;
  groups.start(0x3);
  groups.at(1);
  groups.part(0x1, 8, 2);
  groups.at(5);
  groups.park(groups.active(), 0);  // lane 1, at 5
  CHECK_FALSE(groups.waits());
  CHECK(groups.pc() == 8);
  groups.at(8);
  groups.park(groups.active(), 0);
  CHECK(groups.waits());
  groups.release();
  CHECK_FALSE(groups.waits());
  CHECK(groups.pc() == 6);
  CHECK(groups.active() == 0x2);
  groups.move_to(9);
  CHECK(groups.active() == 0x3);
}

TEST_CASE("lanes of a member mask are complete when all that have not exited are there", "[groups]") {
  auto mask = [](uint32_t) { return 0x17u; };
  auto released = [](ConvergenceGroups& groups) {
    std::vector<std::pair<uint32_t, uint32_t>> places;
    while (groups.release_members([&](uint32_t pc, uint32_t lanes) { places.emplace_back(pc, lanes); })) {
    }
    return places;
  };
  using Places = std::vector<std::pair<uint32_t, uint32_t>>;
  ConvergenceGroups groups;
  groups.start(0x1f);
  groups.at(1);
  groups.part(0x4, 20, 2);
  groups.at(2);
  groups.part(0x2, 10, 3);  // lanes 0, 3 and 4 at 3, 1 at 10, 2 at 20
  groups.at(5);
  groups.wait_for_members(0x11, nullptr, mask);  // not lane 3, whose guard is false: it goes on
  CHECK(released(groups).empty());
  CHECK(groups.active() == 0x8);
  CHECK(groups.pc() == 6);
  groups.at(8);
  groups.exit(0x8);
  CHECK(groups.active() == 0x2);
  groups.at(11);
  groups.wait_for_members(0x2, nullptr, mask);  // at another place
  CHECK(released(groups).empty());
  CHECK(groups.active() == 0x4);
  CHECK_FALSE(groups.waits());
  SECTION("the last one comes") {
    groups.at(21);
    groups.move_to(5);
    groups.wait_for_members(0x4, nullptr, mask);
    CHECK(groups.waits());
    CHECK(released(groups) == Places{{11, 0x2}, {5, 0x15}});
    CHECK(groups.pc() == 6);
    CHECK(groups.active() == 0x15);
    groups.move_to(12);
    CHECK(groups.active() == 0x17);
  }
  SECTION("it exits") {
    groups.at(21);
    groups.exit(0x4);
    CHECK(groups.waits());
    CHECK(released(groups).size() == 2);
    CHECK_FALSE(groups.waits());
  }
}

TEST_CASE("groups in different calls of one function do not meet", "[groups]") {
  ConvergenceGroups groups;
  groups.start(0x3);
  groups.at(1);
  groups.part(0x1, 6, 2);
  groups.at(3);
  groups.call(0x2, 50);
  CHECK(groups.caller() == 3);
  groups.at(52);
  groups.ret(0x2);
  CHECK(groups.pc() == 4);
  groups.move_to(6);
  CHECK(groups.active() == 0x3);
  groups.part(0x1, 8, 7);  // lane 1 calls from 7, lane 0 from 8
  groups.at(7);
  groups.call(0x2, 50);
  CHECK(groups.active() == 0x2);
  for (uint32_t turn = 0; turn < ConvergenceGroups::kBackwardBranches; ++turn)
    groups.move_to(50);  // loops until lane 0 has its turn
  CHECK(groups.active() == 0x1);
  groups.at(8);
  groups.call(0x1, 50);
  CHECK(groups.active() == 0x1);  // both are at 50, called from different places
  CHECK(groups.caller() == 8);
}

TEST_CASE("an indexed branch makes a group for each target", "[groups]") {
  ConvergenceGroups groups;
  groups.start(0xff);
  groups.at(2);
  std::array<uint32_t, 32> targets{};
  for (uint32_t lane = 0; lane < 6; ++lane) targets[lane] = 10 * (1 + lane % 3);
  groups.part(0x3f, targets, 3);  // lanes 6 and 7 go on
  CHECK(groups.pc() == 3);
  CHECK(groups.active() == 0xc0);
  groups.move_to(10);
  CHECK(groups.active() == 0xc9);
  groups.move_to(20);
  CHECK(groups.active() == 0xdb);
  groups.move_to(30);
  CHECK(groups.active() == 0xff);
}

TEST_CASE("lanes that call different functions come to the call one after the other", "[groups]") {
  ConvergenceGroups groups;
  groups.start(0xf);
  groups.at(3);
  groups.call(0x1, 20, true);
  CHECK(groups.pc() == 20);
  CHECK(groups.active() == 0x1);
  CHECK(groups.caller() == 3);
  groups.at(22);
  groups.ret(0x1);  // the others are behind
  CHECK(groups.pc() == 3);
  CHECK(groups.active() == 0xe);
  groups.call(0xe, 30);
  groups.ret(0xe);
  CHECK(groups.pc() == 4);
  CHECK(groups.active() == 0xf);
}

TEST_CASE("groups at one instruction of calls of different depth are not one", "[groups]") {
  ConvergenceGroups groups;
  groups.start(0x3);
  groups.at(3);
  groups.call(0x3, 20);
  groups.at(22);
  groups.call(0x1, 20);  // itself; lane 1 goes on
  CHECK(groups.calls() == 2);
  groups.move_to(23);
  CHECK(groups.active() == 0x1);
  groups.ret(0x1);
  CHECK(groups.active() == 0x3);
  CHECK(groups.pc() == 23);
}
