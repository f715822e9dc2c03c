// The timed run of a submission: its figures, and of those that miss a limit the line with most of it.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "cli/grade/graded_run.h"
#include "cli/run/plan_target.h"
#include "cli/run/run_target.h"
#include "host/explain/explain.h"
#include "host/launch_file/figure_names.h"
#include "host/launch_file/launch_expectations.h"
#include "ptx/user/cuda_sources.h"
#include "ptx/user/demangle.h"

namespace warptime::cli {

using Json = nlohmann::ordered_json;

namespace {

/// Why a figure misses its limit: the line that has most of it, and what would change that.
class FigureReasons {
 public:
  FigureReasons(const host::RunReport& report, const SourceText& ptx) : report_(report), sources_(ptx) {}

  void add(Json& out, const host::ExpectedFigure& expected) {
    const host::FigureName* row = host::find_figure_name(expected.figure);
    if (row == nullptr) row = host::find_figure_name("time_us");  // numbers of `total`, and the file's own figures
    if (row->of_line != nullptr) add_line(out, expected, *row);
    if (!row->remedy.empty()) out["remedy"] = row->remedy;
    if (row->of_line == host::find_figure_name("time_us")->of_line) add_explanation(out, expected);
  }

 private:
  bool is_meant(size_t index, const host::ExpectedFigure& expected) const {
    if (!expected.launch) return true;
    return expected.launch->number ? *expected.launch->number == index
                                   : ptx::is_named(report_.launches[index].kernel, expected.launch->kernel);
  }

  void add_line(Json& out, const host::ExpectedFigure& expected, const host::FigureName& row) {
    using Place = std::tuple<std::string, uint32_t, uint32_t>;  // of the source, else of the PTX
    std::map<Place, uint64_t> shares;
    uint64_t all = 0;
    for (size_t i = 0; i < report_.launches.size(); ++i) {
      if (!is_meant(i, expected)) continue;
      for (const sim::InstructionRow& instruction : report_.launches[i].instructions) {
        const uint64_t part = row.of_line(instruction);
        all += part;
        if (instruction.line == 0) continue;
        const bool has_source = instruction.source_line != 0;
        shares[{instruction.source_file, instruction.source_line, has_source ? 0 : instruction.line}] += part;
      }
    }
    const auto most = std::max_element(shares.begin(), shares.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most == shares.end() || most->second == 0) return;
    const auto& [file, source_line, line] = most->first;
    out["line"] = line;
    out["source_file"] = file;
    out["source_line"] = source_line;
    out["source_text"] = std::string(sources_.line(file, source_line));
    out["why"] = fmt::format(
        "{:.0f} % of {} from this line", 100.0 * static_cast<double>(most->second) / static_cast<double>(all),
        row.of_line == host::find_figure_name("time_us")->of_line ? "the issue slots are" : "it is");
  }

  /// What `explain` names first of the longest launch.
  void add_explanation(Json& out, const host::ExpectedFigure& expected) const {
    const sim::LaunchStatistics* longest = nullptr;
    for (size_t i = 0; i < report_.launches.size(); ++i)
      if (is_meant(i, expected) && (longest == nullptr || report_.launches[i].time_us > longest->time_us))
        longest = &report_.launches[i];
    if (longest == nullptr || !longest->timed) return;
    const host::Explanation explained = host::explain(*longest, &report_.machine.config);
    if (!explained.findings.empty()) out["remedy"] = explained.findings.front().message;
  }

  const host::RunReport& report_;
  ptx::CudaSources sources_;
};

Json ok_of(const host::FigureCheck& check) {
  if (check.outcome == host::FigureCheck::Outcome::NotMeasured) return nullptr;
  return !check.failed();
}

}  // namespace

Json timed_run(const host::LaunchPlan& plan, const GradedRunOptions& options, uint64_t findings) {
  Json out{{"refused", nullptr}, {"end", nullptr}, {"figures", Json::array()}};
  sim::RunOptions run;
  run.functional = !options.machine.config.has_timing;
  run.per_instruction = true;
  run.max_cycles = options.max_cycles;
  run.threads = std::min(options.threads, options.machine.config.chip.tpcs);
  std::unique_ptr<Target> target = plan_target(plan);
  host::RunReport report;
  try {
    std::string warnings;
    report = run_to_fault(*target, "", options.machine, run, true, warnings, nullptr);
  } catch (const host::InputError& error) {
    out["refused"] = error.what();
    return out;
  }
  if (report.cut) {
    out["end"] = report.cut->fault.message;
    return out;
  }
  for (const host::Check& check : report.checks)
    if (!check.ok)
      out["end"] = fmt::format("on {}, {} is wrong: {}", options.machine.name, check.name, check.first_failure);
  FigureReasons reasons(report, *plan.module);
  const std::vector<host::FigureCheck> checks = host::check_figures(plan, report, findings);
  for (size_t i = 0; i < checks.size(); ++i) {
    Json figure{{"ok", ok_of(checks[i])},
                {"name", checks[i].name},
                {"expected", checks[i].asked},
                {"measured", checks[i].measured}};
    if (checks[i].failed()) reasons.add(figure, plan.expected_figures[i]);
    out["figures"].push_back(std::move(figure));
  }
  return out;
}

}  // namespace warptime::cli
