// The two runs of a submission, each in a confined process: a functional one with all checkers, which gives findings
// and values, and a timed one, which gives figures. Both answer in JSON, which is all that leaves the process.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "host/launch_file/launch_plan.h"
#include "sim/model/machine.h"

namespace warptime::cli {

struct GradedRunOptions {
  sim::Machine machine;     // of the run
  uint64_t max_cycles = 0;  // or warp instructions
  uint32_t threads = 1;
};

/// { "refused": text|null,        the PTX cannot be run at all
///   "end": text|null,            what ended the run early
///   "findings": [...],           as of `warptime check`, with "text"
///   "values": [{"ok", "measured", "line", "source_file", "source_line", "source_text", "why", "remedy"}] }
/// values: one for each of the plan's expectations, none after an early end.
nlohmann::ordered_json checked_run(const host::LaunchPlan& plan, const GradedRunOptions& options);

/// { "refused", "end" as above, "figures": [{"ok": true|false|null, "name", "expected", "measured", ... as of values}]
/// } figures: one for each of the plan's expected figures. `findings`: errors of the checked run.
nlohmann::ordered_json timed_run(const host::LaunchPlan& plan, const GradedRunOptions& options, uint64_t findings);

}  // namespace warptime::cli
