// The way of a request through the memory system, cycle by cycle. Machine of memory_driver.h: core and memory edges are
// the even shader cycles. A 32-byte read that is ready at cycle 0 and finds everything idle:
//
//     0 enters the TPC's port; 8 bytes: 1 core cycle             -> 2
//    82 (request_latency 80) passes the partition's port         -> 84 = memory cycle 42
//       ACT 42, RD 56 (tRCD 14), data until 69 (CL 11, burst 2)  -> 138
//   158 (pipeline_cycles 20) leaves; 8 + 32 bytes: 2 core cycles -> 162
//   242 (response_latency 80) passes the TPC's port, 2 cycles    -> 246
#include <catch2/catch.hpp>

#include "unit/sim/mem/memory_driver.h"

using namespace warptime;
using namespace warptime::sim;

namespace {

/// Answers that have reached the TPCs before `cycle`.
size_t answers_before(MachineConfig machine, const std::vector<Request>& requests, Cycle cycle) {
  MemoryDriver driver(machine);
  for (const Request& request : requests) driver.send(request);
  while (driver.now < cycle) driver.step(std::min(cycle, (driver.now / 64 + 1) * 64));
  return driver.answers.size();
}

}  // namespace

TEST_CASE("an unloaded read takes the sum of its parts", "[memory]") {
  CHECK(answers_before(even_machine(), {read_of(0, 0, kBase, 1)}, 246) == 0);
  CHECK(answers_before(even_machine(), {read_of(0, 0, kBase, 1)}, 247) == 1);
  // Ready between two core edges: it enters at the next one.
  CHECK(answers_of(even_machine(), {read_of(0, 1, kBase, 1)})[1] == 248);
  CHECK(answers_of(even_machine(), {read_of(0, 2, kBase, 1)})[1] == 248);
}

TEST_CASE("an unloaded read in the default machine's clocks", "[memory]") {
  // 54 shader = 23 core = 36 memory cycles. Core cycle 1 ends at 54/23 -> 3; 83 -> core 36, passed at 37 -> 87; memory
  // cycle 58; ACT 58, RD 72, data until 85 -> 128; 148 -> core 64, two cycles -> 66 -> 155; 235 -> core 101 -> 103 ->
  // 242.
  MachineConfig machine = even_machine();
  machine.clocks = ClockConfig{};
  CHECK(answers_before(machine, {read_of(0, 0, kBase, 1)}, 242) == 0);
  CHECK(answers_before(machine, {read_of(0, 0, kBase, 1)}, 243) == 1);
}

TEST_CASE("each part of the way has its own parameter", "[memory]") {
  auto with = [](auto change) {
    MachineConfig machine = even_machine();
    change(machine);
    return answers_of(machine, {read_of(0, 0, kBase, 1)})[1];
  };
  CHECK(with([](MachineConfig& m) { m.interconnect.request_latency = 90; }) == 256);
  CHECK(with([](MachineConfig& m) { m.interconnect.response_latency = 90; }) == 256);
  CHECK(with([](MachineConfig& m) { m.memory.pipeline_cycles = 30; }) == 256);
  CHECK(with([](MachineConfig& m) { m.dram.tCL = 16; }) == 256);
  CHECK(with([](MachineConfig& m) { m.interconnect.header_bytes = 0; }) == 242);  // answers: 1 core cycle at both ports
  CHECK(with([](MachineConfig& m) { m.interconnect.tpc_width_bytes = m.interconnect.partition_width_bytes = 8; }) ==
        258);  // answers: 5 core cycles at both ports
}

TEST_CASE("a write carries its data to the partition, and its answer is a header", "[memory]") {
  // 40 bytes: 2 core cycles at both ports: 4, 84, 88 = memory cycle 44; ACT 44, WR 58, data until 58 + 7 + 2 = 67 ->
  // 134; 154; one core cycle at both ports: 156, 236, 238.
  PendingStore store = store_of(kBase, 1);
  CHECK(answers_of(even_machine(), {write_of(0, 0, store, 1)})[1] == 238);
}

TEST_CASE("bytes of a read pass both ports on the way back", "[memory]") {
  // 64 bytes: RD 56 and 58, data until 71 -> 142 -> 162; 72 bytes: 3 core cycles: 168, 248, 254.
  CHECK(answers_of(even_machine(), {read_of(0, 0, kBase, 1, 64)})[1] == 254);
  // 128 bytes: last RD 62, 75 -> 150 -> 170; 136 bytes: 5 core cycles: 180, 260, 270.
  CHECK(answers_of(even_machine(), {read_of(0, 0, kBase, 1, 128)})[1] == 270);
}

TEST_CASE("data for each lane take the TPC's port on the way back, and nothing else", "[memory]") {
  auto with = [](uint32_t port_bytes, uint32_t bytes = 32) {
    Request request = read_of(0, 0, kBase, 1, bytes);
    request.port_bytes = static_cast<uint16_t>(port_bytes);
    return request;
  };
  // At the port at 242, as always. 16 lanes x 16 bytes and the header: 9 core cycles -> 260.
  CHECK(answers_before(even_machine(), {with(256)}, 260) == 0);
  CHECK(answers_before(even_machine(), {with(256)}, 261) == 1);
  // 56 + 8 bytes: 2 core cycles, as 32 + 8; a byte more: 3.
  CHECK(answers_of(even_machine(), {with(56)})[1] == 246);
  CHECK(answers_of(even_machine(), {with(57)})[1] == 248);
  CHECK(answers_of(even_machine(), {with(4)})[1] == 246);  // never less than the transaction
  // 64 bytes, at the port at 248: 9 core cycles -> 266. The next one waits for the port, and takes its 3.
  auto two = answers_of(even_machine(), {with(256, 64), read_of(1, 0, kBase + 64, 2, 64)});
  CHECK(two[1] == 266);
  CHECK(two[2] == 272);
}

TEST_CASE("a TPC's port sends one packet at a time, the older first, then the lower SM", "[memory]") {
  // To two partitions, so that nothing else is shared on the way there. The second enters a core cycle later; its
  // answer reaches the TPC's port at 244, which is taken until 246: 250.
  auto same = answers_of(even_machine(), {read_of(0, 0, kBase, 1), read_of(1, 0, kBase + 256, 2)});
  CHECK(same[1] == 246);
  CHECK(same[2] == 250);
  // SM 1's is older by one cycle; both wait for edge 2 at least. It enters at 2 (answer 248), SM 0's at 4 (252).
  auto older = answers_of(even_machine(), {read_of(1, 1, kBase + 256, 2), read_of(0, 2, kBase, 1)});
  CHECK(older[2] == 248);
  CHECK(older[1] == 252);
}

TEST_CASE("a partition's ports serve one packet at a time, the lower SM first", "[memory]") {
  // SMs 0 and 2 are in different TPCs; both reach the partition's port at 82. SM 2's passes at 86: memory cycle 43. ACT
  // 42, RD 56 and 58. Data until 69 and 71; the second leaves from 162, when the port is free, to 166; 246; 250.
  auto answers = answers_of(even_machine(), {read_of(0, 0, kBase, 1), read_of(2, 0, kBase + 32, 2)});
  CHECK(answers[1] == 246);
  CHECK(answers[2] == 250);
  // The lower SM first whatever the order of the calls of different TPCs.
  auto swapped = answers_of(even_machine(), {read_of(2, 0, kBase + 32, 2), read_of(0, 0, kBase, 1)});
  CHECK(swapped == answers);
}

TEST_CASE("dram statistics count bytes and rows over all partitions", "[memory]") {
  MemoryDriver driver(even_machine());
  PendingStore store = store_of(kBase + 256, 7);
  driver.send(read_of(0, 0, kBase, 1, 128));
  driver.send(write_of(0, 0, store, 2));
  driver.run(1024);
  DramStats stats = driver.system.dram_statistics(kLate);
  CHECK(stats.read_bytes == 128);
  CHECK(stats.write_bytes == 32);
  CHECK(stats.row_misses == 2);
  CHECK(stats.row_hits == 3);
  driver.system.reset();
  CHECK(driver.system.dram_statistics(kLate) == DramStats{});
}

TEST_CASE("next_event leads to the answer, and says never when idle", "[memory]") {
  MemoryDriver driver(even_machine());
  CHECK(driver.system.idle());
  CHECK(driver.system.next_event(0) == kNever);
  PendingStore store = store_of(kBase + 256, 7);
  driver.send(read_of(0, 0, kBase, 1));
  driver.send(write_of(1, 0, store, 2));
  driver.step(64);
  CHECK_FALSE(driver.system.idle());
  uint32_t steps = 1;
  while (!driver.system.idle()) {
    Cycle next = driver.system.next_event(driver.now);
    REQUIRE(next != kNever);
    driver.now = std::max(driver.now, next / 64 * 64);
    driver.step(driver.now + 64);
    REQUIRE(++steps < 10);
  }
  CHECK(driver.answer_cycle[1] == 246);
  CHECK(driver.word_at(kBase + 256) == 7);
  CHECK(driver.system.next_event(driver.now) == kNever);
}
