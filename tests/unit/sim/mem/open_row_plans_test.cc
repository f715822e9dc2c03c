// Planned reads of open rows: a memory system that plans is compared with one that does not, on random traffic; and
// cases by hand, of reads that are planned beside some that look up a cache. There clocks are 1 : 1 : 1, and every
// packet but 64 bytes of data takes one cycle of a port.
#include <catch2/catch.hpp>

#include "unit/sim/mem/memory_driver.h"
#include "unit/sim/mem/traffic.h"

using namespace warptime;
using namespace warptime::sim;

namespace {

MachineConfig with_textures() {
  MachineConfig machine = even_machine();
  machine.clocks.shader_mhz = machine.clocks.core_mhz = machine.clocks.memory_mhz = 1000;
  machine.memory.partitions = 1;
  machine.interconnect.header_bytes = 0;
  machine.texture.partition_cache = {4096, 32, 4, 50};
  return machine;
}

Request texture_of(uint32_t sm, Cycle ready, Addr address, uint32_t tag) {
  Request request = read_of(sm, ready, address, tag);
  request.kind = ReadKind::Texture;
  return request;
}

// From the cycle of a read's last column access until its 32 bytes have passed the TPC's port: 11 (tCL), 2 (burst), 20
// (pipeline), 1 in the partition's port, 80 back, 1 in the TPC's.
constexpr Cycle kBack = 11 + 2 + 20 + 1 + 80 + 1;
constexpr uint32_t kOpens = 100;  // tag of a read that opens the first row

/// Whether plans make no difference: to answers and their cycles, memory, and what DRAM has read at each step's end.
void compare_with_plain(const MachineConfig& machine, const TrafficShape& shape) {
  Traffic planned(machine, shape, true), plain(machine, shape, false);
  planned.run(64);
  plain.run(64);
  REQUIRE(planned.everything().size() > 5000);
  CHECK(planned.everything() == plain.everything());
  CHECK(planned.read_bytes == plain.read_bytes);
}

}  // namespace

TEST_CASE("a memory system with plans is one without, on random traffic", "[memory]") {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    INFO("seed " << seed);
    MachineConfig machine = traffic_machine();
    machine.memory.same_address_merge = SameAddressMerge::none;  // each read looks up the others where they are merged
    machine.memory.credits_per_tpc = seed % 2 == 0 ? 6 : 64;
    machine.memory.queue_entries = 64;
    machine.dram.queue_entries = seed % 4 == 1 ? 4 : 32;
    machine.dram.bypass_limit = seed % 3 == 0 ? 3 : 64;
    machine.dram.tREFI = seed % 4 == 0 ? 0 : seed % 4 == 3 ? 200 : 700;
    machine.texture.partition_cache = seed % 2 == 0 ? CacheConfig{4096, 32, 4, 20} : CacheConfig{};
    if (seed > 6) machine.clocks.memory_mhz = 397;
    if (seed % 4 == 2) add_later_rules(machine.dram);
    // Rows are open for long: few bytes, few writes.
    compare_with_plain(machine, {.seed = seed,
                                 .until = 8000,
                                 .gap = seed % 3 == 1 ? 400u : 20u,
                                 .span = seed % 5 == 0 ? Addr{1} << 16 : Addr{1} << 13,
                                 .one_texture = 5,
                                 .one_write = seed % 3 == 2 ? 3u : 30u});
  }
}

TEST_CASE("a read stays behind a texture line that arrived before it", "[memory]") {
  MemoryDriver driver(with_textures());
  driver.send(read_of(0, 0, 0, kOpens));
  // At the partition's port at 592; the lower SM's passes first: columns 593 and 595.
  driver.send(texture_of(0, 511, 512, 1));
  driver.send(read_of(2, 511, 1024, 2));
  driver.run(2048);
  CHECK(driver.answer_cycle[1] == 593 + kBack);
  CHECK(driver.answer_cycle[2] == 595 + kBack);
}

TEST_CASE("a read stays behind a texture line that waits for room in the scheduler's queue", "[memory]") {
  MachineConfig machine = with_textures();
  machine.dram.queue_entries = 2;
  MemoryDriver driver(machine);
  driver.send(read_of(0, 0, 0, kOpens));
  // One arrives a cycle from 622 on, each takes 4 of the data bus: 622 to 645. Then the texture line, which came at
  // 628, 646; the read, which came at 641, when that still waited, 648.
  for (uint32_t i = 0; i < 6; ++i) driver.send(read_of(0, 540 + i, 64 * i, 10 + i, 64));
  driver.send(texture_of(0, 546, 1024, 1));
  driver.send(read_of(0, 559, 2048, 2));
  driver.run(2048);
  CHECK(driver.answer_cycle[1] == 646 + kBack + 1);  // the TPC's port is busy with the last one's second half
  CHECK(driver.answer_cycle[2] == 648 + kBack);
}

TEST_CASE("a texture line is in its cache when DRAM reads it, not when its time is known", "[memory]") {
  MemoryDriver driver(with_textures());
  driver.send(read_of(0, 0, 0, kOpens));
  // To a closed row of another bank: ACT 593, the first column at 607. The others' times are known then: 609 to 632,
  // the texture line 634.
  driver.send(read_of(0, 511, 4096, 2));
  for (uint32_t i = 1; i <= 6; ++i) driver.send(read_of(0, 511 + i, 4096 + 64 * i, 10 + i, 64));
  driver.send(texture_of(0, 518, 4096 + 2048, 3));
  driver.send(texture_of(0, 540, 4096 + 2048, 4));  // arrives before its column access: it follows
  driver.run(2048);
  CHECK(driver.answer_cycle[2] == 607 + kBack);
  CHECK(driver.answer_cycle[4] == driver.answer_cycle[3] + 1);
}
