// Pseudo channels, command buses and the order of banks, command by command. The machine is that of dram_test.cc: tRCD
// 14, tRP 12, tRAS 29, tRRD 9, tCCD 2, CL 11, WL 7, CDLR 6, RTW 8; a burst of 4 takes 2 cycles.
#include <catch2/catch.hpp>

#include "unit/sim/mem/dram_driver.h"

using namespace warptime;
using namespace warptime::sim;

namespace {

/// The even banks are in one pseudo channel, the odd ones in the other.
DramConfig two_channels() {
  DramConfig config = even_machine().dram;
  config.pseudo_channels = 2;
  return config;
}

}  // namespace

TEST_CASE("pseudo channels have data buses and activates of their own, and share the commands", "[dram]") {
  CHECK(run(even_machine().dram, {{0, 0, 32, false}, {0, kBank, 32, false}}).commands == Cycles{0, 9, 14, 23});
  CHECK(run(two_channels(), {{0, 0, 32, false}, {0, kBank, 32, false}}).commands == Cycles{0, 1, 14, 15});
  CHECK(run(two_channels(), {{0, 0, 32, false}, {0, 2 * kBank, 32, false}}).commands == Cycles{0, 9, 14, 23});
  for (const bool first : {false, true}) {
    for (const bool second : {false, true}) {
      INFO("writes: " << first << ", then " << second);
      const uint64_t same = first == second ? 2 : first ? 7 + 2 + 6 : 8;
      CHECK(with_open_rows(two_channels(), {{200, 0, 32, first}, {200, 2 * kBank, 32, second}}).commands ==
            Cycles{200, 200 + same});
      CHECK(with_open_rows(two_channels(), {{200, 0, 32, first}, {200, kBank, 32, second}}).commands ==
            Cycles{200, 201});
    }
  }
}

TEST_CASE("bank groups and the window of activates are those of a pseudo channel", "[dram]") {
  DramConfig config = two_channels();
  config.bank_groups = 2;
  config.tRRD_L = 13;
  CHECK(run(config, {{0, 0, 32, false}, {0, 4 * kBank, 32, false}}).commands == Cycles{0, 13, 14, 27});
  CHECK(run(config, {{0, 0, 32, false}, {0, 2 * kBank, 32, false}}).commands == Cycles{0, 9, 14, 23});
  CHECK(run(config, {{0, 0, 32, false}, {0, 3 * kBank, 32, false}}).commands == Cycles{0, 1, 14, 15});
  config = two_channels();
  config.banks = 16;
  config.tFAW = 60;
  std::vector<Access> accesses;
  for (Addr i = 0; i < 5; ++i) accesses.push_back({0, 2 * i * kBank, 32, false});
  accesses.push_back({0, kBank, 32, false});
  // Five banks of one pseudo channel: the fifth waits. The other's bank is opened at cycle 1.
  CHECK(run(config, accesses).commands == Cycles{0, 1, 9, 14, 15, 18, 23, 27, 32, 41, 60, 74});
}

TEST_CASE("two command buses carry a row command and a column access in one cycle", "[dram]") {
  DramConfig config = two_channels();
  // Bank 1 is opened when bank 0 is read.
  const std::vector<Access> accesses{{0, 0, 32, false}, {14, kBank, 32, false}};
  CHECK(run(config, accesses).commands == Cycles{0, 14, 15, 29});
  config.command_buses = CommandBuses::row_and_column;
  CHECK(run(config, accesses).commands == Cycles{0, 14, 14, 28});
  // Not two of a kind.
  CHECK(run(config, {{0, 0, 32, false}, {0, kBank, 32, false}}).commands == Cycles{0, 1, 14, 15});
}

TEST_CASE("a refresh of all banks is one of all pseudo channels", "[dram]") {
  DramConfig config = two_channels();
  config.tREFI = 1000;
  config.tRFC = 50;
  for (const Addr bank : {0, 1})
    CHECK(run(config, {{995, bank * kBank, 32, false}, {1001, bank * kBank, 32, false}}).commands.back() >= 1050 + 14);
}

TEST_CASE("the next bank follows after bank_bytes, and rows change the order of banks", "[dram]") {
  DramConfig config = even_machine().dram;
  config.bank_bytes = 256;
  const Addr row = Addr{config.banks} * config.row_bytes;
  auto bank = [&](Addr offset) { return DramMap(config).bank_of(offset); };
  for (Addr i = 0; i < 3 * config.banks; ++i) {
    CHECK(bank(i * 256) == i % config.banks);
    CHECK(bank(i * 256 + 255) == i % config.banks);
    CHECK(DramMap(config).row_of(i * 256) == 0);
  }
  CHECK(bank(row) == 0);
  CHECK(DramMap(config).row_of(row) == 1);
  CHECK(DramMap(config).bytes_left(300) == 212);
  // A second round of the banks finds the rows open.
  CHECK(run(config, {{0, 0, 32, false}, {100, config.banks * 256, 32, false}}).commands == Cycles{0, 14, 100});
  CHECK(run(config, {{0, 0, 32, false}, {100, 256, 32, false}}).commands == Cycles{0, 14, 100, 114});
  config.bank_hash = BankHash::row;
  for (Addr r = 0; r < 20; ++r) {
    CHECK(bank(r * row) == r % config.banks);
    CHECK(bank(r * row + 256) == (1 ^ r % config.banks));
  }
  // At most a row.
  config.bank_bytes = 65536;
  config.bank_hash = BankHash::none;
  CHECK(bank(config.row_bytes) == 1);
}
