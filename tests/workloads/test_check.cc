// The checkers over the workloads: what they find is listed here, and nothing else is there.
#include <map>
#include <set>

#include "debug/check/checker.h"
#include "workloads/workload_run.h"

namespace warptime {

namespace {

/// A store of one value by all threads; sums of 8,192 threads in a buffer that other kernels fill.
const std::map<std::string, std::set<std::string>> kKnown{{"micro", {"race_same_value_shared", "grid_too_small"}}};

void check_clean(const Target& target) {
  INFO(target.name());
  debug::Checker checker({.memcheck = true, .initcheck = true, .racecheck = true, .synccheck = true});
  sim::RunOptions options;
  options.functional = true;
  options.listener = &checker;
  run(target, options);
  checker.finish();
  auto known = kKnown.find(target.workload);
  for (const debug::Finding& finding : checker.findings().all()) {
    if (finding.kind == debug::Kind::WarpSynchronous) continue;  // their machines have lanes in lockstep
    std::string kind(row_of(finding.kind).name);
    INFO(kind << " in line " << finding.place.line << " of " << finding.kernel << ": " << finding.message);
    CHECK((known != kKnown.end() && known->second.contains(kind)));
  }
}

}  // namespace

TEST_CASE("check: nothing else is found in the workloads", "[full]") {
  for (const Target& target : small_targets()) check_clean(target);
}

}  // namespace warptime
