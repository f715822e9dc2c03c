// How long the units of the memory system were taken, for the resources of sim/model/resource.h. On the machine of
// memory_driver.h a header of 8 bytes and 64 of data take 3 core cycles of a port of 32 bytes, the header alone takes
// 1, and DRAM moves 16 bytes per memory cycle.
#include <catch2/catch.hpp>

#include "unit/sim/mem/memory_driver.h"

using namespace warptime;
using namespace warptime::sim;

TEST_CASE("reads take the ports for their packets and DRAM for their data") {
  MemoryDriver driver(even_machine());
  constexpr uint32_t kReads = 10;
  for (uint32_t i = 0; i < kReads; ++i) driver.send(read_of(0, 4 * i, kBase + 64 * i, i, 64));
  driver.send(read_of(2, 40, kBase + 256, 100, 32));  // the other TPC, the other partition
  driver.run(4096);
  REQUIRE(driver.answers.size() == kReads + 1);
  CHECK(driver.system.tpc(0).busy() == TpcBusy{.request_port = kReads, .response_port = 3 * kReads});
  CHECK(driver.system.tpc(1).busy() == TpcBusy{.request_port = 1, .response_port = 2});
  // Lines of 256 bytes by turns: 4 + 2 of the reads go to the first partition, 4 and the last to the second.
  std::vector<PartitionBusy> busy = driver.system.partitions_busy(4096);
  REQUIRE(busy.size() == 2);
  CHECK(busy[0] == PartitionBusy{.request_port = 6, .response_port = 18, .atomic_unit = 0, .dram_data = 24});
  CHECK(busy[1] == PartitionBusy{.request_port = 5, .response_port = 14, .atomic_unit = 0, .dram_data = 18});
  driver.system.reset();
  CHECK(driver.system.tpc(0).busy() == TpcBusy{});
}

TEST_CASE("data for each lane take the port of the TPC only") {
  MemoryDriver driver(even_machine());
  Request request = read_of(0, 0, kBase, 1, 32);
  request.port_bytes = 256;
  driver.send(request);
  driver.run(4096);
  CHECK(driver.system.tpc(0).busy() == TpcBusy{.request_port = 1, .response_port = 9});
  CHECK(driver.system.partitions_busy(4096)[0] ==
        PartitionBusy{.request_port = 1, .response_port = 2, .atomic_unit = 0, .dram_data = 2});
}

TEST_CASE("stores take the ports out for their data and in for a header") {
  MemoryDriver driver(even_machine());
  PendingStore store = store_of(kBase, 7);
  driver.send(write_of(0, 0, store, 1));
  driver.run(4096);
  CHECK(driver.system.tpc(0).busy() == TpcBusy{.request_port = 2, .response_port = 1});
  CHECK(driver.system.partitions_busy(4096)[0] ==
        PartitionBusy{.request_port = 2, .response_port = 1, .atomic_unit = 0, .dram_data = 2});
}

TEST_CASE("reads of the same word that ride with the one before take no time of the ports") {
  MachineConfig machine = even_machine();
  machine.memory.same_address_merge = SameAddressMerge::partition;
  MemoryDriver driver(machine);
  for (uint32_t i = 0; i < 4; ++i) {
    Request request = read_of(0, 4 * i, kBase, i, 32);
    request.group = 0;
    driver.send(request);
  }
  driver.run(4096);
  REQUIRE(driver.answers.size() == 4);
  CHECK(driver.system.tpc(0).busy() == TpcBusy{.request_port = 1, .response_port = 2});
  CHECK(driver.system.partitions_busy(4096)[0].dram_data == 2);
}

TEST_CASE("an atomic operation takes the atomic unit for each lane of its word with the most lanes") {
  MachineConfig machine = even_machine();
  machine.features = {"global_atomics"};
  machine.memory.atomic_cycles = 4;
  MemoryDriver driver(machine);
  PendingAtomic atomic;
  atomic.address = kBase;
  atomic.combine = [](uint64_t old, uint64_t b, uint64_t) { return old + b; };
  atomic.lanes = 0xff;
  atomic.size = 32;
  Request request = write_of(0, 0, atomic, 1);
  request.atomic = true;
  driver.send(request);
  driver.run(4096);
  CHECK(driver.system.partitions_busy(4096)[0].atomic_unit == 8 * 4);
}

TEST_CASE("what is on DRAM's bus after a moment is not counted before it") {
  MemoryDriver driver(even_machine());
  for (uint32_t i = 0; i < 40; ++i) driver.send(read_of(0, 4 * i, kBase + 4096 * 2 * (i / 32) + 64 * (i % 4), i, 64));
  driver.run(64 * 4);
  uint64_t early = driver.system.partitions_busy(driver.now)[0].dram_data;
  driver.run(8192);
  CHECK(early > 0);
  CHECK(early < 160);
  CHECK(driver.system.partitions_busy(driver.now)[0].dram_data == 160);
}

TEST_CASE("queues: a request is in an SM's queue until it has passed the port, then in its partition to the port out") {
  for (Cycle step : {64, 32}) {
    MemoryDriver driver(even_machine());
    driver.send(read_of(0, 0, kBase, 1, 32));
    driver.run(4096, step);
    REQUIRE(driver.answers.size() == 1);
    QueueUse queue = driver.system.tpc(0).queue_use(), partition = driver.system.partition_use();
    CHECK(queue.entry_cycles == 2);  // a core cycle of the port
    CHECK(queue.most.value() == 1);
    CHECK(queue.entries == 1);
    CHECK(queue.mean_time() == 2);
    // Its answer takes 2 core cycles of the port out, 80 cycles of the crossbar, 2 core cycles of the TPC's port.
    const Cycle arrived = 2 + 80, left = driver.answers[0].cycle - 4 - 80 - 4;
    CHECK(partition.entry_cycles == left - arrived);
    CHECK(partition.most.value() == 1);
    CHECK(partition.entries == 1);
    CHECK(driver.system.tpc(0).times_no_credit() == 0);
  }
}

TEST_CASE("queues: reads at once wait for each other, and a partition's last credit is counted") {
  for (uint32_t credits : {3u, 4u}) {
    MachineConfig machine = even_machine();
    machine.memory.credits_per_tpc = credits;
    MemoryDriver driver(machine);
    for (uint32_t i = 0; i < 3; ++i) driver.send(read_of(0, 0, kBase + 32 * i, i, 32));
    driver.run(4096);
    CHECK(driver.system.tpc(0).queue_use().entry_cycles == 2 + 4 + 6);
    CHECK(driver.system.tpc(0).queue_use().most.value() == 3);
    CHECK(driver.system.tpc(0).queue_use().mean_time() == 4);
    CHECK(driver.system.partition_use().entries == 3);
    CHECK(driver.system.partition_use().most.value() == 3);
    CHECK(driver.system.tpc(0).times_no_credit() == (credits == 3 ? 1 : 0));
  }
}
