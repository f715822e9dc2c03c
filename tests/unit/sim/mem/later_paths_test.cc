// Paths to and from the partitions of later machines: parts of a cycle in ports, masks of stores, answers of another
// width, and how words of atomic operations and lines of the L2 reach DRAM. Clocks are 1 : 1 : 1.
#include <catch2/catch.hpp>

#include "sim/mem/atomic_words.h"
#include "unit/sim/mem/memory_driver.h"

using namespace warptime;
using namespace warptime::sim;

namespace {

/// Partitions have an L2 that finds in no time; ports have no headers.
MachineConfig with_l2(uint32_t bytes = 4096, uint32_t ways = 4) {
  MachineConfig machine = even_machine();
  machine.clocks.shader_mhz = machine.clocks.core_mhz = machine.clocks.memory_mhz = 1000;
  machine.memory.partitions = 1;
  machine.interconnect.header_bytes = 0;
  machine.l2.cache = {bytes, 128, ways, 0};
  machine.l2.sector_bytes = 32;
  return machine;
}

PendingStore line_of(Addr address, uint64_t mask = ~uint64_t{0}) {
  PendingStore store;
  store.address = address;
  store.byte_mask = {mask, mask};
  return store;
}

/// The cycle of the last answer to eight stores of 128 bytes each that are ready at once.
Cycle last_of_stores(const MachineConfig& machine, uint64_t mask = ~uint64_t{0}) {
  MemoryDriver driver(machine);
  std::vector<PendingStore> stores;
  for (uint32_t i = 0; i < 8; ++i) stores.push_back(line_of(Addr{i} * 128, mask));
  for (uint32_t i = 0; i < 8; ++i) driver.send(write_of(0, 0, stores[i], i, 128));
  driver.run(1024);
  return driver.answer_cycle[7];
}

uint64_t bytes_read_by(const MachineConfig& machine, const std::vector<Request>& requests) {
  MemoryDriver driver(machine);
  for (const Request& request : requests) driver.send(request);
  driver.run(2048);
  return driver.system.dram_statistics(kLate).read_bytes;
}

}  // namespace

TEST_CASE("packets take parts of a core cycle in a port", "[memory]") {
  MachineConfig machine = with_l2();
  machine.interconnect.tpc_width_bytes = 128;
  machine.interconnect.partition_width_bytes = 24;
  const Cycle whole = last_of_stores(machine);  // each takes 6 cycles in the partition's port
  machine.interconnect.cycle_parts = 32;        // 171 parts of 32: 42.75 cycles for all
  CHECK(whole - last_of_stores(machine) == 8 * 6 - 43);
  machine.interconnect.partition_width_bytes = 32;
  CHECK(whole - last_of_stores(machine) == 8 * (6 - 4));
}

TEST_CASE("a port's parts do not change packets of whole cycles, nor its busy cycles", "[memory]") {
  for (const uint32_t parts : {1, 32}) {
    MachineConfig machine = with_l2();
    machine.interconnect.cycle_parts = parts;
    MemoryDriver driver(machine);
    PendingStore store = line_of(0);
    driver.send(write_of(0, 0, store, 1, 128));
    driver.send(read_of(0, 512, 0, 2, 128));
    driver.run(1024);
    CHECK(driver.answer_cycle[2] == 512 + 1 + 80 + 1 + 4 + 80 + 4);  // requests leave at the next shader cycle
    CHECK(driver.system.partitions_busy(1024)[0].request_port == (parts == 1 ? 5 : 4));
    CHECK(driver.system.partitions_busy(1024)[0].response_port == (parts == 1 ? 5 : 4));
  }
}

TEST_CASE("answers have a width of their own", "[memory]") {
  MachineConfig machine = with_l2();
  machine.interconnect.tpc_width_bytes = 128;
  auto cycles = [&] {
    MemoryDriver driver(machine);
    PendingStore store = line_of(0);
    driver.send(write_of(0, 0, store, 1, 128));
    driver.send(read_of(0, 512, 0, 2, 128));
    driver.run(1024);
    return driver.answer_cycle[2];
  };
  const Cycle one_width = cycles();
  machine.interconnect.partition_answer_bytes = 64;
  CHECK(one_width - cycles() == 2);  // 4 cycles of 32 bytes, 2 of 64
  machine.interconnect.partition_width_bytes = 8;
  CHECK(one_width - cycles() == 2);  // the request has no data
}

TEST_CASE("a sector that a store does not write as a whole travels with a mask", "[memory]") {
  MachineConfig machine = with_l2();
  machine.interconnect.tpc_width_bytes = 128;
  machine.interconnect.cycle_parts = 32;
  const Cycle whole = last_of_stores(machine);
  machine.memory.mask_bytes = 8;
  CHECK(last_of_stores(machine) == whole);
  // Two of four sectors; the first of the packets passes the TPC's port a cycle later, too.
  CHECK(last_of_stores(machine, ~uint64_t{1}) == whole + 8 * 2 * 8 / 32 + 1);
}

TEST_CASE("an L2 that reads more than a sector has others of its line from a miss", "[memory]") {
  MachineConfig machine = with_l2();
  const std::vector<Request> reads{read_of(0, 0, 32, 1), read_of(0, 512, 0, 2), read_of(0, 1024, 64, 3)};
  CHECK(bytes_read_by(machine, reads) == 96);
  machine.l2.fetch_bytes = 64;
  CHECK(bytes_read_by(machine, reads) == 128);  // the second hits
  machine.l2.fetch_bytes = 128;
  CHECK(bytes_read_by(machine, reads) == 128);  // the third as well
}

TEST_CASE("sectors that were stored in part are read before they are written to DRAM", "[memory]") {
  for (const bool part : {false, true})
    for (const bool fills : {false, true}) {
      MachineConfig machine = with_l2(128, 1);  // one line
      machine.l2.fetch_bytes = 64;
      machine.l2.partial_sectors = fills ? PartialSectors::filled : PartialSectors::masked;
      MemoryDriver driver(machine);
      PendingStore first = line_of(32, part ? 0xff : 0xffffffff), other = line_of(128);
      first.byte_mask[1] = 0;
      driver.send(write_of(0, 0, first, 1));
      driver.send(write_of(0, 512, other, 2, 128));
      driver.run(1024);
      CHECK(driver.system.dram_statistics(kLate).read_bytes == (part && fills ? 64 : 0));
      CHECK(driver.system.dram_statistics(kLate).write_bytes == 32);
    }
}

TEST_CASE("operations on one word take parts of a cycle, on floating-point words others, and a warp may make them one",
          "[memory]") {
  MemoryConfig config;
  config.atomic_word_cycles = 1.5;
  config.atomic_float_word_cycles = 3.25;
  config.atomic_lanes = 8;
  PendingAtomic atomic;
  atomic.lanes = ~0u;  // all on the first word
  CHECK(AtomicWords(config).done(atomic, 100) == 148);
  CHECK(AtomicWords(config).unit_cycles(atomic) == 4);
  atomic.floating = true;
  CHECK(AtomicWords(config).done(atomic, 100) == 204);
  config.atomic_float_word_cycles = 0;
  CHECK(AtomicWords(config).done(atomic, 100) == 148);
  atomic.combined = true;
  AtomicWords words(config);
  CHECK(words.unit_cycles(atomic) == 1);
  CHECK(words.done(atomic, 100) == 102);  // 101.5
  CHECK(words.done(atomic, 100) == 103);  // 103
  CHECK(atomic.conflict_degree() == 1);
}

TEST_CASE("the answer of an atomic operation takes longer than its work", "[memory]") {
  auto answered = [](uint32_t latency) {
    MachineConfig machine = with_l2();
    machine.features = {"global_atomics"};
    machine.memory.atomic_latency = latency;
    MemoryDriver driver(machine);
    PendingAtomic atomic;
    atomic.combine = [](uint64_t old, uint64_t b, uint64_t) { return old + b; };
    atomic.lanes = 1;
    atomic.size = 32;
    atomic.b[0] = 7;
    Request request = write_of(0, 0, atomic, 1);
    request.atomic = true;
    driver.send(request);
    driver.run(1024);
    CHECK(driver.word_at(0) == 7);
    return driver.answer_cycle[1];
  };
  CHECK(answered(200) == answered(0) + 200);
}
