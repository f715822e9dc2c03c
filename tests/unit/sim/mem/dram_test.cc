// DRAM timing, command by command. Commands of the machine below (memory cycles): tRCD 14, tRP 12, tRAS 29, tRC 41,
// tRRD 9, tCCD 2, CL 11, WL 7, CDLR 6, WR 11, RTW 8, RTP 4; a burst of 4 takes 2 cycles; 32 bytes per column access.
#include "sim/mem/dram.h"

#include <catch2/catch.hpp>
#include <vector>

#include "unit/sim/mem/dram_driver.h"

using namespace warptime;
using namespace warptime::sim;

namespace {

constexpr Addr kRow = 4096 * 8;  // the next row of the same bank

}  // namespace

TEST_CASE("closed row: activate, read, data", "[dram]") {
  // ACT 100, RD 100 + 14, data until 114 + 11 + 2.
  Trace trace = run(even_machine().dram, {{100, 0, 32, false}});
  CHECK(trace.commands == Cycles{100, 114});
  CHECK(trace.data_end[0] == 127);
  CHECK(trace.statistics.row_misses == 1);
  CHECK(trace.statistics.row_hits == 0);
  CHECK(trace.statistics.read_bytes == 32);
}

TEST_CASE("row hit: the column access alone", "[dram]") {
  Trace trace = run(even_machine().dram, {{0, 0, 32, false}, {200, 4064, 32, false}});
  CHECK(trace.commands == Cycles{0, 14, 200});
  CHECK(trace.data_end[1] == 213);
  CHECK(trace.statistics.row_hits == 1);
}

TEST_CASE("row conflict: precharge, activate, read", "[dram]") {
  // Long after the first: PRE 300, ACT 312, RD 326, data until 339.
  Trace idle = run(even_machine().dram, {{0, 0, 32, false}, {300, kRow, 32, false}});
  CHECK(idle.commands == Cycles{0, 14, 300, 312, 326});
  CHECK(idle.data_end[1] == 339);
  CHECK(idle.statistics.row_misses == 2);
  // At once: PRE waits for tRAS (0 + 29), ACT for tRP and tRC (41 both), RD 55.
  Trace busy = run(even_machine().dram, {{0, 0, 32, false}, {15, kRow, 32, false}});
  CHECK(busy.commands == Cycles{0, 14, 29, 41, 55});
}

TEST_CASE("tRC and tRTP bind where tRAS does not", "[dram]") {
  DramConfig config = even_machine().dram;
  config.tRC = 50;
  CHECK(run(config, {{0, 0, 32, false}, {15, kRow, 32, false}}).commands == Cycles{0, 14, 29, 50, 64});
  config = even_machine().dram;
  config.tRTP = 20;  // RD 14, PRE 34, ACT 46, RD 60
  CHECK(run(config, {{0, 0, 32, false}, {15, kRow, 32, false}}).commands == Cycles{0, 14, 34, 46, 60});
}

TEST_CASE("larger requests take several column accesses, tCCD apart", "[dram]") {
  Trace two = run(even_machine().dram, {{0, 0, 64, false}});
  CHECK(two.commands == Cycles{0, 14, 16});
  CHECK(two.data_end[0] == 29);
  CHECK(two.statistics.row_misses == 1);
  CHECK(two.statistics.row_hits == 1);
  CHECK(run(even_machine().dram, {{0, 0, 128, false}}).commands == Cycles{0, 14, 16, 18, 20});
}

TEST_CASE("the data bus moves one burst at a time", "[dram]") {
  DramConfig config = even_machine().dram;
  config.burst_length = 16;  // 8 cycles, 128 bytes
  Trace trace = run(config, {{0, 0, 128, false}, {0, 128, 128, false}});
  CHECK(trace.commands == Cycles{0, 14, 22});
  CHECK(trace.data_end[1] == 22 + 11 + 8);
}

TEST_CASE("activates of two banks are tRRD apart", "[dram]") {
  // ACT 0, ACT 9, RD 14, RD 23.
  Trace trace = run(even_machine().dram, {{0, 0, 32, false}, {0, kBank, 32, false}});
  CHECK(trace.commands == Cycles{0, 9, 14, 23});
  CHECK(trace.data_end[1] == 36);
}

TEST_CASE("read to write and write to read", "[dram]") {
  // RD 14, WR 14 + 8, data until 22 + 7 + 2.
  Trace to_write = run(even_machine().dram, {{0, 0, 32, false}, {0, 32, 32, true}});
  CHECK(to_write.commands == Cycles{0, 14, 22});
  CHECK(to_write.data_end[1] == 31);
  CHECK(to_write.statistics.write_bytes == 32);
  // WR 14, its data until 23, RD 23 + 6, data until 29 + 13.
  Trace to_read = run(even_machine().dram, {{0, 0, 32, true}, {0, 32, 32, false}});
  CHECK(to_read.commands == Cycles{0, 14, 29});
  CHECK(to_read.data_end[1] == 42);
  // Also across banks: ACT 0 and 9, WR 14, RD 29 (its row has been open since 23).
  CHECK(run(even_machine().dram, {{0, 0, 32, true}, {0, kBank, 32, false}}).commands == Cycles{0, 9, 14, 29});
}

TEST_CASE("a written row closes after write recovery", "[dram]") {
  // WR 14, data until 23, PRE 23 + 11, ACT 46, RD 60.
  CHECK(run(even_machine().dram, {{0, 0, 32, true}, {0, kRow, 32, false}}).commands == Cycles{0, 14, 34, 46, 60});
}

TEST_CASE("row hits go before older requests, FCFS keeps the order", "[dram]") {
  std::vector<Access> accesses{{0, 0, 32, false}, {1, kRow, 32, false}, {2, 64, 32, false}};
  // RD 14, the hit RD 16; then PRE 29, ACT 41, RD 55.
  Trace first_ready = run(even_machine().dram, accesses);
  CHECK(first_ready.order == Order{0, 2, 1});
  CHECK(first_ready.commands == Cycles{0, 14, 16, 29, 41, 55});
  DramConfig config = even_machine().dram;
  config.scheduler = DramPolicy::fcfs;
  // RD 14; PRE 29, ACT 41, RD 55; PRE 41 + 29, ACT 82, RD 96.
  Trace in_order = run(config, accesses);
  CHECK(in_order.order == Order{0, 1, 2});
  CHECK(in_order.commands == Cycles{0, 14, 29, 41, 55, 70, 82, 96});
}

TEST_CASE("a row hit that comes while its bank waits to close goes first", "[dram]") {
  // RD 14. The other row's PRE waits for tRAS (29); the hit of 16 is read at 16.
  Trace trace = run(even_machine().dram, {{0, 0, 32, false}, {15, kRow, 32, false}, {16, 64, 32, false}});
  CHECK(trace.order == Order{0, 2, 1});
  CHECK(trace.commands == Cycles{0, 14, 16, 29, 41, 55});
}

TEST_CASE("one command a cycle: the column access before the older row command", "[dram]") {
  // At 100 both may go: RD 100, ACT of the older request 101, its RD 115.
  Trace trace = run(even_machine().dram, {{0, 0, 32, false}, {100, kBank, 32, false}, {100, 32, 32, false}});
  CHECK(trace.order == Order{0, 2, 1});
  CHECK(trace.commands == Cycles{0, 14, 100, 101, 115});
}

TEST_CASE("among row hits the oldest goes first", "[dram]") {
  // Both rows are open when the reads come; bank 1 first.
  Trace trace = run(even_machine().dram,
                    {{0, 0, 32, false}, {0, kBank, 32, false}, {100, kBank + 32, 32, false}, {100, 32, 32, false}});
  CHECK(trace.order == Order{0, 1, 2, 3});
}

TEST_CASE("no request is passed over for ever", "[dram]") {
  std::vector<Access> accesses{{0, 0, 32, false}, {1, kRow, 32, false}};
  for (Addr i = 1; i <= 4; ++i) accesses.push_back({2, i * 32, 32, false});
  DramConfig config = even_machine().dram;
  config.bypass_limit = 2;
  CHECK(run(config, accesses).order == Order{0, 2, 3, 1, 4, 5});
  config.bypass_limit = 3;
  CHECK(run(config, accesses).order == Order{0, 2, 3, 4, 1, 5});
  config.bypass_limit = 64;
  CHECK(run(config, accesses).order == Order{0, 2, 3, 4, 5, 1});
}

TEST_CASE("a refresh closes the rows and blocks activates for tRFC", "[dram]") {
  DramConfig config = even_machine().dram;
  config.tREFI = 1000;
  // ACT 990; RD would be 1004, but the refresh is due at 1000: all precharged at 990 + 29, refresh 12 later at 1031,
  // ACT 1031 + 60, RD 1105. The commands are ACT, the refresh (its beginning), ACT, RD.
  CHECK(run(config, {{990, 0, 32, false}}).commands == Cycles{990, 1000, 1091, 1105});
  // One cycle earlier than due, the read still goes: ACT 985, RD 999.
  CHECK(run(config, {{985, 0, 32, false}}).commands == Cycles{985, 999});
  // ACT 986 would have its RD at 1000: the refresh goes first. PRE 986 + 29, refresh 1027, ACT 1087, RD 1101.
  CHECK(run(config, {{986, 0, 32, false}}).commands == Cycles{986, 1000, 1087, 1101});
}

TEST_CASE("refreshes of an idle DRAM are worked out when it wakes", "[dram]") {
  DramConfig config = even_machine().dram;
  config.tREFI = 1000;
  // The row of the first read is closed by the refresh at 1000; 2000 .. 5000 follow, the last until 5060.
  Trace trace = run(config, {{0, 0, 32, false}, {5030, 0, 32, false}});
  CHECK(trace.commands.back() == 5074);  // ACT 5060
  CHECK(trace.statistics.row_misses == 2);
  CHECK(run(config, {{5060, 0, 32, false}}).commands.back() == 5074);
  CHECK(run(config, {{5061, 0, 32, false}}).commands.back() == 5075);
}

TEST_CASE("sequential reads keep the data bus busy", "[dram]") {
  // 4 rows of 128 column accesses in 4 banks, all waiting in a queue of 32: only the first row has to be waited for;
  // the others are opened while data move. 14 + 511 x 2 for the last read, if nothing is lost.
  Dram dram(even_machine().dram);
  std::array<uint32_t, Dram::kMaxQueue> ids{};  // by slot
  uint32_t sent = 0, served = 0;
  uint64_t last = 0, now = 0;
  while (served < 512) {
    for (; !dram.full() && sent < 512; ++sent) ids[dram.admit(Addr{sent} * 32, 32, false, now)] = sent;
    now = dram.next_command();
    DramServed done = dram.issue();
    if (done.slot == DramServed::kNone) continue;
    CHECK(ids[done.slot] == served);
    ++served;
    last = done.data_end;
    ++now;
  }
  CHECK(last == 14 + 511 * 2 + 13);
  CHECK(dram.statistics(kNever).row_misses == 4);
  CHECK(dram.statistics(kNever).row_hits == 508);
}
