// The figures of a run beside the limits of its launch file.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/parse_number.h"
#include "host/launch_file/figure_names.h"
#include "host/launch_file/figure_unit.h"
#include "host/launch_file/launch_expectations.h"
#include "host/launch_file/launch_figures.h"
#include "host/report/report_values.h"
#include "host/report/summary.h"
#include "ptx/user/demangle.h"
#include "sim/model/statistics_list.h"

namespace warptime::host {

namespace {

/// A number, or why there is none.
struct MeasuredFigure {
  double value = 0;
  std::string missing;
};

class FigureChecks {
 public:
  FigureChecks(const LaunchPlan& plan, const RunReport& report, std::optional<uint64_t> findings)
      : plan_(plan), report_(report), findings_(findings) {}

  FigureCheck check(const ExpectedFigure& expected) const {
    const FigureUnit unit = expected.of ? FigureUnit{.unit = "%", .is_share = true, .of_run_only = false}
                                        : unit_of_figure(expected.figure, plan_).value_or(FigureUnit{});
    FigureCheck out{.name = name_of(expected), .asked = asked(expected, unit), .measured = {}, .text = {}};
    const MeasuredFigure measured = measure(expected, out.measured);
    if (!measured.missing.empty()) {
      out.measured = measured.missing;
      return out;
    }
    out.measured = figure_text(measured.value, unit) + out.measured;
    out.outcome = is_met(expected, measured.value) ? FigureCheck::Outcome::Passed : FigureCheck::Outcome::Failed;
    if (out.failed())
      out.text = format_diagnostic({Severity::Error, expected.where,
                                    fmt::format("{} is {}; expected: {}", out.name, out.measured, out.asked),
                                    expected.grading.hint});
    return out;
  }

 private:
  using Launches = std::vector<const sim::LaunchStatistics*>;

  static bool is_met(const ExpectedFigure& expected, double value) {
    // Most decimal fractions have no exact binary form.
    const auto slack = [](double limit) { return 1e-9 * std::max(1.0, std::fabs(limit)); };
    return (!expected.max || value <= *expected.max + slack(*expected.max)) &&
           (!expected.min || value >= *expected.min - slack(*expected.min)) &&
           (!expected.equals || std::fabs(value - *expected.equals) <= slack(*expected.equals));
  }

  static std::string asked(const ExpectedFigure& expected, const FigureUnit& unit) {
    std::string out;
    auto add = [&](std::string_view words, const std::optional<double>& limit) {
      if (limit) out += fmt::format("{}{} {}", out.empty() ? "" : " and ", words, figure_text(*limit, unit));
    };
    add("at least", expected.min);
    add("at most", expected.max);
    if (expected.figure == kFindingsFigure && expected.equals == 0.0) return "none";
    add("exactly", expected.equals);
    return out;
  }

  static std::string choice_text(const LaunchChoice& choice) {
    if (!choice.number) return "kernel " + choice.kernel;
    return fmt::format("launch {}{}", *choice.number, choice.kernel.empty() ? "" : fmt::format(" ({})", choice.kernel));
  }

  static std::string name_of(const ExpectedFigure& expected) {
    std::string out = expected.figure;
    if (expected.launch) out += " of " + choice_text(*expected.launch);
    if (expected.of) out += " / " + choice_text(*expected.of);
    return out;
  }

  /// `details`: what follows the number in a sentence.
  MeasuredFigure measure(const ExpectedFigure& expected, std::string& details) const {
    if (expected.figure == kFindingsFigure) {
      if (!findings_) return {0, "`warptime check` and `warptime grade` look for findings"};
      return {static_cast<double>(*findings_), {}};
    }
    const MeasuredFigure first = of_launches(expected.figure, expected.launch);
    if (!expected.of || !first.missing.empty()) return first;
    const MeasuredFigure second = of_launches(expected.figure, expected.of);
    if (!second.missing.empty()) return second;
    const FigureUnit unit = unit_of_figure(expected.figure, plan_).value_or(FigureUnit{});
    const std::string both = fmt::format("{} and {}", figure_text(first.value, unit), figure_text(second.value, unit));
    if (second.value == 0) return {0, fmt::format("no ratio of {}", both)};
    details = fmt::format(" ({})", both);
    return {first.value / second.value, {}};
  }

  MeasuredFigure of_launches(const std::string& figure, const std::optional<LaunchChoice>& choice) const {
    for (const PlannedFigure& own : plan_.figures)
      if (own.name == figure) return own_figure(figure);
    Launches launches;
    for (size_t i = 0; i < report_.launches.size(); ++i) {
      const sim::LaunchStatistics& launch = report_.launches[i];
      if (!choice || (choice->number ? *choice->number == i : ptx::is_named(launch.kernel, choice->kernel)))
        launches.push_back(&launch);
    }
    if (launches.empty())
      return {0, choice ? fmt::format("{} has not run", choice_text(*choice)) : std::string("no launch has run")};
    if (const FigureName* row = find_figure_name(figure)) return short_figure(*row, launches, !choice);
    return number_of_total(figure, launches, !choice);
  }

  MeasuredFigure own_figure(const std::string& figure) const {
    for (const Figure& computed : report_.figures)
      if (computed.name == figure) return {computed.value, {}};
    return {0, "it uses numbers that this run does not have"};
  }

  sim::LaunchStatistics sum_of(const Launches& launches, bool whole_run) const {
    if (whole_run) return total_of(report_);
    sim::LaunchStatistics sum;
    for (const sim::LaunchStatistics* launch : launches) add_launch(sum, *launch);
    return sum;
  }

  MeasuredFigure short_figure(const FigureName& row, const Launches& launches, bool whole_run) const {
    if (row.timed && !launches.front()->timed) return {0, "a functional run does not measure it"};
    if (row.several == FigureName::Several::Sum) return {row.value(sum_of(launches, whole_run)), {}};
    double out = row.value(*launches.front());
    for (const sim::LaunchStatistics* launch : launches)
      out = row.several == FigureName::Several::Least ? std::min(out, row.value(*launch))
                                                      : std::max(out, row.value(*launch));
    return {out, {}};
  }

  MeasuredFigure number_of_total(const std::string& figure, const Launches& launches, bool whole_run) const {
    const sim::LaunchStatistics sum = sum_of(launches, whole_run);
    if (figure == "time_ns" && sum.timed) return {sum.time_us * 1000, {}};
    FlatCells cells;
    write_total(cells, sum);
    for (const auto& [name, cell] : cells.cells())
      if (double value = 0; name == figure && parse_number(cell, value) == NumberError::Ok) return {value, {}};
    return {0, "this run does not measure it on this machine"};
  }

  const LaunchPlan& plan_;
  const RunReport& report_;
  std::optional<uint64_t> findings_;
};

}  // namespace

std::optional<FigureUnit> unit_of_figure(std::string_view name, const LaunchPlan& plan) {
  for (const PlannedFigure& own : plan.figures)
    if (own.name == name) return FigureUnit{.unit = own.unit, .is_share = false, .of_run_only = true};
  if (const FigureName* row = find_figure_name(name))
    return FigureUnit{.unit = std::string(row->unit), .is_share = row->is_share()};
  if (!is_name_of_total(name)) return std::nullopt;
  for (const sim::StatisticRow& row : sim::statistics_list())
    if (row.name == name)
      return FigureUnit{.unit = row.unit == "share" ? "%" : row.unit, .is_share = row.unit == "share"};
  return FigureUnit{.unit = name == "time_ns" ? "ns" : ""};
}

std::string figure_text(double value, const FigureUnit& unit) {
  if (unit.is_share) return fmt::format("{:.4g} %", 100 * value);
  constexpr double kMostExact = 1e15;
  const bool whole = value >= 0 && value < kMostExact && value == std::floor(value);
  std::string number = whole ? grouped(static_cast<uint64_t>(value)) : fmt::format("{:.4g}", value);
  return unit.unit.empty() ? number : number + " " + unit.unit;
}

std::vector<FigureCheck> check_figures(const LaunchPlan& plan, const RunReport& report,
                                       std::optional<uint64_t> findings) {
  const FigureChecks checks(plan, report, findings);
  std::vector<FigureCheck> out;
  for (const ExpectedFigure& expected : plan.expected_figures) out.push_back(checks.check(expected));
  return out;
}

}  // namespace warptime::host
