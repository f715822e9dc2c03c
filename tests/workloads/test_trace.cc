// A trace agrees with the statistics on every workload, and changes nothing.
#include <nlohmann/json.hpp>

#include "sim/model/trace.h"
#include "workloads/workload_run.h"

namespace warptime {

namespace {

using sim::TraceEvent;
using Kind = sim::TraceEvent::Kind;

std::string statistics_text(const host::RunReport& report) {
  nlohmann::ordered_json json = host::to_json(report);
  json.erase("host");
  return json.dump();
}

/// Each warp's states follow each other without a gap from its first cycle to its last.
void check_states(const sim::TraceLog& log) {
  std::vector<Cycle> told;
  for (const sim::TracedWarp& warp : log.warps) told.push_back(warp.begin);
  bool gapless = true, ordered = true;
  for (const TraceEvent& event : log.events) {
    if (event.is_state()) {
      gapless &= event.begin == told[event.warp];
      told[event.warp] = event.end;
    } else {
      ordered &= event.begin >= log.warps[event.warp].begin && event.begin <= log.warps[event.warp].end;
    }
  }
  CHECK(gapless);
  CHECK(ordered);
  for (size_t i = 0; i < told.size(); ++i) CHECK(told[i] == log.warps[i].end);
}

struct Sums {
  uint64_t instructions = 0, issued = 0, resident = 0;
};
Sums sums_of(const sim::TraceLog& log) {
  Sums sums;
  for (const TraceEvent& event : log.events) {
    if (event.is_state()) sums.resident += event.end - event.begin;
    if (event.kind != Kind::Issue) continue;
    ++sums.instructions;
    sums.issued += event.end - event.begin;
  }
  return sums;
}

template <class... On>
host::RunReport run_traced(const Target& target, sim::TraceLog& log, uint32_t threads = 1, const On&... on) {
  sim::LaunchListener tracer({.trace = &log});
  return run(target, {.threads = threads, .listener = &tracer}, on...);
}

}  // namespace

TEST_CASE("A trace changes nothing, and every cycle of each warp has one state, on every workload", "[full]") {
  for (const Target& target : small_targets()) {
    INFO(target.name());
    sim::TraceLog log;
    host::RunReport plain = run(target), traced = run_traced(target, log);
    CHECK(statistics_text(plain) == statistics_text(traced));
    check_states(log);
    CHECK(sums_of(log).issued == plain.launches.front().issue_by_sm.front().issued);
  }
}

TEST_CASE("A trace of a machine with several ports and dual issue, with caches of data") {
  for (std::string machine : {"geforce-gtx-480", "jetson-tk1"}) {
    for (const Target& target : {Target{"matmul", "tiled", {"n=64"}}, Target{"saxpy", "", {"n=4096"}}}) {
      INFO(target.name() << " on " << machine);
      sim::TraceLog log;
      host::RunReport plain = run(target, {}, machine), traced = run_traced(target, log, 1, machine);
      CHECK(statistics_text(plain) == statistics_text(traced));
      check_states(log);
      CHECK(sums_of(log).issued == plain.launches.front().issue_by_sm.front().issued);
    }
  }
}

// On two TPCs where the machine has more: a run for each SM.
TEST_CASE("Traces of all SMs are the launch's warp instructions, issued slots and resident cycles", "[full]") {
  for (const Target& target : small_targets()) {
    INFO(target.name());
    sim::Machine machine = shipped_machine(target.machine);
    if (machine.config.chip.tpcs > 2) machine = shipped_machine(target.machine, {"chip.tpcs=2"});
    sim::LaunchStatistics launch;
    Sums total;
    for (uint32_t sm = 0; sm < sim::sm_count(machine.config); ++sm) {
      sim::TraceLog log{.sm = sm};
      launch = run_traced(target, log, 1, machine).launches.front();
      Sums sums = sums_of(log);
      CHECK(sums.issued == launch.issue_by_sm[sm].issued);
      total.instructions += sums.instructions;
      total.issued += sums.issued;
      total.resident += sums.resident;
    }
    CHECK(launch.issue_by_sm.size() == sim::sm_count(machine.config));
    CHECK(total.instructions == launch.counts.warp_instructions);
    CHECK(total.issued == launch.issue.issued);
    CHECK(total.resident == launch.warp_cycles.resident);
  }
}

TEST_CASE("A trace is the same for any number of host threads, of a window it is what touches it") {
  Target target{"matmul", "tiled", {"n=64"}};
  sim::TraceLog whole{.sm = 3}, four{.sm = 3}, window{.sm = 3, .from = 1000, .to = 2000};
  run_traced(target, whole);
  run_traced(target, four, 4);
  run_traced(target, window);
  REQUIRE_FALSE(whole.events.empty());
  auto same = [](const TraceEvent& a, const TraceEvent& b) {
    return a.kind == b.kind && a.warp == b.warp && a.begin == b.begin && a.end == b.end && a.pc == b.pc;
  };
  CHECK(std::equal(whole.events.begin(), whole.events.end(), four.events.begin(), four.events.end(), same));
  std::vector<TraceEvent> touching;
  for (const TraceEvent& event : whole.events)
    if (event.begin < 2000 && (event.end > 1000 || (event.begin == event.end && event.end == 1000)))
      touching.push_back(event);
  CHECK(touching.size() > 100);
  CHECK(std::equal(touching.begin(), touching.end(), window.events.begin(), window.events.end(), same));
  REQUIRE_FALSE(window.queue.empty());
  CHECK(window.queue.front().cycle <= 1000);
  CHECK(window.queue.back().cycle < 2000);
}

TEST_CASE("Of several launches, one is traced") {
  sim::TraceLog second{.launch = 1}, none{.launch = 99};
  Target all{"matmul", "", {"n=32"}};
  host::RunReport report = run_traced(all, second);
  REQUIRE(report.launches.size() > 1);
  CHECK(sums_of(second).issued == report.launches[1].issue_by_sm[0].issued);
  run_traced(all, none);
  CHECK(none.warps.empty());
}

}  // namespace warptime
