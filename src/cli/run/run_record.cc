#include "cli/run/run_record.h"

#include <algorithm>

#include "host/report/summary.h"

namespace warptime::cli {

namespace {

/// "x.csv" as "x.instructions.csv": a table has one kind of row.
ArgumentText instructions_file(const ArgumentText& csv) {
  return {csv.text.substr(0, csv.text.size() - std::string_view(".csv").size()) + ".instructions.csv", csv.where};
}

}  // namespace

std::vector<StatisticsSink> statistics_sinks(const Arguments& arguments, const std::string& by_environment, bool json) {
  using Format = host::StatisticsFormat;
  std::vector<StatisticsSink> out;
  auto stats = arguments.value("stats");
  if (!stats && !by_environment.empty()) stats = ArgumentText{by_environment, {}};
  if (stats) {
    if (stats->text.empty()) fail(stats->where, "--stats needs a file name");
    bool csv = stats->text.ends_with(".csv");
    out.push_back({Output(*stats, "--stats", arguments), csv ? Format::Launches : Format::Json});
    if (csv && arguments.has("stats-per-instruction"))
      out.push_back({Output(instructions_file(*stats), "--stats", arguments), Format::Instructions});
  }
  if (!json) return out;
  if (auto file = output_of(arguments, "json")) out.push_back({std::move(*file), Format::Json});
  return out;
}

bool has_standard_output(const std::vector<StatisticsSink>& sinks) {
  return std::any_of(sinks.begin(), sinks.end(),
                     [](const StatisticsSink& sink) { return sink.out.is_standard_output(); });
}

RunRecord::RunRecord(std::vector<StatisticsSink> sinks, const sim::Machine& machine, const std::string& target,
                     bool may_differ, const host::ErrorBands& bands)
    : sinks_(std::move(sinks)) {
  for (StatisticsSink& sink : sinks_)
    sink.text = host::statistics_text(
        sink.format, machine, target, may_differ, [&sink](std::string_view part) { sink.out.write(part); }, bands);
}

void RunRecord::launch(const sim::LaunchStatistics& launch) {
  host::add_launch(total_, launch);
  if (first_.size() < host::kLaunchesListed) first_.push_back(launch);
  else ++left_out_;
  for (StatisticsSink& sink : sinks_) sink.text->launch(launch);
}

void RunRecord::event(const host::TimelineEvent& event) {
  for (StatisticsSink& sink : sinks_) sink.text->event(event);
}

void RunRecord::move_to(host::RunReport& report) {
  report.launches = std::move(first_);
  report.launches_left_out = left_out_;
  report.total = std::move(total_);
}

void RunRecord::finish(const host::RunReport& report) {
  for (StatisticsSink& sink : sinks_) {
    sink.text->end(report, *report.total);
    sink.out.finish();
  }
}

}  // namespace warptime::cli
