// The checkers as options of `warptime run` and `warptime debug`.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "cli/command_line.h"
#include "debug/check/checker.h"
#include "host/report/report.h"
#include "sim/gpu/gpu.h"

namespace warptime::cli {

/// --check-memory, --check-init, --check-races, --check-sync; `what` they do: "run functionally with" a checker.
std::vector<Option> check_options(std::string_view what);
/// The checkers that these options select; nullopt: none.
std::optional<debug::CheckTools> check_tools(const Arguments& arguments);
/// Their names with commas between them; empty: none.
std::string names_of_checkers(const Arguments& arguments);
/// The checkers that these options select, as the listener of `options`, whose run is then functional; nullptr: none.
std::unique_ptr<debug::Checker> checker_of(const Arguments& arguments, sim::RunOptions& options);
/// The exit status of a run that was checked to its end. Throws a fault of the run that is not among the findings.
int end_of_checked_run(const host::RunReport& report, const debug::Checker& checker);

}  // namespace warptime::cli
