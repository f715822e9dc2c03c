// What-ifs that no machine has (sim/model/assumptions.h): they free of the cost that they name, and change no value.
#include "workloads/workload_run.h"

namespace warptime {

namespace {

sim::LaunchStatistics first_launch(const Target& target, const sim::Assumptions& assumptions) {
  sim::RunOptions options;
  options.assumptions = assumptions;
  host::RunReport report = run(target, options);
  INFO(target.name());
  check_results(report);
  return report.launches.front();
}

}  // namespace

TEST_CASE("What-ifs change no value") {
  const std::vector<Target> targets{
      {"transpose", "", {"n=96"}},
      {"transpose", "naive", {"n=64"}, "geforce-gtx-280"},
      {"fem", "random", {"cells=4", "steps=2"}},
      {"lbm", "direct", {"rows=4", "layers=3", "steps=2"}},
      {"rpes", "shared", {"atoms=2"}},
      {"pns", "contiguous", {"blocks=1", "stations=2", "ticks=5"}},
      {"histogram", "atomics", {"n=20004", "blocks=5"}, "tesla-c1060"},
      {"saxpy", "linpack", {"order=48", "steps=0"}},
      {"spmv", "uniform", {"rows=300", "elements=9"}, "geforce-gtx-480"},
  };
  for (const Target& target : targets) {
    first_launch(target, {.coalesced = sim::Lines::all()});
    first_launch(target, {.filled = sim::Lines::all()});
    first_launch(target, {.coalesced = sim::Lines::all(),
                          .conflict_free = sim::Lines::all(),
                          .at_once = sim::Lines::all(),
                          .filled = sim::Lines::all()});
  }
}

TEST_CASE("Stores as if they coalesced have the transactions of stores that do") {
  // Both kernels copy n words each way; those of `naive` are stored in columns.
  Target naive{"transpose", "naive", {"n=64"}}, copy{"transpose", "copy", {"n=64"}};
  sim::LaunchStatistics ideal = first_launch(copy, {}), before = first_launch(naive, {});
  sim::LaunchStatistics after = first_launch(naive, {.coalesced = sim::Lines::all()});
  CHECK(before.global.transactions > 4 * ideal.global.transactions);
  CHECK(after.global.transactions == ideal.global.transactions);
  CHECK(after.global.bytes_requested == before.global.bytes_requested);
  CHECK(after.counts.thread_instructions == before.counts.thread_instructions);
  CHECK(after.cycles < before.cycles);
}

TEST_CASE("Filled lanes: a diverged warp holds the scheduler for its active lanes only") {
  // In vecadd all threads of a warp agree.
  Target agreed{"vecadd", "", {"n=4096"}};
  sim::Assumptions filled{.filled = sim::Lines::all()};
  CHECK(first_launch(agreed, filled).cycles == first_launch(agreed, {}).cycles);
  CHECK(first_launch(agreed, filled).issue.issued == first_launch(agreed, {}).issue.issued);
  Target diverged{"rpes", "shared", {"atoms=2"}};
  sim::LaunchStatistics before = first_launch(diverged, {}), after = first_launch(diverged, filled);
  CHECK(after.cycles < before.cycles);
  CHECK(after.counts.warp_instructions == before.counts.warp_instructions);
  CHECK(after.pipes.sp < before.pipes.sp);
  // All slots are charged all the same.
  CHECK(after.issue.issued + sum(after.issue.stalls) == after.issue.slots);
}

}  // namespace warptime
