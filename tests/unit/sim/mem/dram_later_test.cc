// The rules that DRAM of later machines adds, command by command: bank groups, the window of four activates, refreshes
// of one bank, writes drained in batches. The machine is that of dram_test.cc: tRCD 14, tRP 12, tRAS 29, tRRD 9, tCCD
// 2, CL 11, WL 7, CDLR 6, RTW 8; a burst of 4 takes 2 cycles. Banks 0 and 2 are in one group of two, bank 1 in the
// other.
#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>

#include "base/random.h"
#include "base/state_archive.h"
#include "unit/sim/mem/dram_driver.h"

using namespace warptime;
using namespace warptime::sim;

namespace {

DramConfig two_groups() {
  DramConfig config = even_machine().dram;
  config.bank_groups = 2;
  return config;
}

DramConfig one_bank_at_a_time() {
  DramConfig config = even_machine().dram;
  config.refresh = RefreshScope::per_bank;
  config.tREFI = 8000;  // a bank each 1000 cycles
  config.tRFCpb = 40;
  return config;
}

DramConfig drained(uint32_t high, uint32_t low) {
  DramConfig config = even_machine().dram;
  config.write_high = high;
  config.write_low = low;
  return config;
}

}  // namespace

TEST_CASE("column accesses of one bank group are tCCD_L apart", "[dram]") {
  DramConfig config = two_groups();
  config.tCCD_L = 5;
  for (bool write : {false, true}) {
    CHECK(with_open_rows(config, {{200, 0, 32, write}, {200, kBank, 32, write}}).commands == Cycles{200, 202});
    CHECK(with_open_rows(config, {{200, 0, 32, write}, {200, 2 * kBank, 32, write}}).commands == Cycles{200, 205});
    // One bank is in one group.
    CHECK(with_open_rows(config, {{200, 0, 64, write}}).commands == Cycles{200, 205});
  }
  // The other group's access is ready first, and delays that of the first group no more.
  Trace three = with_open_rows(config, {{200, 0, 32, false}, {200, 2 * kBank, 32, false}, {200, kBank, 32, false}});
  CHECK(three.order == Order{0, 2, 1});
  CHECK(three.commands == Cycles{200, 202, 205});
  // Without groups, and without a time of its own, a group is nothing.
  config.bank_groups = 1;
  CHECK(with_open_rows(config, {{200, 0, 32, false}, {200, 2 * kBank, 32, false}}).commands == Cycles{200, 202});
  config = two_groups();
  CHECK(with_open_rows(config, {{200, 0, 32, false}, {200, 2 * kBank, 32, false}}).commands == Cycles{200, 202});
}

TEST_CASE("neighbouring banks are in different groups", "[dram]") {
  DramConfig config = even_machine().dram;
  config.bank_groups = 4;
  config.tRRD_L = 13;
  for (Addr bank = 1; bank < 8; ++bank) {
    const uint64_t second = bank == 4 ? 13 : 9;
    CHECK(run(config, {{0, 0, 32, false}, {0, bank * kBank, 32, false}}).data_end[1] == second + 14 + 13);
  }
}

TEST_CASE("activates of one bank group are tRRD_L apart", "[dram]") {
  DramConfig config = two_groups();
  config.tRRD_L = 13;
  CHECK(run(config, {{0, 0, 32, false}, {0, kBank, 32, false}}).commands == Cycles{0, 9, 14, 23});
  CHECK(run(config, {{0, 0, 32, false}, {0, 2 * kBank, 32, false}}).commands == Cycles{0, 13, 14, 27});
  // The younger request's bank, in the other group, is opened first; tRRD after it, the older one's.
  Trace three = run(config, {{0, 0, 32, false}, {0, 2 * kBank, 32, false}, {0, kBank, 32, false}});
  CHECK(three.order == Order{0, 2, 1});
  CHECK(three.commands == Cycles{0, 9, 14, 18, 23, 32});
}

TEST_CASE("a read waits tWTR_L for a write to its bank group", "[dram]") {
  // WR 200, its data until 209.
  DramConfig config = two_groups();
  config.tWTR_L = 10;
  CHECK(with_open_rows(config, {{200, 0, 32, true}, {200, kBank, 32, false}}).commands == Cycles{200, 215});
  CHECK(with_open_rows(config, {{200, 0, 32, true}, {200, 2 * kBank, 32, false}}).commands == Cycles{200, 219});
}

TEST_CASE("any window of tFAW has at most four activates", "[dram]") {
  DramConfig config = even_machine().dram;
  config.tRRD = 3;
  std::vector<Access> accesses{{0, 0, 32, false}};
  for (Addr bank = 1; bank < 8; ++bank) accesses.push_back({20, bank * kBank, 32, false});
  // ACT 0, 20, 23, 26, ...; each RD 14 later.
  CHECK(run(config, accesses).commands == Cycles{0, 14, 20, 23, 26, 29, 32, 34, 35, 37, 38, 40, 43, 46, 49, 52});
  // The fifth 50 after the first, the sixth 50 after the second.
  config.tFAW = 50;
  CHECK(run(config, accesses).commands == Cycles{0, 14, 20, 23, 26, 34, 37, 40, 50, 64, 70, 73, 76, 84, 87, 90});
}

TEST_CASE("a refresh of one bank closes its row and blocks it for tRFCpb", "[dram]") {
  const DramConfig config = one_bank_at_a_time();
  // Bank 0 is due at 1000. ACT 990; RD would be 1004. PRE 990 + 29, refresh 1031, ACT 1031 + 40, RD 1085.
  CHECK(run(config, {{990, 0, 32, false}}).commands == Cycles{990, 1000, 1071, 1085});
  // Others go on.
  CHECK(run(config, {{990, kBank, 32, false}}).commands == Cycles{990, 1000, 1004});
  // A closed bank is refreshed at once, until 1040.
  CHECK(run(config, {{1010, 0, 32, false}}).commands == Cycles{1000, 1040, 1054});
  CHECK(run(config, {{1010, kBank, 32, false}}).commands == Cycles{1000, 1010, 1024});
  // Bank 1 is next, then bank 2; bank 0 again after all others.
  CHECK(run(config, {{1990, kBank, 32, false}}).commands == Cycles{1000, 1990, 2000, 2071, 2085});
  CHECK(run(config, {{2990, 2 * kBank, 32, false}}).commands == Cycles{1000, 2000, 2990, 3000, 3071, 3085});
  CHECK(run(config, {{8990, 0, 32, false}}).commands.back() == 9085);
  DramConfig as_all = config;
  as_all.tRFCpb = 0;  // tRFC: 60
  CHECK(run(as_all, {{1010, 0, 32, false}}).commands == Cycles{1000, 1060, 1074});
}

TEST_CASE("a request whose bank is refreshed stops no others", "[dram]") {
  // The refresh of bank 0 ends at 1040: ACT, RD 1054. Three reads of bank 1 pass it meanwhile, and one later.
  DramConfig config = one_bank_at_a_time();
  config.bypass_limit = 1;
  std::vector<Access> accesses{{900, kBank, 32, false}, {1001, 0, 32, false}};
  for (uint64_t at : {1010, 1020, 1030, 1042}) accesses.push_back({at, kBank, 32, false});
  Trace trace = run(config, accesses);
  CHECK(trace.commands == Cycles{900, 914, 1000, 1010, 1020, 1030, 1040, 1042, 1054});
  CHECK(trace.order == Order{0, 2, 3, 4, 5, 1});
  // Another later one would be the second.
  accesses.push_back({1044, kBank, 32, false});
  trace = run(config, accesses);
  CHECK(trace.commands == Cycles{900, 914, 1000, 1010, 1020, 1030, 1040, 1042, 1054, 1056});
  CHECK(trace.order == Order{0, 2, 3, 4, 5, 1, 6});
}

TEST_CASE("rows of banks that are not refreshed stay open", "[dram]") {
  std::vector<Access> accesses{
      {0, 0, 32, false}, {0, kBank, 32, false}, {1500, 0, 32, false}, {1500, kBank, 32, false}};
  CHECK(run(one_bank_at_a_time(), accesses).statistics.row_misses == 3);
  DramConfig all = one_bank_at_a_time();
  all.refresh = RefreshScope::all_banks;
  all.tREFI = 1000;
  CHECK(run(all, accesses).statistics.row_misses == 4);
}

TEST_CASE("a launch leaves the rows of banks that were not refreshed", "[dram]") {
  Dram dram(one_bank_at_a_time());
  const std::vector<std::optional<uint64_t>> rows(8, 5);
  dram.find_open(rows);
  auto left = [&](uint64_t end) {
    uint32_t count = 0;
    for (const auto& row : dram.rows_left(end)) count += row.has_value();
    return count;
  };
  CHECK(left(999) == 8);
  CHECK(left(1000) == 7);
  CHECK_FALSE(dram.rows_left(1000)[0].has_value());
  CHECK(left(2999) == 6);
  CHECK(left(8000) == 0);
  // A read of bank 3 at 2500: banks 0 and 1 have been refreshed, bank 2 is next.
  dram.admit(3 * kBank, 32, false, 2500);
  while (!dram.empty()) dram.issue();
  CHECK(left(2999) == 6);
  CHECK(left(3000) == 5);
  CHECK_FALSE(dram.rows_left(3000)[2].has_value());
  CHECK(left(9000) == 0);
}

TEST_CASE("writes wait for reads until there are write_high", "[dram]") {
  // Two writes wait: RD 200, 202; then no read waits: WR 202 + 8.
  const std::vector<Access> two{{200, 0, 32, true}, {200, 32, 32, false}, {200, 64, 32, true}, {200, 96, 32, false}};
  Trace waits = with_open_rows(drained(3, 1), two);
  CHECK(waits.order == Order{1, 3, 0, 2});
  CHECK(waits.commands == Cycles{200, 202, 210, 212});
  // With two of them they go first.
  CHECK(with_open_rows(drained(2, 1), two).order == Order{0, 1, 3, 2});
  // Equal: the oldest first.
  CHECK(with_open_rows(even_machine().dram, two).order == Order{0, 1, 2, 3});
}

TEST_CASE("writes are drained until write_low are left", "[dram]") {
  std::vector<Access> three{
      {200, 0, 32, true}, {200, 32, 32, false}, {200, 64, 32, true}, {200, 96, 32, true}, {200, 128, 32, false}};
  // WR 200, 202, its data until 211; RD 217, 219; WR 227.
  Trace trace = with_open_rows(drained(3, 1), three);
  CHECK(trace.order == Order{0, 2, 1, 4, 3});
  CHECK(trace.commands == Cycles{200, 202, 217, 219, 227});
  CHECK(with_open_rows(drained(3, 2), three).order == Order{0, 1, 4, 2, 3});
  CHECK(with_open_rows(drained(3, 0), three).order == Order{0, 2, 3, 1, 4});
}

TEST_CASE("without reads all writes go, and a read that comes waits until write_low are left", "[dram]") {
  const std::vector<Access> writes{{200, 0, 32, true}, {200, 32, 32, true}, {200, 64, 32, true}};
  CHECK(with_open_rows(drained(8, 1), writes).commands == Cycles{200, 202, 204});
  std::vector<Access> with_read = writes;
  with_read.push_back({201, 96, 32, false});
  // WR 202, its data until 211, RD 217, WR 225.
  Trace trace = with_open_rows(drained(8, 1), with_read);
  CHECK(trace.order == Order{0, 1, 3, 2});
  CHECK(trace.commands == Cycles{200, 202, 217, 225});
}

TEST_CASE("the row of waiting writes is not closed while they wait", "[dram]") {
  // The bank's oldest request is the write to its open row; the read's row is opened for it: PRE 200, ACT 212, RD 226,
  // and the write's row again: PRE 241, ACT 253, WR 267.
  constexpr Addr kRow = 8 * kBank;
  Trace trace = with_open_rows(drained(3, 1), {{200, 0, 32, true}, {200, kRow, 32, false}});
  CHECK(trace.order == Order{1, 0});
  CHECK(trace.commands == Cycles{200, 212, 226, 241, 253, 267});
}

TEST_CASE("neither reads nor writes are passed over for ever", "[dram]") {
  DramConfig config = drained(8, 1);
  config.bypass_limit = 2;
  // The write is the oldest, two reads pass it.
  std::vector<Access> reads{{200, 0, 32, true}};
  for (Addr i = 1; i <= 4; ++i) reads.push_back({200, i * 32, 32, false});
  CHECK(with_open_rows(config, reads).order == Order{1, 2, 0, 3, 4});
  // A read of a closed row is the oldest, two of the writes that are drained pass it.
  config.write_high = 3;
  config.write_low = 0;
  std::vector<Access> writes{{200, 8 * kBank, 32, false}};
  for (Addr i = 1; i <= 5; ++i) writes.push_back({200, i * 32, 32, true});
  CHECK(with_open_rows(config, writes).order == Order{1, 2, 0, 3, 4, 5});
}

TEST_CASE("writes are not drained before the reads of open rows that are older than all of them", "[dram]") {
  const DramConfig config = drained(2, 0);
  // Two reads, two writes, a read: all of one open row.
  const auto access = [](Addr i, bool write) { return Access{200, i * 32, 32, write}; };
  CHECK(with_open_rows(config, {access(0, false), access(1, false), access(2, true), access(3, true), access(4, false)})
            .order == Order{0, 1, 2, 3, 4});
  // Reads of another row of the bank do not hold the writes back.
  const auto other_row = [](Addr i) { return Access{200, 8 * kBank + i * 32, 32, false}; };
  CHECK(with_open_rows(config, {other_row(0), other_row(1), access(2, true), access(3, true)}).order ==
        Order{2, 3, 0, 1});
}

TEST_CASE("a DRAM goes on as it was saved, with the rules of later machines", "[dram]") {
  DramConfig config = drained(8, 3);
  config.bank_groups = 4;
  config.tCCD_L = 4, config.tRRD_L = 12, config.tWTR_L = 9, config.tFAW = 60;
  config.refresh = RefreshScope::per_bank;
  config.tREFI = 800, config.tRFCpb = 30, config.bypass_limit = 12;
  auto dram = std::make_unique<Dram>(config), same = std::make_unique<Dram>(config);
  SplitMix64 random(1);
  uint64_t now = 0;
  for (int i = 0; i < 3000; ++i) {
    REQUIRE(same->next_command() == dram->next_command());
    if (!dram->full() && (dram->empty() || random.below(3) == 0)) {
      const Addr offset = random.below(24) * kBank + random.below(128) * 32;
      const bool write = random.below(2) == 0;
      now = std::min(now + random.below(9), dram->empty() ? kNever : std::max(now, dram->next_command()));
      for (Dram* each : {dram.get(), same.get()}) each->admit(offset, 32, write, now);
    } else {
      now = std::max(now, dram->next_command() + 1);
      REQUIRE(same->issue().data_end == dram->issue().data_end);
    }
    if (i % 10 != 0) continue;
    std::vector<std::byte> saved;
    StateWriter writer(saved);
    same->serialize(writer);
    same = std::make_unique<Dram>(config);
    StateReader reader(saved);
    same->serialize(reader);
  }
}
