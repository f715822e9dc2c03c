// Intervals of a launch, and the counters that sampled launches are made of.
#include "sim/gpu/interval_recorder.h"

#include <catch2/catch.hpp>
#include <numeric>

namespace warptime::sim {

namespace {

// Two SMs and two instructions; SM 0 has executed its first `executed` times.
ChipCounters counters(uint64_t executed) {
  ChipCounters out(2, 2);
  out.sms[0].instructions[0].warp_instructions = executed;
  out.dram.read_bytes = 100 * executed;
  return out;
}

uint64_t sum(const StallCounts& stalls) { return std::accumulate(stalls.begin(), stalls.end(), uint64_t{0}); }

}  // namespace

TEST_CASE("an interval has the time and the counters between its first and its last block") {
  std::vector<Interval> intervals{{.first = 0, .last = 4, .part = 0},
                                  {.first = 6, .last = 8, .part = 1},
                                  {.first = 8, .last = 9, .part = 1},  // at once after the one before
                                  {.first = 10, .part = 2}};
  IntervalRecorder recorder(intervals, 3, counters(0));
  CHECK(recorder.next() == 4);
  recorder.look(3, 50, counters(5));  // too early: nothing happens
  CHECK(recorder.next() == 4);
  recorder.look(5, 100, counters(10));  // steps see several blocks at once
  CHECK(recorder.next() == 6);
  recorder.look(6, 200, counters(30));
  CHECK(recorder.next() == 8);
  recorder.look(8, 300, counters(60));
  CHECK(recorder.next() == 9);
  recorder.look(12, 500, counters(61));  // ends one and begins the next
  CHECK(recorder.next() == Interval::kEnd);
  recorder.look(Interval::kEnd, 900, counters(70));

  auto measured = [&](size_t i) {
    return std::pair(recorder.intervals()[i].cycles, recorder.intervals()[i].warp_instructions);
  };
  CHECK(measured(0) == std::pair<Cycle, uint64_t>(100, 10));
  CHECK(measured(1) == std::pair<Cycle, uint64_t>(100, 30));
  CHECK(measured(2) == std::pair<Cycle, uint64_t>(200, 1));
  CHECK(measured(3) == std::pair<Cycle, uint64_t>(400, 9));
  CHECK(recorder.parts()[0].warp_instructions() == 10);
  CHECK(recorder.parts()[1].warp_instructions() == 31);
  CHECK(recorder.parts()[1].dram.read_bytes == 3100);
  CHECK(recorder.parts()[2].warp_instructions() == 9);
}

TEST_CASE("an interval in which nothing was seen is empty") {
  IntervalRecorder recorder({{.first = 0, .last = 4}, {.first = 5, .last = 6, .part = 1}, {.first = 6, .part = 1}}, 2,
                            counters(0));
  recorder.look(7, 100, counters(8));
  recorder.look(Interval::kEnd, 120, counters(9));
  CHECK(recorder.intervals()[1].cycles == 0);
  CHECK(recorder.intervals()[2].cycles == 20);
}

TEST_CASE("counters scale number by number and keep what they must add up to") {
  ChipCounters chip(1, 2);
  SmCounters& sm = chip.sms[0];
  sm.instructions[0] = {.warp_instructions = 3, .thread_instructions = 96};
  sm.instructions[1] = {.warp_instructions = 4, .thread_instructions = 100};
  sm.slots[0].issued = 7;
  sm.slots[1].issued = 8;
  sm.slots[0].stalls[static_cast<size_t>(Stall::SpBusy)] = 10;
  sm.slots[1].stalls[static_cast<size_t>(Stall::Barrier)] = 5;
  sm.active_lanes_histogram[32] = 6;
  sm.active_lanes_histogram[4] = 1;
  sm.warp_cycles.issuing = 15;
  sm.warp_cycles.not_selected = 2;
  sm.warp_cycles.waiting[0] = 3;
  sm.warp_cycles.resident = 20;
  chip.scale(2.5);
  CHECK(sm.instructions[0].warp_instructions == 8);  // 7.5
  CHECK(sm.instructions[1].warp_instructions == 10);
  CHECK(sm.slots[0].issued == 18);  // 17.5
  CHECK(sm.slots[1].issued == 20);
  chip.reconcile(100, 1, true);
  uint64_t issued = 0, stalls = 0, lanes = 0;
  for (const SlotCounters& row : sm.slots) {
    issued += row.issued;
    stalls += sum(row.stalls);
  }
  for (uint64_t n : sm.active_lanes_histogram) lanes += n;
  CHECK(issued == 38);
  CHECK(issued + stalls == 100);
  CHECK(sm.slots[0].stalls[static_cast<size_t>(Stall::SpBusy)] == 41);   // 62 * 25 / 38 is 40.8
  CHECK(sm.slots[1].stalls[static_cast<size_t>(Stall::Barrier)] == 21);  // 62 * 13 / 38 is 21.2
  CHECK(lanes == 18);
  CHECK(sm.warp_cycles.resident == sm.warp_cycles.issuing + sm.warp_cycles.not_selected + sum(sm.warp_cycles.waiting));

  // A time too short for what was issued: it fills the slots.
  chip.reconcile(30, 1, true);
  issued = sm.slots[0].issued + sm.slots[1].issued;
  stalls = sum(sm.slots[0].stalls) + sum(sm.slots[1].stalls) + sum(sm.no_instruction().stalls);
  CHECK(issued <= 30);
  CHECK(issued + stalls == 30);
}

TEST_CASE("counters of values are taken from the run that has all of them") {
  ChipCounters chip = counters(10);
  chip.sms[1].instructions[1].warp_instructions = 3;
  chip.sms[1].slots[1].issued = 6;
  SmCounters all(2, false);
  all.instructions[0] = {.warp_instructions = 41, .thread_instructions = 1300};
  all.global.loads = 9;
  chip.take_values(all);
  CHECK(chip.warp_instructions() == 41);
  CHECK(chip.sms[0].global.loads == 9);
  CHECK(chip.sms[1].slots[1].issued == 6);
  CHECK(chip.dram.read_bytes == 1000);
}

}  // namespace warptime::sim
