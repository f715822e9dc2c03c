// The L2 of later machines: sectors, what a miss costs, what is written back, words of atomic operations. Clocks are
// 1 : 1 : 1.
#include <catch2/catch.hpp>

#include "sim/mem/atomic_words.h"
#include "unit/sim/mem/memory_driver.h"

using namespace warptime;
using namespace warptime::sim;

namespace {

constexpr uint32_t kLookup = 20;

MachineConfig with_sectors(uint32_t sector_bytes, uint32_t bytes = 4096, uint32_t ways = 4) {
  MachineConfig machine = even_machine();
  machine.clocks.shader_mhz = machine.clocks.core_mhz = machine.clocks.memory_mhz = 1000;
  machine.memory.partitions = 1;
  machine.l2.cache = {bytes, 128, ways, kLookup};
  machine.l2.sector_bytes = sector_bytes;
  return machine;
}

// A read of 32 bytes that the L2 has, and one of a closed row (partition_caches_test.cc has the parts).
constexpr Cycle kFound = 82 + kLookup + 84;
constexpr Cycle kFetched = 82 + 14 + 11 + 2 + 20 + 84;

uint64_t bytes_read(MemoryDriver& driver) { return driver.system.dram_statistics(kLate).read_bytes; }

}  // namespace

TEST_CASE("sectors: a miss brings those that are read, and no others are there", "[memory]") {
  MemoryDriver driver(with_sectors(32));
  driver.send(read_of(0, 0, 0, 1));
  driver.send(read_of(0, 512, 64, 2));  // the line is there, its third sector is not
  driver.send(read_of(0, 1024, 64, 3));
  driver.send(read_of(0, 1536, 0, 4, 128));  // has the first and the third, reads the second to the fourth
  driver.send(read_of(0, 2048, 0, 5, 128));
  driver.run(2560);
  CHECK(driver.answer_cycle[2] == 512 + kFetched - 14);
  CHECK(driver.answer_cycle[3] == 1024 + kFound);
  CHECK(driver.answer_cycle[5] == 2048 + kFound + 3 + 3);  // 128 bytes in both ports
  CHECK(bytes_read(driver) == 32 + 32 + 96);
  CHECK(driver.system.cache_statistics(ReadKind::Data) == CacheStats{5, 2, 3});
}

TEST_CASE("sectors: without them a miss brings the line", "[memory]") {
  MemoryDriver driver(with_sectors(128));
  driver.send(read_of(0, 0, 32, 1));
  driver.send(read_of(0, 0, 96, 2));  // it is on its way
  driver.send(read_of(0, 512, 0, 3, 128));
  driver.run(1024);
  CHECK(driver.answer_cycle[3] == 512 + kFound + 3 + 3);
  CHECK(bytes_read(driver) == 128);
}

TEST_CASE("sectors: a read on its way answers reads of what it brings only", "[memory]") {
  MemoryDriver driver(with_sectors(32));
  driver.send(read_of(0, 0, 0, 1, 64));
  driver.send(read_of(0, 1, 32, 2));
  driver.send(read_of(0, 2, 64, 3));
  driver.run(1024);
  CHECK(bytes_read(driver) == 64 + 32);
  CHECK(driver.answers.size() == 3);
}

TEST_CASE("sectors: one that was written in part is read before it can be read", "[memory]") {
  MemoryDriver driver(with_sectors(32));
  PendingStore part = store_of(4, 7), whole = store_of(32, 8);
  whole.byte_mask[0] = 0xffffffff;
  driver.send(write_of(0, 0, part, 1));
  driver.send(write_of(0, 8, whole, 2));
  driver.run(512);
  CHECK(bytes_read(driver) == 0);
  driver.send(read_of(0, 512, 32, 3));
  driver.run(1024);
  CHECK(bytes_read(driver) == 0);
  driver.send(read_of(0, 1024, 0, 4));
  driver.run(1536);
  CHECK(bytes_read(driver) == 32);
  CHECK(driver.word_at(4) == 7);
}

TEST_CASE("sectors: those that were written go to DRAM, with their line or at the end", "[memory]") {
  for (const CacheContents contents : {CacheContents::empty, CacheContents::keep}) {
    MachineConfig machine = with_sectors(32, 128, 1);  // one line
    machine.chip.caches_between_launches.l2 = contents;
    MemoryDriver driver(machine);
    PendingStore first = store_of(0, 7), third = store_of(64, 8), other = store_of(128, 9);
    driver.send(write_of(0, 0, first, 1));
    driver.send(write_of(0, 8, third, 2));
    driver.run(512);
    driver.send(write_of(0, 512, other, 3));
    driver.run(1024);
    CHECK(driver.system.dram_statistics(kLate).write_bytes == 64);
    driver.system.flush();
    driver.system.flush();  // nothing is left to be written
    CHECK(driver.system.dram_statistics(kLate).write_bytes == (contents == CacheContents::empty ? 96 : 64));
  }
}

TEST_CASE("a miss takes the time of its lookup, where the machine says so, and answers leave in order", "[memory]") {
  MachineConfig machine = with_sectors(32);
  machine.memory.lookups_in_misses = true;
  MemoryDriver driver(machine);
  driver.send(read_of(0, 0, 0, 1));
  driver.send(read_of(0, 1, 0, 2));  // waits for the same sector
  driver.send(read_of(0, 512, 0, 3));
  driver.send(read_of(0, 512, 32, 4));
  driver.run(1024);
  CHECK(driver.answer_cycle[1] == kFetched + kLookup);
  CHECK(driver.answer_cycle[2] == kFetched + kLookup + 2);
  CHECK(driver.answer_cycle[3] == 512 + kFound);
  CHECK(driver.answer_cycle[4] == 512 + 1 + kFetched - 14 + kLookup);
}

TEST_CASE("atomic operations on one word follow each other slowly, those on others pass them", "[memory]") {
  AtomicWords words(10, 2);
  PendingAtomic one, eight;
  one.address = 0;
  one.lanes = 0xff;  // eight lanes, all on the first word
  eight.address = 128;
  eight.lanes = 0xff;
  for (uint32_t lane = 0; lane < 8; ++lane) eight.at[lane] = static_cast<uint8_t>(lane * 4);
  CHECK(words.unit_cycles(one) == 4);
  CHECK(words.done(one, 100) == 180);
  CHECK(words.done(eight, 104) == 114);
  CHECK(words.done(one, 108) == 260);
  CHECK_FALSE(AtomicWords(0, 1).exist());
}
