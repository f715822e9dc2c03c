// The law of stall accounting, on every workload: each issue slot has one owner, each resident warp's cycle one state.
// Results of these runs are checked.
#include <algorithm>
#include <numeric>

#include "workloads/workload_run.h"

namespace warptime {

namespace {

void check_slots(const sim::LaunchStatistics& launch, const sim::MachineConfig& machine) {
  CHECK(launch.issue.slots == launch.cycles * sim::sm_count(machine) * machine.issue.ports);
  CHECK(launch.issue.issued + sum(launch.issue.stalls) == launch.issue.slots);
  REQUIRE(launch.issue_by_sm.size() == sim::sm_count(machine));
  sim::IssueSlots total;
  for (const sim::IssueSlots& sm : launch.issue_by_sm) {
    CHECK(sm.slots == launch.cycles * machine.issue.ports);
    CHECK(sm.issued + sum(sm.stalls) == sm.slots);
    total.slots += sm.slots;
    total.issued += sm.issued;
    for (size_t i = 0; i < sim::kStallCount; ++i) total.stalls[i] += sm.stalls[i];
  }
  CHECK(total.slots == launch.issue.slots);
  CHECK(total.issued == launch.issue.issued);
  CHECK(total.stalls == launch.issue.stalls);
}

/// Each resource's units make the shares of the whole resource.
void check_units(const sim::LaunchStatistics& launch) {
  REQUIRE(launch.busy_by_unit.size() == sim::kResourceCount);
  for (const sim::UnitsBusy& units : launch.busy_by_unit) {
    INFO(info(units.resource).key);
    const sim::ResourceUse& use = launch.resources[static_cast<size_t>(units.resource)];
    REQUIRE_FALSE(units.busy.empty());
    CHECK(*std::max_element(units.busy.begin(), units.busy.end()) == Approx(use.busiest_share()));
    CHECK(std::accumulate(units.busy.begin(), units.busy.end(), 0.0) ==
          Approx(use.share() * static_cast<double>(units.busy.size())));
  }
}

void check_rows(const sim::LaunchStatistics& launch) {
  REQUIRE_FALSE(launch.instructions.empty());
  sim::InstructionRow total;
  for (const sim::InstructionRow& row : launch.instructions) {
    total.warp_instructions += row.warp_instructions;
    total.thread_instructions += row.thread_instructions;
    total.issued += row.issued;
    for (size_t i = 0; i < sim::kStallCount; ++i) total.stalls[i] += row.stalls[i];
  }
  CHECK(total.warp_instructions == launch.counts.warp_instructions);
  CHECK(total.thread_instructions == launch.counts.thread_instructions);
  CHECK(total.issued == launch.issue.issued);
  CHECK(total.stalls == launch.issue.stalls);
}

void check_warps(const sim::LaunchStatistics& launch) {
  const sim::WarpCycles& w = launch.warp_cycles;
  CHECK(w.resident > 0);
  CHECK(w.issuing + w.not_selected + sum(w.waiting) == w.resident);
}

void check_lanes(const sim::LaunchStatistics& launch) {
  uint64_t warps = 0, lanes = 0;
  for (size_t i = 0; i < launch.active_lanes_histogram.size(); ++i) {
    warps += launch.active_lanes_histogram[i];
    lanes += i * launch.active_lanes_histogram[i];
  }
  CHECK(warps == launch.counts.warp_instructions);
  // A guard may leave lanes of the mask out.
  CHECK(lanes >= launch.counts.thread_instructions);
}

void check_sums(const Target& target, const host::RunReport& report) {
  for (const sim::LaunchStatistics& launch : report.launches) {
    INFO(target.name() << ": " << launch.kernel);
    check_slots(launch, report.machine.config);
    check_units(launch);
    check_rows(launch);
    check_warps(launch);
    check_lanes(launch);
  }
}

}  // namespace

TEST_CASE("Every workload, timed: the CPU reference's results, issue slots, warp cycles and instruction rows add up") {
  sim::RunOptions options;
  options.per_instruction = true;
  for (const Target& target : small_targets()) {
    host::RunReport report = run(target, options);
    check_results(report);
    check_sums(target, report);
  }
}

TEST_CASE("Without attribution the run takes the same cycles", "[full]") {
  sim::RunOptions off;
  off.attribution = false;
  for (const Target& target : small_targets()) {
    host::RunReport a = run(target), b = run(target, off);
    for (size_t i = 0; i < a.launches.size(); ++i) {
      INFO(target.name());
      CHECK(a.launches[i].cycles == b.launches[i].cycles);
      CHECK(a.launches[i].issue.issued == b.launches[i].issue.issued);
      CHECK_FALSE(b.launches[i].attributed);
    }
  }
}

}  // namespace warptime
