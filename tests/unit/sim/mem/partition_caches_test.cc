// The L2 and the partition caches for reads, through the whole memory system. Clocks are 1 : 1 : 1.
#include <catch2/catch.hpp>

#include "unit/sim/mem/memory_driver.h"

using namespace warptime;
using namespace warptime::sim;

namespace {

constexpr uint32_t kLatency = 20;

MachineConfig with_l2(uint32_t bytes = 4096, uint32_t ways = 4) {
  MachineConfig machine = even_machine();
  machine.clocks.shader_mhz = machine.clocks.core_mhz = machine.clocks.memory_mhz = 1000;
  machine.memory.partitions = 1;
  machine.l2.cache = {bytes, 32, ways, kLatency};
  return machine;
}

// A read of 32 bytes: 1 cycle in the TPC's port, 80 on the way, 1 in the partition's port; then the L2's latency, or
// 14 (tRCD) + 11 (tCL) + 2 (burst) + 20 (pipeline); 2 in the partition's port (8 + 32 bytes), 80 back, 2 in the TPC's.
constexpr Cycle kHit = 82 + kLatency + 84;
constexpr Cycle kMiss = 82 + 14 + 11 + 2 + 20 + 84;

}  // namespace

TEST_CASE("a read that misses the L2 comes from DRAM, the next from the L2", "[memory]") {
  MemoryDriver driver(with_l2());
  driver.send(read_of(0, 0, 0, 1));
  driver.send(read_of(0, 512, 0, 2));
  driver.send(read_of(0, 1024, 32, 3));  // the next line: another miss, of the open row
  driver.run(2048);
  CHECK(driver.answer_cycle[1] == kMiss);
  CHECK(driver.answer_cycle[2] == 512 + kHit);
  CHECK(driver.answer_cycle[3] == 1024 + kMiss - 14);
  CHECK(driver.system.dram_statistics(kLate).read_bytes == 64);
  CHECK(driver.system.cache_statistics(ReadKind::Data) ==
        DataCacheStats{.accesses = 3, .hits = 1, .misses = 2, .read_bytes = 96, .fetched_bytes = 64});
}

TEST_CASE("reads of a line that DRAM is reading are merged with the first one", "[memory]") {
  MemoryDriver driver(with_l2());
  for (uint32_t i = 0; i < 3; ++i) driver.send(read_of(0, i, 64, i + 1));
  driver.run(1024);
  CHECK(driver.answer_cycle[1] == kMiss);
  CHECK(driver.answer_cycle[2] == kMiss + 2);  // one after the other through the ports
  CHECK(driver.answer_cycle[3] == kMiss + 4);
  CHECK(driver.system.dram_statistics(kLate).read_bytes == 32);
}

TEST_CASE("a transaction is as late as its last line", "[memory]") {
  MemoryDriver driver(with_l2());
  driver.send(read_of(0, 0, 0, 1));
  driver.send(read_of(0, 512, 0, 2, 64));  // its second half is not there
  driver.run(2048);
  CHECK(driver.answer_cycle[2] > 512 + kHit + 2);
  CHECK(driver.system.dram_statistics(kLate).read_bytes == 32 + 32);
}

TEST_CASE("write-back: a store ends in the L2 and reaches DRAM when its line is replaced", "[memory]") {
  MemoryDriver driver(with_l2(64, 1));  // two sets of one line
  PendingStore first = store_of(0, 7), second = store_of(32, 8), third = store_of(64, 9);
  driver.send(write_of(0, 0, first, 1));
  driver.send(write_of(0, 512, second, 2));
  driver.run(1024);
  // 2 cycles in the ports on the way there (8 + 32 bytes), 1 on the way back.
  CHECK(driver.answer_cycle[1] == 2 + 80 + 2 + kLatency + 1 + 80 + 1);
  CHECK(driver.system.dram_statistics(kLate).write_bytes == 0);
  CHECK(driver.word_at(0) == 7);
  driver.send(write_of(0, 1024, third, 3));  // the set of the first
  driver.send(read_of(0, 2048, 0, 4));       // which is in DRAM now, and comes back in place of the third
  driver.run(4096);
  CHECK(driver.system.dram_statistics(kLate).write_bytes == 64);
  CHECK(driver.system.dram_statistics(kLate).read_bytes == 32);
  CHECK(driver.word_at(64) == 9);
  CHECK(driver.system.idle());
}

TEST_CASE("write-back: several lines at once find a full DRAM queue", "[memory]") {
  MachineConfig machine = with_l2(4096, 4);
  machine.dram.queue_entries = 2;
  MemoryDriver driver(machine);
  std::vector<PendingStore> stores(64);
  for (uint32_t i = 0; i < 64; ++i) {  // 8 KB: twice the L2, in transactions of 128 bytes, four lines each
    stores[i] = store_of(i * 128, i);
    driver.send(write_of(0, 10 * i, stores[i], i + 1, 128));
    driver.send(read_of(0, 10 * i, 65536 + i * 128, 100 + i, 128));
  }
  driver.run(8192);
  CHECK(driver.system.idle());
  CHECK(driver.answers.size() == 128);
  CHECK(driver.system.dram_statistics(kLate).read_bytes == 64 * 128);
  CHECK(driver.system.dram_statistics(kLate).write_bytes >= 64 * 128 - 4096);
}

TEST_CASE("write-through: every store goes to DRAM", "[memory]") {
  MachineConfig machine = with_l2();
  machine.l2.write_policy = WritePolicy::write_through;
  MemoryDriver driver(machine);
  PendingStore store = store_of(0, 7), again = store_of(0, 8);
  driver.send(write_of(0, 0, store, 1));
  driver.send(write_of(0, 512, again, 2));
  driver.run(2048);
  CHECK(driver.system.dram_statistics(kLate).write_bytes == 64);
  CHECK(driver.word_at(0) == 8);
}

TEST_CASE("the chip's constant cache answers lines that one TPC has read to another", "[memory]") {
  MachineConfig machine = with_l2();
  machine.l2.cache = CacheConfig{};
  machine.constant.partition_cache = {4096, 64, 4, kLatency};
  MemoryDriver driver(machine);
  Request one = read_of(0, 0, 0, 1, 64), other = read_of(2, 512, 0, 2, 64), plain = read_of(2, 1024, 0, 3, 64);
  one.kind = other.kind = ReadKind::Constant;
  driver.send(one);
  driver.send(other);
  driver.send(plain);  // meets no cache
  driver.run(2048);
  CHECK(driver.answer_cycle[1] == kMiss + 2 + 2);  // a second column, a third cycle in both ports
  CHECK(driver.answer_cycle[2] == 512 + kHit + 2);
  CHECK(driver.answer_cycle[3] == 1024 + kMiss - 14 + 2 + 2);
  CHECK(driver.system.dram_statistics(kLate).read_bytes == 128);
}

TEST_CASE("a cache answers on time where earlier requests wait for a full DRAM queue", "[memory]") {
  MachineConfig machine = with_l2();
  machine.l2.cache = CacheConfig{};
  machine.constant.partition_cache = {4096, 64, 4, kLatency};
  machine.dram.queue_entries = 1;
  MemoryDriver driver(machine);
  Request first = read_of(0, 0, 0, 1, 64), again = read_of(0, 516, 0, 2, 64);
  first.kind = again.kind = ReadKind::Constant;
  driver.send(first);
  const Addr other_row = machine.dram.row_bytes * machine.dram.banks;  // of the same bank
  for (uint32_t i = 0; i < 4; ++i) driver.send(read_of(0, 512 + i, other_row * (i + 1), 3 + i));
  driver.send(again);
  driver.run(2048);
  CHECK(driver.answer_cycle[2] == 516 + kHit + 2);
  for (uint32_t i = 0; i < 4; ++i) CHECK(driver.answer_cycle[3 + i] > driver.answer_cycle[2]);
}
