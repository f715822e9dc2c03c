// `warptime whatif`: what each parameter of the machine can win or lose, from the largest on. Each other value of each
// parameter is a run; values of parts that the program does not use share the run of the machine as it is.
#include "base/standard_streams.h"
#include "cli/cli.h"
#include "cli/machine/machine_option.h"
#include "cli/output.h"
#include "cli/plan/parts.h"
#include "cli/run/run_target.h"
#include "cli/whatif/whatif_outputs.h"
#include "cli/whatif/whatif_plan.h"
#include "cli/whatif/whatif_table.h"
#include "cli/whatif/whatif_tasks.h"
#include "host/whatif/unused_parts.h"

namespace warptime::cli {

namespace {

const Command& describe_whatif() {
  using Kind = Option::Kind;
  static const Command command = [] {
    Command c{
        .name = "whatif",
        .usage = "TARGET [options]",
        .summary = "rank the machine's parameters by the time that a change of each wins or loses",
        .details =
            "Varies every parameter that affects timing, one at a time: numbers 20 % down and up (half and\n"
            "twice where the machine's checks refuse that), powers of two to their neighbours, words and switches to\n"
            "each other value. Runs TARGET with each, and prints the parameters with the largest effect. The time is\n"
            "that of all launches (`time_us`), without copies. Results are checked on the machine as it is only.\n",
        .options = {{"top", Kind::Value, "N",
                     fmt::format("parameters in the table and the chart; default {}", kWhatIfTop)},
                    {"only", Kind::Repeated, "TEXT", "only parameters with TEXT in their name"},
                    {"csv", Kind::Value, Takes::file("FILE"),
                     "write a row for each value, as they come; - for standard output"},
                    {"resume", Kind::Flag, "", "keep the rows that an interrupted what-if left in --csv FILE"},
                    {"plot", Kind::Value, Takes::file("FILE.svg"), "draw the table as a tornado chart, by gnuplot"},
                    {"json", Kind::OptionalValue, Takes::file("FILE"),
                     "write the values as JSON to FILE or standard output"},
                    {"jobs", Kind::Value, "N", "runs at a time; default: the host's cores"},
                    {"threads", Kind::Value, "N", "the same as --jobs: a run takes one thread"},
                    {"quiet", Kind::Flag, "", "no progress line and no table"}},
        .unavailable = {},
        .examples = {"warptime whatif matmul:unrolled --param n=256", "warptime whatif saxpy --plot saxpy.svg",
                     "warptime whatif matmul:tiled --param n=128 --only dram. --only memory.",
                     "warptime whatif matmul:unrolled --param n=512 --csv w.csv --resume"},
        .min_words = 0,
        .max_words = 100'000,
        .word_name = "TARGET"};
    for (Option& option : parts_options()) c.options.push_back(std::move(option));
    for (Option& option : target_options())
      if (option.name != "output") c.options.push_back(std::move(option));
    for (Option& option : simulation_options())
      if (option.name != "functional") c.options.push_back(std::move(option));
    for (Option& option : machine_options()) c.options.push_back(std::move(option));
    return c;
  }();
  return command;
}

std::unique_ptr<Tasks> whatif_tasks(const Arguments& arguments) { return std::make_unique<WhatIfTasks>(arguments); }

int execute_whatif(const Arguments& arguments) {
  if (auto status = execute_in_parts(arguments, {"whatif", describe_whatif, whatif_tasks})) return *status;
  std::optional<ArgumentText> csv = plan_file(arguments, "what-if");
  unsigned jobs = jobs_of(arguments);
  WhatIfPlan plan = plan_whatif(arguments);
  for (const char* option : {"csv", "json"}) refuse_existing(arguments, option);
  WhatIfOutputs outputs(arguments);
  WhatIfTable table(plan);
  if (csv) table.open(*csv, arguments);

  PointResult own = run_whatif_own(arguments, plan);
  if (own.total.empty()) return print_error(own.message), own.status;
  std::vector<size_t> missing = table.missing();
  if (!missing.empty() && missing.front() == 0) {
    table.put(0, own);
    missing.erase(missing.begin());
  }
  std::vector<host::UnusedPart> unused = host::unused_parts(plan.machine().config, own.total);
  auto known = [&](size_t point) {
    return find_unused(unused, plan.changes()[point - 1].parameter) == nullptr ? nullptr : &own;
  };
  run_points(arguments, plan,
             {.points = missing,
              .jobs = jobs,
              .check = [](size_t) { return false; },
              .known = known,
              .done = [&](size_t point, const PointResult& result) -> std::string {
                table.put(point, result);
                return result.status == kOwnFault ? failure_text(plan, point, result) : std::string();
              }});
  table.close();

  const int status = outputs.write(arguments, plan, table, own);
  require_no_crashes(table.crashed(), plan.points());
  return status;
}

}  // namespace

Entry whatif_command() { return {describe_whatif, execute_whatif}; }

}  // namespace warptime::cli
