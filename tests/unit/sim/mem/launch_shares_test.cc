// The shares of launches, on random traffic of three: together they are what the units count for all.
#include <catch2/catch.hpp>

#include "unit/sim/mem/traffic.h"

using namespace warptime;
using namespace warptime::sim;

TEST_CASE("the shares of all launches are what TPCs and partitions count", "[memory]") {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    INFO("seed " << seed);
    MachineConfig machine = traffic_machine();
    if (seed % 2 == 0) machine.memory.same_address_merge = SameAddressMerge::none;
    if (seed % 3 == 0) machine.memory.tlb = {{4, 2, 4096, 30}, {16, 4, 4096, 200}, 10};
    if (seed % 3 != 1) machine.l2.cache = {2048, 32, 4, 20};
    machine.texture.partition_cache = {1024, 32, 4, 20};
    constexpr uint32_t kLaunches = 3;
    Traffic traffic(machine, {.seed = seed, .until = 10'000, .one_texture = 5, .launches = kLaunches});
    traffic.run(64);
    MemorySystem& system = traffic.system;
    for (uint32_t t = 0; t < machine.chip.tpcs; ++t) {
      TpcMemory& tpc = system.tpc(t);
      TpcBusy busy;
      QueueUse queue;
      TranslationStats translation;
      for (uint32_t launch = 0; launch < kLaunches; ++launch) {
        const TpcShare share = tpc.take_share(launch);
        CHECK(share.queue.entries > 100);
        busy.add(share.busy);
        queue.add(share.queue);
        translation.add(share.translation);
      }
      CHECK(busy == tpc.busy());
      CHECK(queue.entries == tpc.queue_use().entries);
      CHECK(queue.entry_cycles == tpc.queue_use().entry_cycles);
      CHECK(translation == tpc.translations());
    }
    QueueUse use;
    DramStats dram;
    CacheCounts caches{};
    for (uint32_t p = 0; p < machine.memory.partitions; ++p) {
      PartitionBusy busy, all = system.partitions_busy(kLate)[p];
      for (uint32_t launch = 0; launch < kLaunches; ++launch) {
        const PartitionShare share = system.take_share(p, launch);
        CHECK(share.held == 0);
        busy.add(share.busy);
        use.add(share.use);
        dram.add(share.dram);
        add_numbers(caches, share.caches);
      }
      CHECK(all.dram_data - busy.dram_data < kLaunches);  // rounded down
      busy.dram_data = all.dram_data;
      CHECK(busy == all);
    }
    CHECK(dram == system.dram_statistics(kLate));
    CHECK(use.entries == system.partition_use().entries);
    CHECK(use.entry_cycles == system.partition_use().entry_cycles);
    for (ReadKind kind : {ReadKind::Data, ReadKind::Texture})
      CHECK(caches[static_cast<size_t>(kind)] == system.cache_statistics(kind));
  }
}

TEST_CASE("a write-back is of the launch whose miss evicts the line", "[memory]") {
  MachineConfig machine = even_machine();
  machine.memory.partitions = 1;
  machine.l2.cache = {32, 32, 1, 20};
  MemoryDriver driver(machine);
  driver.system.reset(true);
  PendingStore store = store_of(0, 7);
  Request write = write_of(0, 0, store, 1), read = read_of(0, 1000, 4096, 2);
  write.launch = 1;
  read.launch = 2;
  driver.send(write);
  driver.send(read);
  driver.run(4096);
  CHECK(driver.system.take_share(0, 1).dram == DramStats{});
  CHECK(driver.system.take_share(0, 2).dram == DramStats{32, 32, 0, 2});
  CHECK(driver.system.dram_statistics(kLate) == DramStats{32, 32, 0, 2});
}
