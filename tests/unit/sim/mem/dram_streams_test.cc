// The part of the peak bandwidth that streams reach in one DRAM, with times as in GDDR5 and HBM2 devices. Each stream
// keeps the queue full. What it may reach follows from the rules of dram_timing.cc.
#include <catch2/catch.hpp>
#include <functional>

#include "sim/mem/dram.h"

using namespace warptime;
using namespace warptime::sim;

namespace {

/// About 2 GHz (the clock of the data, WCK, of JESD212), 32 bits wide: 32 bytes per column access, in 4 cycles.
DramConfig gddr5() {
  DramConfig d;
  d.queue_entries = 64, d.bus_bytes = 4, d.burst_length = 8, d.banks = 16, d.bank_groups = 4, d.row_bytes = 2048;
  d.tRCD = 24, d.tRP = 24, d.tRAS = 56, d.tRC = 80, d.tRRD = 11, d.tRRD_L = 11, d.tFAW = 46, d.tCCD = 4, d.tCCD_L = 6;
  d.tCL = 30, d.tWL = 8, d.tWTR = 10, d.tWTR_L = 12, d.tWR = 24, d.tRTW = 28, d.tRTP = 4, d.tREFI = 3800, d.tRFC = 130;
  return d;
}

/// A pseudo channel of 64 bits at 1 GHz (JESD235): 32 bytes per column access, in 2 cycles.
DramConfig hbm2() {
  DramConfig d;
  d.queue_entries = 64, d.bus_bytes = 8, d.burst_length = 4, d.banks = 16, d.bank_groups = 4, d.row_bytes = 1024;
  d.tRCD = 14, d.tRP = 14, d.tRAS = 33, d.tRC = 47, d.tRRD = 4, d.tRRD_L = 6, d.tFAW = 16, d.tCCD = 2, d.tCCD_L = 4;
  d.tCL = 18, d.tWL = 7, d.tWTR = 4, d.tWTR_L = 9, d.tWR = 16, d.tRTW = 15, d.tRTP = 5;
  d.refresh = RefreshScope::per_bank;
  d.tREFI = 3900, d.tRFCpb = 160;
  return d;
}

struct StreamAccess {
  Addr offset;
  bool write;
};
using Stream = std::function<StreamAccess(uint32_t)>;

/// The part of the time in which data move.
double efficiency(const DramConfig& config, const Stream& stream) {
  constexpr uint32_t kAccesses = 20'000;
  Dram dram(config);
  uint32_t sent = 0;
  uint64_t now = 0, end = 0;
  while (sent < kAccesses || !dram.empty()) {
    for (; !dram.full() && sent < kAccesses; ++sent) {
      const StreamAccess access = stream(sent);
      dram.admit(access.offset, 32, access.write, now);
    }
    now = dram.next_command();
    const DramServed served = dram.issue();
    if (served.slot != DramServed::kNone) end = std::max(end, served.data_end);
    ++now;
  }
  return static_cast<double>(kAccesses) * burst_cycles(config) / static_cast<double>(end);
}

/// In turn the next 32 bytes of one of `count` banks, `stride` apart; the banks change their rows at different times.
Addr in_turn(const DramConfig& config, uint32_t i, uint32_t first, uint32_t count, uint32_t stride) {
  const uint32_t columns = config.row_bytes / 32, turn = i % count;
  const uint32_t access = i / count + turn * columns / count;
  const uint32_t row = access / columns, bank = first + turn * stride;
  return (Addr{row} * config.banks + bank) * config.row_bytes + access % columns * 32;
}

Stream all_groups(const DramConfig& config, bool write) {
  return [=](uint32_t i) { return StreamAccess{in_turn(config, i, 0, 16, 1), write}; };
}

/// Banks 0, 4, 8 and 12.
Stream one_group(const DramConfig& config, bool write) {
  return [=](uint32_t i) { return StreamAccess{in_turn(config, i, 0, 4, 4), write}; };
}

/// Reads of one half of the banks, and as many writes to the other.
Stream copy(const DramConfig& config) {
  return [=](uint32_t i) {
    const bool write = i % 2 == 1;
    return StreamAccess{in_turn(config, i / 2, write ? 8 : 0, 8, 1), write};
  };
}

DramConfig draining(DramConfig config, uint32_t high, uint32_t low) {
  config.write_high = high;
  config.write_low = low;
  return config;
}

}  // namespace

TEST_CASE("streams over all bank groups reach nearly the peak, in one group tCCD / tCCD_L of it", "[dram]") {
  for (const DramConfig& config : {gddr5(), hbm2()}) {
    const double within = static_cast<double>(config.tCCD) / config.tCCD_L;
    for (bool write : {false, true}) {
      const double all = efficiency(config, all_groups(config, write));
      const double one = efficiency(config, one_group(config, write));
      INFO("banks in turn " << all << ", of one group " << one << ", which allows " << within);
      CHECK(all > 0.88);
      CHECK(one <= within);
      CHECK(one > 0.88 * within);
      DramConfig without = config;
      without.bank_groups = 1;
      CHECK(efficiency(without, one_group(without, write)) > 1.2 * within);
    }
  }
}

TEST_CASE("the window of activates limits streams that open a row for each access", "[dram]") {
  for (DramConfig config : {gddr5(), hbm2()}) {
    config.tFAW *= 3;
    const Stream rows = [&](uint32_t i) { return StreamAccess{Addr{i} * config.row_bytes, false}; };
    const double allowed = 4.0 * burst_cycles(config) / config.tFAW;
    const double reached = efficiency(config, rows);
    INFO("reached " << reached << " of " << allowed);
    CHECK(reached <= allowed * 1.001);
    CHECK(reached > 0.85 * allowed);
    config.tFAW = 0;
    CHECK(efficiency(config, rows) > 1.2 * allowed);
  }
}

TEST_CASE("a refresh of one bank costs less than one of all", "[dram]") {
  for (DramConfig config : {gddr5(), hbm2()}) {
    config.tRFC = config.tRFCpb = 160;
    config.refresh = RefreshScope::all_banks;
    const double all = efficiency(config, all_groups(config, false));
    config.refresh = RefreshScope::per_bank;
    const double one = efficiency(config, all_groups(config, false));
    config.tREFI = 0;
    const double none = efficiency(config, all_groups(config, false));
    INFO("all banks " << all << ", one bank " << one << ", none " << none);
    CHECK(all < one);
    CHECK(one < none);
  }
}

TEST_CASE("writes drained in batches beat writes that alternate with reads", "[dram]") {
  for (const DramConfig& config : {gddr5(), hbm2()}) {
    DramConfig in_order = config;
    in_order.scheduler = DramPolicy::fcfs;
    const double alternating = efficiency(in_order, copy(config));
    const double at_once = efficiency(draining(config, 1, 0), copy(config));
    const double small = efficiency(draining(config, 8, 4), copy(config));
    const double large = efficiency(draining(config, 32, 8), copy(config));
    const double reads = efficiency(config, all_groups(config, false));
    INFO("in order " << alternating << ", each at once " << at_once << ", batches of 4 " << small << ", of 24 " << large
                     << ", equal " << efficiency(config, copy(config)) << ", reads alone " << reads);
    CHECK(alternating < small);
    CHECK(at_once < small);
    CHECK(small < large);
    CHECK(large < reads);
    // A batch of 24 writes and 24 reads loses two changes of the direction.
    const double burst = burst_cycles(config);
    const double batch = 48 * burst + config.tRTW + config.tWL + config.tWTR_L;
    CHECK(large > 0.8 * 48 * burst / batch);
  }
}
