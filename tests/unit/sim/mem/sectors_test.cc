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
  driver.send(read_of(0, 1536, 0, 4, 128));  // has the first and the third, reads the others
  driver.send(read_of(0, 2048, 0, 5, 128));
  driver.run(2560);
  CHECK(driver.answer_cycle[2] == 512 + kFetched - 14);
  CHECK(driver.answer_cycle[3] == 1024 + kFound);
  CHECK(driver.answer_cycle[5] == 2048 + kFound + 3 + 3);  // 128 bytes in both ports
  CHECK(bytes_read(driver) == 32 + 32 + 64);
  const DataCacheStats l2 = driver.system.cache_statistics(ReadKind::Data);
  CHECK(l2 == DataCacheStats{.accesses = 5,
                             .hits = 2,
                             .misses = 3,
                             .sector_misses = 2,
                             .read_bytes = 32 + 32 + 32 + 128 + 128,
                             .fetched_bytes = 128});
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

TEST_CASE("sectors: a request of a line takes those that it asks for, and travels as one packet", "[memory]") {
  MemoryDriver driver(with_sectors(32));
  Request gap = read_of(0, 0, 0, 1, 64);  // the first and the third
  gap.granules = 0b101;
  driver.send(gap);
  driver.run(512);
  CHECK(bytes_read(driver) == 64);
  driver.send(read_of(0, 512, 32, 2));
  driver.send(read_of(0, 1024, 64, 3));
  driver.send(gap = read_of(0, 1536, 32, 4, 64));  // the second and the fourth, of which that is not there
  driver.run(1536);
  CHECK(bytes_read(driver) == 96);
  CHECK(driver.answer_cycle[3] == 1024 + kFound);
  gap.granules = 0b101;
  gap.cycle = 1600;
  driver.send(gap);
  driver.run(2560);
  // Two sectors with the header: 3 cycles of each port, where one takes 2.
  CHECK(driver.answer_cycle[1] == kFetched + 2 + 1 + 1);
}

TEST_CASE("a slice's data port serves hits, fills and stores one after another", "[memory]") {
  auto last_of = [](uint32_t slices, uint32_t bytes, bool stores) {
    MachineConfig machine = with_sectors(32, 65536, 16);
    machine.l2.slices = slices;
    machine.l2.slice_bytes = bytes;
    MemoryDriver driver(machine);
    std::vector<PendingStore> lines(8);
    for (uint32_t i = 0; i < 8; ++i) {
      lines[i].address = Addr{i} * 128;
      lines[i].byte_mask = {~uint64_t{0}, ~uint64_t{0}};
      driver.send(write_of(0, 0, lines[i], i, 128));
    }
    driver.run(1024);
    std::vector<PendingStore> again = lines;
    for (uint32_t i = 0; i < 8; ++i) {
      again[i].visible = false;
      driver.send(stores ? write_of(0, 1024, again[i], 100 + i, 128) : read_of(0, 1024, Addr{i} * 128, 100 + i, 128));
    }
    driver.run(2048);
    CHECK(bytes_read(driver) == 0);
    return driver.answer_cycle[107] - 1024;
  };
  // Eight of 128 bytes: the crossbar's ports take 5 cycles each (32 bytes, of which 8 are a header, in a cycle).
  const Cycle by_ports = last_of(1, 0, false);
  CHECK(last_of(1, 32, false) == by_ports);                // 4 cycles each
  CHECK(last_of(1, 8, false) == by_ports + 7 * (16 - 5));  // 16 cycles each: the last begins 7 x 16 after the first
  CHECK(last_of(4, 8, false) < last_of(1, 8, false));
  CHECK(last_of(1, 8, true) > last_of(1, 0, true) + 7 * 8);
}

TEST_CASE("packets to the other half of the L2 take longer, in both directions", "[memory]") {
  MachineConfig machine = with_sectors(32);
  machine.memory.partitions = 2;
  auto cycles_of = [&](uint32_t sm, Addr address) {
    MemoryDriver driver(machine);
    driver.send(read_of(sm, 0, address, 1));
    driver.run(1024);
    return driver.answer_cycle[1];
  };
  const Cycle one = cycles_of(0, 0);
  machine.l2.far_cycles = 30;
  CHECK(cycles_of(0, 256) == one);  // there is one half
  machine.l2.halves = 2;
  CHECK(cycles_of(0, 0) == one);
  CHECK(cycles_of(0, 256) == one + 60);
  CHECK(cycles_of(2, 0) == one + 60);  // an SM of the other TPC
  CHECK(cycles_of(2, 256) == one);
}

TEST_CASE("an L2 that allocates no line for a store passes it to DRAM", "[memory]") {
  for (const StoreAllocation stores : {StoreAllocation::allocate, StoreAllocation::pass}) {
    MachineConfig machine = with_sectors(32);
    machine.l2.stores = stores;
    MemoryDriver driver(machine);
    PendingStore first = store_of(0, 7), other = store_of(256, 8);
    driver.send(read_of(0, 0, 0, 1));
    driver.send(write_of(0, 512, first, 2));  // its line is there
    driver.send(write_of(0, 520, other, 3));  // this is not
    driver.run(1024);
    const bool passes = stores == StoreAllocation::pass;
    CHECK(driver.system.dram_statistics(kLate).write_bytes == (passes ? 32 : 0));
    CHECK(driver.system.cache_statistics(ReadKind::Data).write_bytes == 64);
    CHECK(driver.system.cache_statistics(ReadKind::Data).written_back_bytes == (passes ? 32 : 0));
    CHECK(driver.word_at(256) == 8);
  }
}

TEST_CASE("a miss that reserves its line evicts another at once", "[memory]") {
  for (const LineReserved reserve : {LineReserved::fill, LineReserved::miss}) {
    MachineConfig machine = with_sectors(32, 128, 1);  // one line
    machine.l2.reserve = reserve;
    MemoryDriver driver(machine);
    driver.send(read_of(0, 0, 0, 1));
    driver.run(512);
    driver.send(read_of(0, 512, 32768, 2));  // of another row of the bank
    driver.send(read_of(0, 520, 0, 3));      // before the other has come
    driver.run(1024);
    CHECK(driver.system.cache_statistics(ReadKind::Data).hits == (reserve == LineReserved::fill ? 1 : 0));
  }
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
  MemoryConfig config;
  CHECK_FALSE(AtomicWords(config).exist());
  config.atomic_word_cycles = 10;
  config.atomic_lanes = 2;
  AtomicWords words(config);
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
}
