// Credits and back-pressure, on the machine of memory_driver.h (memory_path_test.cc works out a read's way: it leaves
// the partition at 162 and is back at 246).
#include <catch2/catch.hpp>

#include "unit/sim/mem/memory_driver.h"

using namespace warptime;
using namespace warptime::sim;

TEST_CASE("a credit comes back at the window edge after its answer has left", "[memory]") {
  // One credit. The first answer leaves at 162, so the second request enters at 192: core cycle 96. It is a row hit: it
  // takes 246 - 2 x 14 cycles.
  MachineConfig machine = even_machine();
  machine.memory.credits_per_tpc = 1;
  std::vector<Request> requests{read_of(0, 0, kBase, 1), read_of(0, 0, kBase + 32, 2)};
  CHECK(answers_of(machine, requests)[2] == 192 + 218);
  // 28 cycles more in the partition: it leaves at 190, still before the edge.
  machine.memory.pipeline_cycles = 48;
  CHECK(answers_of(machine, requests)[2] == 192 + 218 + 28);
  // 30 more: it leaves at 192, in the next window: the second enters at 256.
  machine.memory.pipeline_cycles = 50;
  CHECK(answers_of(machine, requests)[2] == 256 + 218 + 30);
}

TEST_CASE("a head without credit blocks its SM but not the other one", "[memory]") {
  MachineConfig machine = even_machine();
  machine.memory.credits_per_tpc = 1;
  // SM 0: two to partition 0, then one to partition 1. SM 1: one to partition 1 later, which overtakes.
  auto answers = answers_of(machine, {read_of(0, 0, kBase, 1), read_of(0, 0, kBase + 32, 2),
                                      read_of(0, 0, kBase + 256, 3), read_of(1, 10, kBase + 256, 4)});
  CHECK(answers[1] == 246);
  CHECK(answers[4] == 256);        // entered at 10
  CHECK(answers[2] == 192 + 218);  // entered at 192
  CHECK(answers[3] == 192 + 222);  // entered at 194; its answer waits for the TPC's port: 408 .. 410 is taken, so + 2
}

TEST_CASE("the queue has room again the cycle after a packet enters the port", "[memory]") {
  MachineConfig machine = even_machine();
  machine.memory.queue_entries = 4;
  MemoryDriver driver(machine);
  TpcMemory& tpc = driver.system.tpc(0);
  tpc.begin_step(0, 64);
  CHECK(tpc.has_room(0, 40, 0));  // an empty queue takes any number
  for (uint32_t i = 0; i < 4; ++i) tpc.send(0, read_of(0, 10, kBase, i));
  CHECK(tpc.outstanding() == 4);
  CHECK_FALSE(tpc.has_room(0, 1, 0));
  CHECK(tpc.has_room(1, 4, 0));
  // They enter at 10, 12, 14, 16.
  CHECK(tpc.next_room(0, 0) == 11);
  CHECK_FALSE(tpc.has_room(0, 1, 10));
  CHECK(tpc.next_room(0, 10) == 11);
  CHECK(tpc.has_room(0, 1, 11));
  CHECK_FALSE(tpc.has_room(0, 3, 14));
  CHECK(tpc.next_room(0, 14) == 15);
  CHECK(tpc.has_room(0, 3, 15));
  CHECK_FALSE(tpc.has_room(0, 5, 16));
  CHECK(tpc.has_room(0, 5, 17));
  CHECK(tpc.has_room(0, 4, 17));
}

TEST_CASE("without credit there is no room before the next step", "[memory]") {
  MachineConfig machine = even_machine();
  machine.memory.queue_entries = 2;
  machine.memory.credits_per_tpc = 1;
  MemoryDriver driver(machine);
  driver.send(read_of(0, 0, kBase, 1));
  driver.send(read_of(0, 0, kBase + 32, 2));
  driver.send(read_of(0, 0, kBase + 64, 3));
  TpcMemory& tpc = driver.system.tpc(0);
  driver.run(192);
  CHECK_FALSE(tpc.has_room(0, 1, 192));
  CHECK(tpc.next_room(0, 191) == kNever);
  // The credit is back at 192.
  tpc.begin_step(192, 256);
  CHECK_FALSE(tpc.has_room(0, 1, 192));
  CHECK(tpc.next_room(0, 192) == 193);
  CHECK(tpc.has_room(0, 1, 193));
}

TEST_CASE("within a step there is room for as many as there are credits", "[memory]") {
  MachineConfig machine = even_machine();
  machine.memory.queue_entries = 16;
  machine.memory.credits_per_tpc = 8;
  MemoryDriver driver(machine);
  TpcMemory& tpc = driver.system.tpc(0);
  tpc.begin_step(0, 64);
  tpc.send(0, read_of(0, 10, kBase, 1), 16, 1);
  // They enter at 10, 12 ... 24; the ninth finds no credit.
  CHECK_FALSE(tpc.has_room(0, 8, 0));
  CHECK(tpc.next_room(0, 0) == 25);
  CHECK_FALSE(tpc.has_room(0, 9, 0));
  CHECK(tpc.next_room(0, 0) == kNever);
}

TEST_CASE("next_room never comes after the room", "[memory]") {
  // Two SMs share the port; whatever next_room says, has_room must not have been true before.
  MachineConfig machine = even_machine();
  machine.clocks = ClockConfig{};
  machine.memory.queue_entries = 16;
  for (uint32_t wanted : {1u, 2u, 7u, 16u}) {
    MemoryDriver asked(machine), watched(machine);
    for (MemoryDriver* driver : {&asked, &watched}) {
      TpcMemory& tpc = driver->system.tpc(0);
      tpc.begin_step(0, 64);
      for (uint32_t i = 0; i < 16; ++i) {
        tpc.send(0, read_of(0, 3 + i, kBase + 64 * i, i));
        tpc.send(1, read_of(1, 4 + i, kBase + 64 * i, 100 + i));
      }
    }
    Cycle room = 0;
    while (room < 64 && !watched.system.tpc(0).has_room(0, wanted, room)) ++room;
    Cycle at = 0;
    while (at < 64 && !asked.system.tpc(0).has_room(0, wanted, at)) {
      Cycle next = asked.system.tpc(0).next_room(0, at);
      REQUIRE(next > at);
      at = next;
    }
    CHECK((room < 64 ? at == room : at == kNever));
  }
}
