#include "cli/whatif/whatif_outputs.h"

#include <algorithm>

#include "base/plural.h"
#include "base/standard_streams.h"
#include "cli/gnuplot.h"
#include "cli/whatif/tornado_chart.h"
#include "host/whatif/unused_parts.h"

namespace warptime::cli {

namespace {

std::optional<TornadoOutput> chart_of(const Arguments& arguments) {
  auto file = arguments.value("plot");
  if (!file) return std::nullopt;
  if (!file->text.ends_with(".svg")) fail(file->where, "--plot requires a FILE.svg");
  return std::optional<TornadoOutput>(std::in_place, *file, arguments);
}

/// What the table does not show.
std::string notes_of(const WhatIfPlan& plan, const WhatIfTable& table, size_t bars, size_t shown,
                     const std::vector<host::UnusedPart>& unused) {
  std::string out;
  size_t parameters = table.bars().size();
  out += fmt::format("{} of {} that change the time; {} not\n", shown, plural(bars, "parameter"),
                     plural(parameters - bars, "does", "do"));
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
  out += fmt::format("{} run", plural(plan.changes().size() - skipped, "value was", "values were"));
  if (!plan.refused().empty())
    out += fmt::format(", {} not legal by {}", plural(plan.refused().size(), "is", "are"),
                       plan.refused().size() == 1 ? "itself" : "themselves");
  out += "\n";
  if (!failed.empty()) out += fmt::format("the program does not run with {}\n", fmt::join(failed, ", "));
  if (skipped > 0)
    out += fmt::format("{} not run, as the program does not use {}\n", plural(skipped, "value was", "values were"),
                       fmt::join(parts, ", "));
  return out;
}

}  // namespace

TornadoOutput::TornadoOutput(const ArgumentText& file, const Arguments& arguments)
    : gnuplot(find_gnuplot(file.where, "--plot")), out(file, "--plot", arguments) {}

WhatIfOutputs::WhatIfOutputs(const Arguments& arguments)
    : top_(arguments.number("top", 1, 1'000'000).value_or(kWhatIfTop)),
      json_(output_of(arguments, "json")),
      chart_(chart_of(arguments)) {}

int WhatIfOutputs::write(const Arguments& arguments, const WhatIfPlan& plan, const WhatIfTable& table,
                         const PointResult& own) {
  std::vector<host::UnusedPart> unused = host::unused_parts(plan.machine().config, own.total);
  std::vector<host::TornadoBar> bars = host::ranked(table.bars());
  size_t shown = std::min(top_, bars.size());
  const std::string& target = plan.target();
  std::string title =
      fmt::format("{} on {}: {} us", target, plan.machine().name, fmt::format("{:.6g}", time_of(table.own_time_us())));
  if (chart_ && shown > 0) chart_->out.write_all(draw(chart_->gnuplot, tornado_chart(bars, top_, title)));
  else if (chart_) print_error("no chart: no parameter changes the time\n");
  if (json_) json_->write_all(table.to_json(target));
  auto csv = arguments.value("csv");
  bool csv_printed = csv && csv->text == "-";
  if (csv_printed) print(table.to_csv());
  if (!arguments.has("quiet") && !csv_printed && !(json_ && json_->is_standard_output()))
    print(title + "\n\n" + host::tornado_text(bars, top_) + "\n" + notes_of(plan, table, bars.size(), shown, unused));
  print_error(own.message);
  return own.status;
}

}  // namespace warptime::cli
