#include "cli/check/check_options.h"

#include <fmt/format.h>

#include <algorithm>
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

std::vector<Option> check_options(std::string_view what) {
  std::vector<Option> out;
  for (const CheckOption& option : kCheckOptions)
    out.push_back({std::string(option.name), Option::Kind::Flag, "",
                   fmt::format("{} {} of `warptime check`", what, debug::name(option.tool))});
  return in_group(OptionGroup::Checkers, std::move(out));
}

std::optional<debug::CheckTools> check_tools(const Arguments& arguments) {
  debug::CheckTools tools;
  bool any = false;
  for (const CheckOption& option : kCheckOptions) {
    tools.*option.is_on = arguments.has(option.name);
    any |= tools.*option.is_on;
  }
  return any ? std::optional(tools) : std::nullopt;
}

std::string names_of_checkers(const Arguments& arguments) {
  std::string out;
  for (const CheckOption& option : kCheckOptions)
    if (arguments.has(option.name)) out += (out.empty() ? "" : ",") + std::string(debug::name(option.tool));
  return out;
}

std::unique_ptr<debug::Checker> checker_of(const Arguments& arguments, sim::RunOptions& options) {
  const auto tools = check_tools(arguments);
  if (!tools) return nullptr;
  const auto first = std::find_if(kCheckOptions.begin(), kCheckOptions.end(),
                                  [&](const CheckOption& option) { return arguments.has(option.name); });
  for (std::string_view other : kNotWithChecks)
    if (arguments.has(other))
      fail(
          arguments.all(other).front().where,
          fmt::format("--{} and --{} exclude each other: a checked run is functional and in full", other, first->name));
  auto checker = std::make_unique<debug::Checker>(*tools);
  options.functional = true;
  options.listener = checker.get();
  return checker;
}

int end_of_checked_run(const host::RunReport& report, const debug::Checker& checker) {
  if (report.cut && !checker.has_fault()) throw host::FaultError(*report.cut);
  if (checker.findings().any_error()) return kSimulatedFault;
  return status_of_checks(report.checks);
}

}  // namespace warptime::cli
