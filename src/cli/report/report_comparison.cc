// The data of a page from two runs, or from the statistics files of two: the page of the second, and what moved since
// the first.
#include <fmt/format.h>

#include "base/plural.h"
#include "cli/compare/compare_reports.h"
#include "cli/report/report_input.h"
#include "report/kernel_moves.h"
#include "report/limits.h"

namespace warptime::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostComparedLaunches = 50;

Json side_of_page(const StatisticsFile& file, const report::PageInput& page) {
  Json launches = page.statistics.value("launches", Json::array());
  return {{"file", file.file},
          {"target", file.target},
          {"machine", file.machine},
          {"hash", file.hash},
          {"statistics", page.statistics},
          {"roofline", page.machine == nullptr ? Json() : report::roofline(launches, *page.machine)}};
}

/// Without its rows, which are summed by kernel.
Json part_of_page(const StatisticsFile& a, const StatisticsFile::Part& from, const StatisticsFile& b,
                  const StatisticsFile::Part& to) {
  Json out = part_moved(a, from, b, to, true);
  out.erase("instructions");
  return out;
}

/// What moved, in the page of the second run. The first is part of it.
void compare_pages(const StatisticsFile& a, const ReportInput& before, const StatisticsFile& b, ReportInput& input) {
  Json launches = Json::array();
  const bool alike = a.launches.size() == b.launches.size();
  for (size_t i = 0; alike && i < std::min(a.launches.size(), kMostComparedLaunches); ++i)
    launches.push_back(part_of_page(a, a.launches[i], b, b.launches[i]));
  if (!alike)
    input.page.notes.push_back(fmt::format("{} has {} and {} has {}: only their sums are compared.", a.file,
                                           plural(a.launches.size(), "launch", "launches"), b.file, b.launches.size()));
  else if (launches.size() < b.launches.size())
    input.page.notes.push_back(
        fmt::format("Of the launches, the first {} are compared one by one.", kMostComparedLaunches));
  Json total = part_of_page(a, a.total, b, b.total);
  Json kernels = report::kernel_moves(before.page.kernels, input.page.kernels);
  if (kernels.empty())
    input.page.notes.push_back(
        "The runs have no rows of the same kernel, so lines are not compared: `run --stats-per-instruction` adds "
        "rows to a statistics file.");
  input.page.before = &before.page;
  input.page.comparison = {{"a", side_of_page(a, before.page)},
                           {"b", side_of_page(b, input.page)},
                           {"total", std::move(total)},
                           {"launches", std::move(launches)},
                           {"kernels", std::move(kernels)}};
}

/// The statistics of a run as `warptime compare` reads them from a file.
StatisticsFile statistics_of_page(const ArgumentText& name, const report::PageInput& page) {
  const std::string text = page.statistics.dump();
  size_t at = 0;
  return read_statistics(name, [&](char* to, size_t most) {
    const size_t bytes = text.copy(to, most, at);
    at += bytes;
    return bytes;
  });
}

}  // namespace

void read_comparison_input(const Arguments& arguments, const ReportWords& words, ReportInput& before,
                           ReportInput& input) {
  const StatisticsFile a = read_statistics_input(arguments, words.statistics[0], before);
  const StatisticsFile b = read_statistics_input(arguments, words.statistics[1], input);
  if (!words.traces.empty()) {
    read_trace_input(words.traces[0], a, before);
    read_trace_input(words.traces[1], b, input);
  }
  compare_pages(a, before, b, input);
}

ComparedRuns::ComparedRuns(const Arguments& arguments, const ReportWords& words, ReportInput& before,
                           ReportInput& input)
    : arguments_(arguments), before_(before), input_(input) {
  const std::vector<ArgumentText>& machines = arguments.all("machine");
  if (machines.size() > 2)
    fail(machines[2].where, fmt::format("a page compares two machines, and {} are given", machines.size()),
         "`warptime compare` sets more side by side");
  const bool two_targets = words.targets.size() == 2;
  for (size_t i = 0; i < 2; ++i) {
    std::optional<ArgumentText> target, machine;
    if (two_targets) target = words.targets[i];
    if (machines.size() == 2) machine = machines[i];
    ReportInput& side = i == 0 ? before_ : input_;
    targets_[i] = prepare_run_input(arguments, target, machine, side);
    targets_[i]->drop_outputs();
    if (target) side.name = target->text;
    names_[i] = target ? *target : *machine;
  }
}

void ComparedRuns::run() {
  run_input(*targets_[0], arguments_, before_);
  run_input(*targets_[1], arguments_, input_);
  compare_pages(statistics_of_page(names_[0], before_.page), before_, statistics_of_page(names_[1], input_.page),
                input_);
}

}  // namespace warptime::cli
