// Saturating streams against what the tables allow. Each SM reads its own sequence of 64-byte segments with as many
// requests under way as it may.
#include <catch2/catch.hpp>

#include "unit/sim/mem/memory_driver.h"

using namespace warptime;
using namespace warptime::sim;

namespace {

constexpr Cycle kWarm = 64 * 300, kEnd = 64 * 1000;

/// Bytes of DRAM data per memory cycle and partition, over [kWarm, kEnd).
double bytes_per_memory_cycle(const MachineConfig& machine, Addr apart) {
  MemoryDriver driver(machine);
  uint32_t per_tpc = machine.chip.sms_per_tpc, sms = machine.chip.tpcs * per_tpc;
  std::vector<Addr> next(sms);
  std::vector<uint32_t> outstanding(sms);
  DramStats warm;
  Cycle begin = 0;
  for (; begin < kEnd; begin += 64) {
    if (begin == kWarm) warm = driver.system.dram_statistics(kLate);
    for (uint32_t t = 0; t < machine.chip.tpcs; ++t) {
      TpcMemory& tpc = driver.system.tpc(t);
      tpc.begin_step(begin, begin + 64);
      for (Cycle now = begin; now < begin + 64; now += 4) {
        while (tpc.next_response() <= now) --outstanding[tpc.pop_response().sm];
        for (uint32_t sm = t * per_tpc; sm < (t + 1) * per_tpc; ++sm) {
          if (outstanding[sm] >= 96 || !tpc.has_room(sm % per_tpc, 1, now)) continue;
          tpc.send(sm % per_tpc, read_of(sm, now, kDeviceBase + sm * apart + next[sm], 0, 64));
          next[sm] += 64;
          ++outstanding[sm];
        }
      }
    }
    for (uint32_t p = 0; p < machine.memory.partitions; ++p) driver.system.run_partition(p, begin, begin + 64);
    driver.system.exchange();
  }
  double memory_cycles = (kEnd - kWarm) / machine.clocks.shader_mhz * machine.clocks.memory_mhz;
  return static_cast<double>(driver.system.dram_statistics(kLate).read_bytes - warm.read_bytes) / memory_cycles /
         machine.memory.partitions;
}

/// Between the SMs' regions: each begins a bank (a row in each of two partitions) after the one before.
constexpr Addr kApart = (8 << 20) + 2 * 4096;

}  // namespace

TEST_CASE("a stream that only DRAM limits reaches its data bus, less refresh", "[bandwidth]") {
  MachineConfig machine = even_machine();
  machine.interconnect.tpc_width_bytes = machine.interconnect.partition_width_bytes = 128;  // no limit
  machine.memory.bytes = 512 << 20;
  // 16 bytes per memory cycle is the bus. Four streams change rows in different banks, while others move data.
  double open = bytes_per_memory_cycle(machine, kApart);
  CHECK(open <= 16.0);
  CHECK(open > 15.2);
  // Each refresh costs the precharge (12), tRFC (60), tRCD (14) and the wait for the last activate's tRAS: 86 to 115 of
  // 1000 cycles.
  machine.dram.tREFI = 1000;
  double refreshed = bytes_per_memory_cycle(machine, kApart);
  CHECK(refreshed < open * (1 - 0.080));
  CHECK(refreshed > open * (1 - 0.120));
}

TEST_CASE("a port limits a stream to its width", "[bandwidth]") {
  // 64 bytes and a header of 8 take 3 core cycles of 32 bytes; core and memory clock are equal.
  MachineConfig machine = even_machine();
  machine.chip.tpcs = 4;
  machine.memory.bytes = 512 << 20;
  double port = bytes_per_memory_cycle(machine, kApart);
  CHECK(port <= 64.0 / 3);
  machine.dram.bus_bytes = 16;             // DRAM could do 32
  machine.interconnect.header_bytes = 32;  // 96 bytes: still 3
  port = bytes_per_memory_cycle(machine, kApart);
  CHECK(port == Approx(64.0 / 3).epsilon(0.01));
}
