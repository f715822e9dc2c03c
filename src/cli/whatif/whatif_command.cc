// `warptime whatif`: what each parameter of the machine can win or lose, from the largest on. Each other value of each
// parameter is a run; values of parts that the program does not use share the run of the machine as it is.
#include <algorithm>

#include "base/standard_streams.h"
#include "cli/cli.h"
#include "cli/gnuplot.h"
#include "cli/machine/machine_option.h"
#include "cli/output.h"
#include "cli/run/run_target.h"
#include "cli/whatif/tornado_chart.h"
#include "cli/whatif/whatif_plan.h"
#include "cli/whatif/whatif_table.h"
#include "host/whatif/unused_parts.h"

namespace warptime::cli {

namespace {

constexpr uint64_t kTop = 20;

const Command& describe_whatif() {
  using Kind = Option::Kind;
  static const Command command = [] {
    Command c{
        .name = "whatif",
        .usage = "TARGET [options]",
        .summary = "rank the machine's parameters by the time that a change of each wins or loses",
        .details =
            "Changes every parameter that a time can depend on, one at a time: numbers 20 % down and up (half and\n"
            "twice where the machine's checks refuse that), powers of two to their neighbours, words and switches to\n"
            "each other value. Runs TARGET with each, and prints the parameters with the largest effect. The time is\n"
            "that of all launches (`time_us`), without copies. Results are checked on the machine as it is only.\n",
        .options = {{"top", Kind::Value, "N", fmt::format("parameters in the table and the chart; default {}", kTop)},
                    {"only", Kind::Repeated, "TEXT", "only parameters with TEXT in their name"},
                    {"csv", Kind::Value, "FILE", "write a row for each value, as they come; - for standard output"},
                    {"resume", Kind::Flag, "", "keep the rows that an interrupted what-if left in --csv FILE"},
                    {"plot", Kind::Value, "FILE.svg", "draw the table as a tornado chart, by gnuplot"},
                    {"json", Kind::OptionalValue, "FILE", "write the values as JSON to FILE or standard output"},
                    {"jobs", Kind::Value, "N", "runs at a time; default: the host's cores"},
                    {"threads", Kind::Value, "N", "the same as --jobs: a run takes one thread"},
                    {"quiet", Kind::Flag, "", "no progress line and no table"}},
        .unavailable = {},
        .examples = {"warptime whatif matmul:unrolled --param n=256", "warptime whatif saxpy --plot saxpy.svg",
                     "warptime whatif matmul:tiled --param n=128 --only dram. --only memory.",
                     "warptime whatif matmul:unrolled --param n=512 --csv w.csv --resume"},
        .min_words = 1,
        .max_words = 1,
        .word_name = "TARGET"};
    for (Option& option : target_options())
      if (option.name != "output") c.options.push_back(std::move(option));
    for (Option& option : simulation_options())
      if (option.name != "functional") c.options.push_back(std::move(option));
    for (Option& option : machine_options()) c.options.push_back(std::move(option));
    return c;
  }();
  return command;
}

/// The file of --plot, and gnuplot; both are looked for before the first run.
struct TornadoChart {
  TornadoChart(const ArgumentText& file, const Arguments& arguments)
      : gnuplot(find_gnuplot(file.where, "--plot")), out(file, "--plot", arguments) {}
  std::string gnuplot;
  Output out;
};

std::optional<TornadoChart> chart_of(const Arguments& arguments) {
  auto file = arguments.value("plot");
  if (!file) return std::nullopt;
  if (!file->text.ends_with(".svg")) fail(file->where, "--plot requires a FILE.svg");
  return std::optional<TornadoChart>(std::in_place, *file, arguments);
}

/// The machine as it is: the run that all others are compared with.
PointResult run_own(const Arguments& arguments, const WhatIfPlan& plan) {
  PointResult own;
  run_points(arguments, plan,
             {.first = 0,
              .last = 1,
              .jobs = 1,
              .check = [&](size_t) { return !arguments.has("no-check"); },
              .done = [&](size_t, const PointResult& result) { return own = result, std::string(); }});
  if (!own.total.empty() && !(time_of(own.total["time_us"]) > 0))
    fail(arguments.words().front().where, "this target runs no kernel: there is no time that a parameter could change");
  return own;
}

/// What the table does not show.
std::string notes_of(const WhatIfPlan& plan, const WhatIfTable& table, size_t bars, size_t shown,
                     const std::vector<host::UnusedPart>& unused) {
  std::string out;
  size_t parameters = table.bars().size();
  out += fmt::format("{} of {} parameters that change the time; {} do not\n", shown, bars, parameters - bars);
  std::vector<std::string> parts;
  size_t skipped = 0;
  for (const WhatIfPoint& change : plan.changes()) {
    const host::UnusedPart* part = find_unused(unused, change.parameter);
    if (part == nullptr) continue;
    ++skipped;
    std::string_view name = part->begin;
    if (name.ends_with('.')) name.remove_suffix(1);
    std::string text = fmt::format("{} ({})", name, part->why);
    if (std::find(parts.begin(), parts.end(), text) == parts.end()) parts.push_back(text);
  }
  std::vector<std::string> failed = table.failed();
  out += fmt::format("{} values were run", plan.changes().size() - skipped);
  if (!plan.refused().empty()) out += fmt::format(", {} are not legal by themselves", plan.refused().size());
  out += "\n";
  if (!failed.empty()) out += fmt::format("the program does not run with {}\n", fmt::join(failed, ", "));
  if (skipped > 0)
    out += fmt::format("{} values were not run, as the program does not use {}\n", skipped, fmt::join(parts, ", "));
  return out;
}

int execute_whatif(const Arguments& arguments) {
  std::optional<ArgumentText> csv = plan_file(arguments, "what-if");
  unsigned jobs = jobs_of(arguments);
  size_t top = arguments.number("top", 1, 1'000'000).value_or(kTop);
  run_options(arguments, {});  // its errors are also reported before the first run
  WhatIfPlan plan(arguments);
  std::optional<Output> json = output_of(arguments, "json");
  std::optional<TornadoChart> chart = chart_of(arguments);
  WhatIfTable table(plan);
  if (csv) table.open(*csv, arguments);

  PointResult own = run_own(arguments, plan);
  if (own.total.empty()) return print_error(own.message), own.status;
  if (table.rows().empty()) table.append(own);
  std::vector<host::UnusedPart> unused = host::unused_parts(plan.machine().config, own.total);
  auto known = [&](size_t point) {
    return find_unused(unused, plan.changes()[point - 1].parameter) == nullptr ? nullptr : &own;
  };
  run_points(arguments, plan,
             {.first = table.rows().size(),
              .last = plan.points(),
              .jobs = jobs,
              .check = [](size_t) { return false; },
              .known = known,
              .done = [&](size_t point, const PointResult& result) -> std::string {
                table.append(result);
                return result.status == kOwnFault ? failure_text(plan, point, result) : std::string();
              }});
  table.close();

  std::vector<host::TornadoBar> bars = host::ranked(table.bars());
  size_t shown = std::min(top, bars.size());
  const std::string& target = arguments.words().front().text;
  std::string title =
      fmt::format("{} on {}: {} us", target, plan.machine().name, fmt::format("{:.6g}", time_of(table.own_time_us())));
  if (chart && shown > 0) chart->out.write_all(draw(chart->gnuplot, tornado_chart(bars, top, title)));
  else if (chart) print_error("no chart: no parameter changes the time\n");
  if (json) json->write_all(table.to_json(target));
  bool csv_printed = arguments.has("csv") && !csv;
  if (csv_printed) print(table.to_csv());
  if (!arguments.has("quiet") && !csv_printed && !(json && json->is_standard_output()))
    print(title + "\n\n" + host::tornado_text(bars, top) + "\n" + notes_of(plan, table, bars.size(), shown, unused));
  print_error(own.message);
  return own.status;
}

}  // namespace

Entry whatif_command() { return {describe_whatif, execute_whatif}; }

}  // namespace warptime::cli
