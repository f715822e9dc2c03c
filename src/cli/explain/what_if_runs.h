// `explain --check`: runs a target once for each different what-if of its findings, and writes what was won into them.
#pragma once

#include <vector>

#include "cli/run/run_target.h"
#include "host/explain/explain.h"

namespace warptime::cli {

/// `options`: of the run that the findings are of.
void try_findings(Target& target, const Arguments& arguments, const sim::RunOptions& options,
                  std::vector<host::Explanation>& launches, host::HostExplanation& run);

}  // namespace warptime::cli
