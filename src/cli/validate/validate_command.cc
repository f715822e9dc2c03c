// `warptime validate`: every published figure that the repository stands on beside the simulated one. The runs are
// processes of one thread each, so the result has the same bytes for any number of them.
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/standard_streams.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/run/run_target.h"
#include "cli/sweep/sweep_children.h"
#include "cli/validate/validate_plan.h"
#include "cli/validate/validate_report.h"

namespace warptime::cli {

namespace {

using Json = nlohmann::ordered_json;

const Command& describe_validate() {
  using Kind = Option::Kind;
  static const Command command{
      .name = "validate",
      .usage = "[GROUP...] [options]",
      .summary = "compare simulated figures with published ones",
      .details =
          "GROUP is a table of published figures in validation/ (default: all of them), or a FILE.yaml of your own.\n"
          "Each row has a role: `input`, the machine file contains the figure; `fitted`, a parameter was fitted to "
          "it;\n"
          "`predicted`, neither; `alternative`, another machine explains it; `recalled`, its printed source could not\n"
          "be read (the factor is published / simulated); `assumed`, the source does not print the program.\n"
          "Means are over predicted rows; a row that could not be run counts as an error of 1. The exit status is 1\n"
          "if a result differs from its CPU reference, otherwise 0, however large the errors are.\n",
      .options = {{"json", Kind::OptionalValue, "FILE", "write rows and summary as JSON to FILE or standard output"},
                  {"markdown", Kind::Value, "FILE.md", "write a page and two charts"},
                  {"only", Kind::Repeated, "TEXT", "only rows with TEXT in their name"},
                  {"set", Kind::Repeated, "PATH=VALUE", "override a parameter of every machine"},
                  {"jobs", Kind::Value, "N", "runs at a time; default: the host's cores"},
                  {"threads", Kind::Value, "N", "the same as --jobs: a run takes one thread"},
                  {"quiet", Kind::Flag, "", "no table and no progress line"}},
      .unavailable = {},
      .examples = {"warptime validate", "warptime validate matmul --json=matmul.json", "warptime validate --only c870/",
                   "warptime validate matmul --set dram.scheduler=fcfs",
                   "warptime validate --markdown docs/validation.md"},
      .min_words = 0,
      .max_words = 64,
      .word_name = "GROUP"};
  return command;
}

// The transfer of a result from a child.
std::string to_text(const ValidationResult& result) {
  return Json{{"status", result.status}, {"message", result.message}, {"report", result.report}}.dump(
      -1, ' ', false, Json::error_handler_t::replace);
}

ValidationResult to_result(const ChildResult& child) {
  if (!child.finished) return {kOwnFault, child.text + "\n", ""};
  Json result = Json::parse(child.text);
  return {result["status"], result["message"], result["report"]};
}

std::vector<ValidationResult> run_all(const ValidationPlan& plan, unsigned jobs, bool quiet) {
  std::vector<ValidationResult> results(plan.runs());
  CountProgress progress(!quiet, "runs", plan.runs());
  run_children(0, plan.runs(), jobs,
               {.work = [&](size_t run) { return to_text(plan.run(run)); },
                .done =
                    [&](size_t run, const ChildResult& child) {
                      results[run] = to_result(child);
                      if (results[run].status == kDone) return;
                      progress.clear();
                      print_error(fmt::format("{}: status {}\n{}", plan.describe(run), results[run].status,
                                              results[run].message));
                    },
                .progress = [&](size_t ended) { progress.update(ended); }});
  return results;
}

/// The page and its charts: NAME.md, NAME-scatter.svg, NAME-bars.svg.
class Page {
 public:
  Page(const ArgumentText& file, const Arguments& arguments)
      : stem_(std::filesystem::path(file.text).stem().string()), page_(file, "--markdown", arguments) {
    for (const char* suffix : {"-scatter.svg", "-bars.svg"})
      charts_.emplace_back(
          ArgumentText{std::filesystem::path(file.text).replace_filename(stem_ + suffix).string(), file.where},
          "--markdown (a chart)", arguments);
  }
  void write(const ValidationReport& report) {
    page_.write(validation_page(report, stem_));
    charts_[0].write(validation_scatter(report));
    charts_[1].write(validation_bars(report));
    for (Output& chart : charts_) chart.finish();
    page_.finish();
  }

 private:
  std::string stem_;
  Output page_;
  std::vector<Output> charts_;
};

int execute_validate(const Arguments& arguments) {
  std::optional<ArgumentText> markdown = arguments.value("markdown");
  unsigned jobs = jobs_of(arguments);
  if (markdown && !markdown->text.ends_with(".md")) fail(markdown->where, "--markdown requires a FILE.md");
  ValidationPlan plan(arguments);
  std::optional<Output> json = output_of(arguments, "json");
  std::optional<Page> page;
  if (markdown) page.emplace(*markdown, arguments);

  std::vector<ValidationResult> results = run_all(plan, jobs, arguments.has("quiet"));
  ValidationReport report{plan.machine_hashes(), plan.outcomes(results), plan.own_groups()};
  for (const host::ValidationOutcome& outcome : report.outcomes)
    if (!outcome.simulated) print_error(fmt::format("{}: {}\n", outcome.row->name, outcome.failure));
  if (json) json->write_all(validation_json(report));
  if (page) page->write(report);
  bool stdout_taken = json && json->is_standard_output();
  if (!arguments.has("quiet") && !stdout_taken) print(validation_text(report));
  bool failed_check =
      std::any_of(results.begin(), results.end(), [](const auto& r) { return r.status == kCheckFailed; });
  return failed_check ? kCheckFailed : kDone;
}

}  // namespace

Entry validate_command() { return {describe_validate, execute_validate}; }

}  // namespace warptime::cli
