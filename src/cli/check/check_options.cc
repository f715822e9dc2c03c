#include "cli/check/check_options.h"

#include <fmt/format.h>

#include <array>
#include <string>

#include "cli/cli.h"
#include "cli/run/run_target.h"

namespace warptime::cli {

namespace {

struct CheckOption {
  std::string_view name;
  debug::Tool tool;
  bool debug::CheckTools::*is_on;
};
constexpr std::array kCheckOptions{CheckOption{"check-memory", debug::Tool::Memcheck, &debug::CheckTools::memcheck},
                                   CheckOption{"check-init", debug::Tool::Initcheck, &debug::CheckTools::initcheck},
                                   CheckOption{"check-races", debug::Tool::Racecheck, &debug::CheckTools::racecheck},
                                   CheckOption{"check-sync", debug::Tool::Synccheck, &debug::CheckTools::synccheck}};

/// Options of timed runs, of runs in parts, and of the CPU baseline.
constexpr std::array<std::string_view, 6> kNotWithChecks{"sample",        "interval",         "cpu",
                                                         "checkpoint-at", "checkpoint-every", "from"};

}  // namespace

std::vector<Option> check_options() {
  std::vector<Option> out;
  for (const CheckOption& option : kCheckOptions)
    out.push_back({std::string(option.name), Option::Kind::Flag, "",
                   fmt::format("run functionally with {} of `warptime check`", debug::name(option.tool))});
  return out;
}

std::unique_ptr<debug::Checker> checker_of(const Arguments& arguments, sim::RunOptions& options) {
  debug::CheckTools tools;
  const CheckOption* first = nullptr;
  for (const CheckOption& option : kCheckOptions) {
    if (!arguments.has(option.name)) continue;
    tools.*option.is_on = true;
    if (first == nullptr) first = &option;
  }
  if (first == nullptr) return nullptr;
  for (std::string_view other : kNotWithChecks)
    if (arguments.has(other))
      fail(
          arguments.all(other).front().where,
          fmt::format("--{} and --{} exclude each other: a checked run is functional and in full", other, first->name));
  auto checker = std::make_unique<debug::Checker>(tools);
  options.functional = true;
  options.observer = checker.get();
  return checker;
}

int end_of_checked_run(const host::RunReport& report, const debug::Checker& checker) {
  if (report.cut && !checker.has_fault()) throw host::FaultError(*report.cut);
  if (checker.findings().any_error()) return kSimulatedFault;
  return status_of_checks(report.checks);
}

}  // namespace warptime::cli
