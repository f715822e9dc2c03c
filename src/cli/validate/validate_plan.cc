#include "cli/validate/validate_plan.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/fnv.h"
#include "base/json_value.h"
#include "base/standard_streams.h"
#include "cli/cli.h"
#include "cli/commit.h"
#include "cli/home.h"
#include "cli/machine/machine_option.h"
#include "cli/run/run_target.h"
#include "cli/sweep/sweep_children.h"
#include "cli/validate/run_figures.h"
#include "host/report/kernel_class.h"
#include "host/validation/validation_suite.h"

namespace warptime::cli {

namespace {

using Json = nlohmann::ordered_json;
constexpr size_t kNone = SIZE_MAX;
constexpr const char* kClassKey = "kernel_class";  // of a launch, in the report of a run

std::vector<std::string> groups() {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(validation_folder(), error))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

bool is_own_table(const ArgumentText& word) { return word.text.ends_with(".yaml"); }

/// The table of a group, or a table file of the user's own.
host::ValidationTable read_table(const ArgumentText& word, Diagnostics& diagnostics) {
  bool is_file = is_own_table(word);
  std::vector<std::string> known = groups();
  std::string near = did_you_mean(word.text, {known.begin(), known.end()});
  if (!is_file && std::find(known.begin(), known.end(), word.text) == known.end())
    fail(word.where, fmt::format("there is no group \"{}\" of published figures", word.text),
         fmt::format("{}available: {}; FILE.yaml is a table of your own", near.empty() ? "" : near + " ",
                     fmt::join(known, ", ")));
  std::string path = is_file ? word.text : validation_folder() + "/" + word.text + ".yaml";
  auto source = read_file({path, word.where});
  return host::load_validation_table(source, std::filesystem::path(path).stem().string(), diagnostics);
}

std::vector<std::string> joined(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// The file of a run's table.
std::string file_of(const host::ValidationRun& run) {
  return run.target_where.source == nullptr ? std::string() : run.target_where.source->name();
}

}  // namespace

ValidationPlan::ValidationPlan(const Arguments& arguments)
    : only_(arguments.texts("only")), overrides_(arguments.texts("set")) {
  read_tables(arguments);
  std::string mistakes, warnings;
  size_t rows = 0;
  for (host::ValidationTable& table : tables_) {
    std::erase_if(table.rows, [&](const host::ValidationRow& row) { return !wanted(row); });
    rows += table.rows.size();
    auto& places = run_of_.emplace_back(table.runs.size(), kNone);
    for (size_t i = 0; i < table.runs.size(); ++i)
      for (const host::ValidationRow& row : table.rows)
        if (places[i] == kNone && std::find(row.runs.begin(), row.runs.end(), i) != row.runs.end())
          places[i] = add(table.runs[i], mistakes, warnings);
  }
  if (!mistakes.empty()) throw host::InputError(mistakes);
  const std::vector<ArgumentText>& only = arguments.all("only");
  if (rows == 0)
    fail(only.empty() ? arguments.whole() : only.front().where, "no row has such a name",
         "--only takes a part of a row's name");
  print_error(warnings);
}

void ValidationPlan::read_tables(const Arguments& arguments) {
  Diagnostics diagnostics;
  std::vector<ArgumentText> words = arguments.words();
  const bool all = words.empty();
  if (all)
    for (const std::string& name : groups()) words.push_back({name, {}});
  for (const ArgumentText& word : words) {
    bool again = std::any_of(tables_.begin(), tables_.end(), [&](const auto& t) { return t.group == word.text; });
    if (again) continue;
    tables_.push_back(read_table(word, diagnostics));
    if (all && tables_.back().only_if_named) {
      tables_.pop_back();
      continue;
    }
    if (is_own_table(word)) own_groups_.push_back(tables_.back().group);
  }
  if (diagnostics.has_errors()) throw host::InputError(diagnostics.to_text());
}

bool ValidationPlan::wanted(const host::ValidationRow& row) const {
  return only_.empty() || std::any_of(only_.begin(), only_.end(), [&](const std::string& part) {
           return row.name.find(part) != std::string::npos;
         });
}

size_t ValidationPlan::add(const host::ValidationRun& run, std::string& mistakes, std::string& warnings) {
  for (size_t i = 0; i < runs_.size(); ++i) {
    const host::ValidationRun& other = *runs_[i].run;
    if (table_target_path(other.target, file_of(other)) == table_target_path(run.target, file_of(run)) &&
        other.parameters == run.parameters && other.machine == run.machine && other.overrides == run.overrides &&
        other.conditions == run.conditions && other.cpu == run.cpu)
      return i;
  }
  Run planned{.run = &run, .machine = {}, .file_hash = {}, .base_hash = {}, .contents = {}, .cpu = {}};
  try {
    ArgumentText machine{run.machine, run.machine_where};
    std::string of_base, of_run;
    const std::vector<std::string> base = joined(overrides_, run.conditions);
    planned.base_hash = load_machine(machine, base, of_base).machine.hash;
    planned.file_hash =
        run.conditions.empty() ? planned.base_hash : load_machine(machine, overrides_, of_run).machine.hash;
    if (warnings.find(of_base) == std::string::npos) warnings += of_base;
    planned.machine = load_machine(machine, joined(base, run.overrides), of_run).machine;
    if (!run.cpu.processor.empty()) planned.cpu = load_cpu({run.cpu.processor, run.cpu.where});
    planned.contents =
        find_table_target({run.target, run.target_where}, file_of(run), run.parameters, run.parameter_places)
            ->contents();
  } catch (const host::InputError& error) {
    // One in --set is the same for every run.
    if (mistakes.find(error.what()) == std::string::npos) mistakes += error.what();
  }
  runs_.push_back(std::move(planned));
  return runs_.size() - 1;
}

std::string ValidationPlan::target_of(size_t run) const {
  const host::ValidationRun& what = *runs_[run].run;
  std::string out = what.target;
  for (const std::string& text : what.parameters) out += " " + text;
  return out;
}

std::string ValidationPlan::describe(size_t run) const {
  const host::ValidationRun& what = *runs_[run].run;
  std::string out = target_of(run) + " on " + what.machine;
  for (const std::string& text : what.conditions) out += ", " + text;
  for (const std::string& text : what.overrides) out += ", " + text;
  return out;
}

std::string ValidationPlan::identity() const {
  Fnv1a hash;
  hash.mix(program_build());
  for (size_t run = 0; run < runs_.size(); ++run) {
    const host::CpuBaselineSpec& cpu = runs_[run].run->cpu;
    hash.mix(fmt::format("\n{} {} {}\n", describe(run), runs_[run].machine.hash, cpu.processor));
    hash.mix(runs_[run].contents);
  }
  return hash.digits();
}

/// Each once; with their machines where those are several.
std::string ValidationPlan::runs_of(const host::ValidationRow& row, const std::vector<size_t>& places) const {
  const host::ValidationRun& first = *runs_[places[row.runs.front()]].run;
  bool one_machine = std::all_of(row.runs.begin(), row.runs.end(), [&](size_t i) {
    const host::ValidationRun& run = *runs_[places[i]].run;
    return run.machine == first.machine && run.overrides == first.overrides;
  });
  std::vector<std::string> names;
  for (size_t i : row.runs) {
    std::string name = one_machine ? target_of(places[i]) : describe(places[i]);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  }
  return fmt::format("{}", fmt::join(names, "; "));
}

ValidationResult ValidationPlan::run(size_t run) const {
  const Run& planned = runs_[run];
  ValidationResult result;
  result.status = guarded_in_child(
      [&] {
        std::string warnings;
        auto target = find_table_target({planned.run->target, planned.run->target_where}, file_of(*planned.run),
                                        planned.run->parameters, planned.run->parameter_places);
        sim::RunOptions options;
        options.threads = 1;
        options.functional = !planned.machine.config.has_timing;
        host::RunReport report = run_target(*target, planned.run->target, planned.machine, options, true, warnings);
        const host::CpuBaselineSpec& cpu = planned.run->cpu;
        if (planned.cpu) report.cpu = target->cpu(*planned.cpu, cpu.where);
        Json json = host::to_json(report);
        for (size_t i = 0; i < report.launches.size(); ++i)
          if (auto its = host::kernel_class(report.launches[i]))
            json["launches"][i][kClassKey] = host::class_name(*its);
        if (auto suite = host::suite_figures(report, cpu)) json["suite"] = host::to_json(*suite);
        result.report = json.dump(-1, ' ', false, Json::error_handler_t::replace);
        result.message = failed_checks(report.checks);
        return result.message.empty() ? kDone : kCheckFailed;
      },
      result.message);
  return result;
}

std::vector<host::ValidationOutcome> ValidationPlan::outcomes(const std::vector<ValidationResult>& results,
                                                              Diagnostics& mistakes) const {
  std::vector<Json> reports(results.size());
  for (size_t i = 0; i < results.size(); ++i)
    if (results[i].status == kDone) reports[i] = parse_json(results[i].report).value_or(Json());
  std::vector<host::ValidationOutcome> out;
  for (size_t t = 0; t < tables_.size(); ++t)
    for (const host::ValidationRow& row : tables_[t].rows) {
      const Run& first = runs_[run_of_[t][row.runs.front()]];
      host::ValidationOutcome outcome;
      outcome.group = tables_[t].group;
      outcome.row = &row;
      outcome.machine = first.run->machine;
      outcome.overrides = first.run->overrides;
      outcome.conditions = first.run->conditions;
      outcome.run = runs_of(row, run_of_[t]);
      // What the table says holds for the machine as its file has it; a recalled figure is recalled on any,
      // and an assumed program assumed.
      bool as_in_file = first.machine.hash == first.base_hash;
      bool on_any = row.role == host::Role::Recalled || row.role == host::Role::Assumed;
      outcome.role = as_in_file || on_any ? row.role : host::Role::Alternative;
      auto report_of = [&](std::string_view run_name) -> const Json* {
        for (size_t run : row.runs)
          if (tables_[t].runs[run].name == run_name) return &reports[run_of_[t][run]];
        return nullptr;
      };
      if (const Json& report = reports[run_of_[t][row.runs.front()]]; !row.launch.empty() && !report.is_null()) {
        auto its = find_figure(report, fmt::format("launches.{}.{}", row.launch, kClassKey));
        if (its) outcome.kernel_class = std::get<std::string>(*its);
      }
      host::Evaluated value = host::evaluate(row.value, [&](std::string_view name) {
        RunFigure figure(name);
        const Json* report = report_of(figure.run);
        return report == nullptr || report->is_null() ? std::nullopt : find_figure(*report, figure.name);
      });
      if (!value.unknown.empty()) {
        RunFigure figure(value.unknown);
        const Json* report = report_of(figure.run);
        if (report == nullptr || report->is_null()) value.error = fmt::format("run \"{}\" has no result", figure.run);
        else report_unknown_figure(row, value, *report, mistakes);
      }
      bool same_kind = value.value.index() == row.published.index();
      if (value.error.empty() && !same_kind) value.error = "its value and the published one are a number and a text";
      if (value.error.empty()) outcome.simulated = std::move(value.value);
      outcome.failure = std::move(value.error);
      out.push_back(std::move(outcome));
    }
  return out;
}

std::vector<std::pair<std::string, std::string>> ValidationPlan::machine_hashes() const {
  std::vector<std::pair<std::string, std::string>> out;
  for (const Run& run : runs_) out.emplace_back(run.run->machine, run.file_hash);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace warptime::cli
