// Groups of independently scheduled lanes: who runs, who meets whom, and that nobody starves.
#include "sim/core/lane_groups.h"

#include <catch2/catch.hpp>

using namespace warptime;
using namespace warptime::sim;

TEST_CASE("the side that is behind runs until it meets the other", "[groups]") {
  LaneGroups groups;
  groups.start(0xff);
  groups.at(3);
  groups.part(0x0f, 10, 4);  // a branch ahead: the others are behind and go first
  CHECK(groups.pc() == 4);
  CHECK(groups.active() == 0xf0);
  CHECK(groups.next_meeting() == 10);
  groups.move_to(10);
  CHECK(groups.active() == 0xff);
  CHECK(groups.next_meeting() == ptx::kNoIndex);
}

TEST_CASE("lanes that leave a loop wait behind it for the others", "[groups]") {
  LaneGroups groups;
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
  LaneGroups groups;
  groups.start(0x3);
  groups.at(4);
  groups.part(0x1, 2, 5);  // lane 0 spins, lane 1 is ahead
  for (uint32_t turn = 1; turn <= LaneGroups::kTurns; ++turn) {
    CHECK(groups.active() == 0x1);
    groups.at(4);
    groups.part(0x1, 2, 5);
  }
  CHECK(groups.active() == 0x2);
  CHECK(groups.pc() == 5);
  // It, too, gives way when it loops.
  for (uint32_t turn = 1; turn <= LaneGroups::kTurns; ++turn) {
    CHECK(groups.active() == 0x2);
    groups.at(7);
    groups.move_to(6);
  }
  CHECK(groups.active() == 0x1);
}

TEST_CASE("a barrier parks a group; the release lets all go on behind it", "[groups]") {
  LaneGroups groups;
  groups.start(0x3);
  groups.at(1);
  groups.part(0x1, 8, 2);
  groups.at(5);
  groups.park(0);  // lane 1, at 5
  CHECK_FALSE(groups.parked());
  CHECK(groups.pc() == 8);
  groups.at(8);
  groups.park(0);
  CHECK(groups.parked());
  groups.release(0);
  CHECK_FALSE(groups.parked());
  CHECK(groups.pc() == 6);
  CHECK(groups.active() == 0x2);
  groups.move_to(9);
  CHECK(groups.active() == 0x3);
}

TEST_CASE("lanes that are waited for come to the place, or cannot", "[groups]") {
  LaneGroups groups;
  groups.start(0x7);
  groups.at(1);
  groups.part(0x4, 20, 2);
  groups.at(2);
  groups.part(0x2, 10, 3);  // lanes 0 at 3, 1 at 10, 2 at 20
  groups.at(5);
  CHECK(groups.wait_for(0x4));  // lane 0 waits at 5 for lane 2
  CHECK(groups.active() == 0x4);
  groups.at(21);
  groups.move_to(5);  // it comes
  CHECK(groups.active() == 0x5);
  CHECK_FALSE(groups.wait_for(0x8));  // there is no such lane
  groups.exit(0x5);
  CHECK(groups.active() == 0x2);
  CHECK_FALSE(groups.wait_for(0x5));
  CHECK_FALSE(groups.exit(0x2));
}

TEST_CASE("groups in different calls of one function do not meet", "[groups]") {
  LaneGroups groups;
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
  for (uint32_t turn = 0; turn < LaneGroups::kTurns; ++turn) groups.move_to(50);  // loops until lane 0 has its turn
  CHECK(groups.active() == 0x1);
  groups.at(8);
  groups.call(0x1, 50);
  CHECK(groups.active() == 0x1);  // both are at 50, called from different places
  CHECK(groups.caller() == 8);
}

TEST_CASE("an indexed branch makes a group for each target", "[groups]") {
  LaneGroups groups;
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
  LaneGroups groups;
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
  LaneGroups groups;
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
