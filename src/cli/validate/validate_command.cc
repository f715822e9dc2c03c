// `warptime validate`: every published figure that the repository stands on beside the simulated one. The runs are
// processes of one thread each, so the result has the same bytes for any number of them.
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/json_value.h"
#include "base/standard_streams.h"
#include "cli/cli.h"
#include "cli/gnuplot.h"
#include "cli/output.h"
#include "cli/plan/parts.h"
#include "cli/plan/plan_table.h"
#include "cli/progress.h"
#include "cli/run/run_target.h"
#include "cli/sweep/sweep_children.h"
#include "cli/validate/validate_plan.h"
#include "cli/validate/validate_quantities.h"
#include "cli/validate/validate_report.h"

namespace warptime::cli {

namespace {

using Json = nlohmann::ordered_json;

const Command& describe_validate() {
  using Kind = Option::Kind;
  static const Command command = [] {
    Command c{
        .name = "validate",
        .usage = "[GROUP...] [options]",
        .summary = "compare simulated figures with published ones",
        .details =
            "GROUP is a table of published figures in validation/ (default: all but those that run only if named, "
            "h200, "
            "and\n"
            "h200-counters and h200-holdout), or a FILE.yaml of your own.\n"
            "Each row has a role: `input`, the machine file contains the figure; `fitted`, a parameter was fitted to "
            "it;\n"
            "`predicted`, neither; `alternative`, another machine explains it; `recalled`, its printed source could "
            "not\n"
            "be read (the factor is published / simulated); `assumed`, the source does not print the program.\n"
            "The summary is over predicted rows, each quantity by the measure of its kind: timing by relative errors,\n"
            "speed-ups by factors, percentages by points, counts and texts by how many are the same. A row that could "
            "not\n"
            "be run counts as an error of 1. The exit status is 1 if a run failed (its kernel faulted, its process was "
            "ended)\n"
            "or its result differs from its CPU reference, whatever the role of its rows, or if a limit of --max-error "
            "or\n"
            "--max-mean-error is exceeded; otherwise it is 0, however large the errors are.\n"
            "A published figure of a table of your own is a number, 100 +- 5, 90..110, or a list of samples.\n",
        .options =
            {{"json", Kind::OptionalValue, Takes::file("FILE"),
              "write rows and summary as JSON to FILE or standard output"},
             {"csv", Kind::Value, Takes::file("FILE.csv"),
              "write the rows, their summaries to FILE.summary.csv and FILE.quantities.csv; -: rows only, to standard "
              "output"},
             {"max-error", Kind::Value, "PERCENT",
              "exit status 1 if a predicted figure is off by more (10%, or 0.1) and not within its uncertainty"},
             {"max-mean-error", Kind::Value, "PERCENT", "the same for the mean error of all predicted figures"},
             {"markdown", Kind::Value, Takes::file("FILE.md"), "write a page and two charts, which gnuplot draws"},
             {"chart-scripts", Kind::Flag, "",
              "with --markdown: keep gnuplot's scripts, with the data in them, beside the charts (FILE-bars.gp)"},
             {"resume", Kind::Flag, "", "with --shard or --slurm: run what is missing"},
             {"only", Kind::Repeated, "TEXT", "only rows with TEXT in their name"},
             {"set", Kind::Repeated, Takes::setting("PATH=VALUE"), "override a parameter of every machine"},
             {"jobs", Kind::Value, "N", "runs at a time; default: the host's cores"},
             {"threads", Kind::Value, "N", "the same as --jobs: a run takes one thread"},
             {"quiet", Kind::Flag, "", "no table and no progress line"}},
        .unavailable = {},
        .examples = {"warptime validate", "warptime validate matmul --json=matmul.json",
                     "warptime validate --only c870/", "warptime validate matmul --set dram.scheduler=fcfs",
                     "warptime validate ryoo --csv ryoo.csv", "warptime validate --markdown docs/validation.md"},
        .min_words = 0,
        .max_words = 100'000,
        .word_name = "GROUP"};
    for (Option& option : parts_options()) c.options.push_back(std::move(option));
    return c;
  }();
  return command;
}

// The transfer of a result from a child.
std::string to_text(const ValidationResult& result) {
  return Json{{"status", result.status}, {"message", result.message}, {"report", result.report}}.dump(
      -1, ' ', false, Json::error_handler_t::replace);
}

ValidationResult to_result(const ChildResult& child) {
  if (child.end != ChildResult::End::Result) return {kOwnFault, child.text + "\n", ""};
  const Json result = parse_json(child.text).value_or(Json());
  return {result.at("status"), result.at("message"), result.at("report")};
}

void print_failed_run(const ValidationPlan& plan, size_t run, const ValidationResult& result) {
  if (result.status != kDone)
    print_error(fmt::format("{}: status {}\n{}", plan.describe(run), result.status, result.message));
}

std::vector<ValidationResult> run_all(const ValidationPlan& plan, unsigned jobs, bool quiet) {
  std::vector<ValidationResult> results(plan.runs());
  CountProgress progress(!quiet, "runs", plan.runs());
  run_children(0, plan.runs(), jobs,
               {.work = [&](size_t run) { return to_text(plan.run(run)); },
                .done =
                    [&](size_t run, const ChildResult& child) {
                      results[run] = to_result(child);
                      if (results[run].status != kDone) progress.clear();
                      print_failed_run(plan, run, results[run]);
                    },
                .progress = [&](size_t ended) { progress.update(ended); }});
  return results;
}

/// The name of a file beside this one: "page-bars.svg" for "dir/page.md" and "-bars.svg".
std::string name_beside(const ArgumentText& file, std::string_view end) {
  return std::filesystem::path(file.text).stem().string() + std::string(end);
}
ArgumentText beside(const ArgumentText& file, std::string_view end) {
  return {std::filesystem::path(file.text).replace_filename(name_beside(file, end)).string(), file.where};
}

/// The page and its charts: NAME.md, NAME-scatter.svg, NAME-bars.svg, with --chart-scripts also NAME-scatter.gp and
/// NAME-bars.gp.
class Page {
 public:
  Page(const ArgumentText& file, const Arguments& arguments)
      : gnuplot_(find_gnuplot(file.where, "--markdown")), page_(file, "--markdown", arguments) {
    for (const char* name : {"-scatter", "-bars"}) {
      std::string picture = std::string(name) + ".svg", script = std::string(name) + ".gp";
      names_.push_back(name_beside(file, picture));
      pictures_.emplace_back(beside(file, picture), "--markdown (a chart)", arguments);
      if (arguments.has("chart-scripts")) scripts_.emplace_back(beside(file, script), "--chart-scripts", arguments);
    }
  }
  void write(const ValidationReport& report) {
    std::vector<ValidationChart> charts{{names_[0], speedup_chart(report)}, {names_[1], timing_chart(report)}};
    // All are drawn before the first older file is replaced.
    std::vector<std::string> drawn;
    for (const ValidationChart& chart : charts)
      drawn.push_back(chart.script.empty() ? "" : draw(gnuplot_, chart.script));
    page_.write(validation_page(report, charts[0], charts[1]));
    for (size_t i = 0; i < charts.size(); ++i) {
      if (charts[i].script.empty()) continue;
      pictures_[i].write_all(drawn[i]);
      if (!scripts_.empty()) scripts_[i].write_all(charts[i].script);
    }
    page_.finish();
  }

 private:
  std::string gnuplot_;
  std::vector<std::string> names_;
  Output page_;
  std::vector<Output> pictures_, scripts_;
};

/// The rows, and beside them the summaries, unless the rows go to standard output or a device.
class Tables {
 public:
  Tables(const ArgumentText& file, const Arguments& arguments) : rows_(file, "--csv", arguments) {
    if (find_output_target(file.text).kind != OutputTarget::Kind::File) return;
    summary_.emplace(beside(file, ".summary.csv"), "--csv (the summaries)", arguments);
    quantities_.emplace(beside(file, ".quantities.csv"), "--csv (the quantities)", arguments);
  }
  void write(const ValidationReport& report) {
    rows_.write_all(validation_csv(report));
    if (summary_) summary_->write_all(summary_csv(report));
    if (quantities_) quantities_->write_all(quantities_csv(report));
  }
  bool on_standard_output() const { return rows_.is_standard_output(); }

 private:
  Output rows_;
  std::optional<Output> summary_, quantities_;
};

int write_validation(const Arguments& arguments, const ValidationPlan& plan,
                     const std::function<std::vector<ValidationResult>()>& run) {
  std::optional<ArgumentText> markdown = arguments.value("markdown");
  if (markdown && !markdown->text.ends_with(".md")) fail(markdown->where, "--markdown requires a FILE.md");
  if (arguments.has("chart-scripts") && !markdown)
    fail(arguments.all("chart-scripts").front().where, "--chart-scripts goes with --markdown FILE.md");
  ErrorLimits limits = error_limits(arguments);
  std::optional<Output> json = output_of(arguments, "json");
  std::optional<Tables> tables;
  if (auto csv = arguments.value("csv")) tables.emplace(*csv, arguments);
  std::optional<Page> page;
  if (markdown) page.emplace(*markdown, arguments);

  std::vector<ValidationResult> results = run();
  Diagnostics mistakes;
  ValidationReport report{plan.machine_hashes(), plan.outcomes(results, mistakes), plan.own_groups()};
  for (const host::ValidationOutcome& outcome : report.outcomes)
    if (!outcome.simulated && !outcome.failure.empty())
      print_error(fmt::format("{}: {}\n", outcome.row->name, outcome.failure));
  if (json) json->write_all(validation_json(report));
  if (tables) tables->write(report);
  if (page) page->write(report);
  bool stdout_taken = (json && json->is_standard_output()) || (tables && tables->on_standard_output());
  if (!arguments.has("quiet") && !stdout_taken) print(validation_text(report));
  // One that is refused, since the machine has not what it needs, is an error of its rows alone.
  bool failed_run = std::any_of(results.begin(), results.end(),
                                [](const auto& r) { return r.status != kDone && r.status != kBadInput; });
  std::string exceeded = exceeded_text(report, limits);
  print_error(exceeded);
  print_error(mistakes.to_text());
  if (mistakes.has_errors()) return kBadInput;
  return failed_run || !exceeded.empty() ? kCheckFailed : kDone;
}

/// A validation as tasks for shards and Slurm: a task is a run.
class ValidationTasks : public Tasks {
 public:
  explicit ValidationTasks(const Arguments& arguments) : plan_(arguments), identity_(plan_.identity()) {}

  size_t count() const override { return plan_.runs(); }
  const std::string& identity() const override { return identity_; }
  std::string run(size_t task) const override { return to_text(plan_.run(task)); }
  std::string lost(const std::string& why) const override { return to_text({kOwnFault, why + "\n", ""}); }
  int finish(const Arguments& outputs, const std::vector<std::string>& texts) const override {
    return write_validation(outputs, plan_, [&] {
      std::vector<ValidationResult> results;
      for (const std::string& text : texts) results.push_back(to_result({ChildResult::End::Result, text}));
      for (size_t run = 0; run < results.size(); ++run) print_failed_run(plan_, run, results[run]);
      return results;
    });
  }

 private:
  ValidationPlan plan_;
  std::string identity_;
};

std::unique_ptr<Tasks> validation_tasks(const Arguments& arguments) {
  return std::make_unique<ValidationTasks>(arguments);
}

int execute_validate(const Arguments& arguments) {
  if (auto status = execute_in_parts(arguments, {"validate", describe_validate, validation_tasks})) return *status;
  if (arguments.has("resume")) fail(arguments.all("resume").front().where, "--resume goes with --shard or --slurm");
  unsigned jobs = jobs_of(arguments);
  ValidationPlan plan(arguments);
  for (const char* option : {"csv", "json"}) refuse_existing(arguments, option, false);
  return write_validation(arguments, plan, [&] { return run_all(plan, jobs, arguments.has("quiet")); });
}

}  // namespace

Entry validate_command() { return {describe_validate, execute_validate}; }

}  // namespace warptime::cli
