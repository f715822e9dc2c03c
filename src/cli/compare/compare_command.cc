// `warptime compare`: what moved between two statistics files, between two machines on one target, or between any
// number of runs.
#include <filesystem>

#include "base/standard_streams.h"
#include "cli/cli.h"
#include "cli/compare/compare_many.h"
#include "cli/compare/compare_reports.h"
#include "cli/compare/profile_comparison.h"
#include "cli/machine/machine_option.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/run/run_target.h"
#include "host/report/statistics_text.h"

namespace warptime::cli {

namespace {

const Command& describe_compare() {
  using Kind = Option::Kind;
  static const Command command = [] {
    Command c{
        .name = "compare",
        .usage = "A.json B.json...|PROFILE  or  compare TARGET... [--machine A --machine B...] [options]",
        .summary = "compare statistics files, targets, machines, or a run with a profile",
        .details =
            "Prints time, occupancy and its limiter, issue slots by reason, all counters, and instructions (if both\n"
            "files have them), the largest change first. A TARGET is run on both machines, as by `warptime run`.\n"
            "More than two files, several TARGETs (workloads and launch files, each on every --machine), and files\n"
            "beside TARGETs stand in columns, their totals with the change from one of them, the baseline; a sentence\n"
            "for each says what moved most.\n"
            "A PROFILE was recorded on hardware: the output of `ncu --csv` (also with --page raw), or a log of the "
            "CUDA\n"
            "profiler (CUDA_PROFILE=1). Its counters stand beside the statistics of the same names (the column\n"
            "`profiler` of `warptime list statistics`), launch by launch of the same kernel.\n",
        .options = {{"json", Kind::OptionalValue, Takes::file("FILE"),
                     "write the comparison as JSON to FILE or standard output"},
                    {"baseline", Kind::Value, "N", "the run that the others are compared with; default: 1, the first"},
                    {"stats-per-instruction", Kind::Flag, "", "TARGET: also compare its instructions"},
                    {"threads", Kind::Value, "N", "TARGET: host threads; default: the host's cores"}},
        .unavailable = {},
        .examples = {"warptime compare before.json after.json",
                     "warptime compare matmul:tiled --machine geforce-8800-gtx --machine mine.yaml",
                     "warptime compare before.json after.json --json=moved.json", "warptime compare run.json ncu.csv",
                     "warptime compare matmul:naive matmul:tiled matmul:unrolled --param n=64 --baseline 2",
                     "warptime compare a.json b.json c.json"},
        .min_words = 1,
        .max_words = 64,
        .word_name = "TARGET with two machines, several TARGETs, or statistics files"};
    for (Option& option : target_options())
      if (option.name != "output") c.options.push_back(std::move(option));
    for (Option& option : simulation_options()) c.options.push_back(std::move(option));
    for (Option& option : machine_options()) {
      if (option.name == "machine")
        option = {"machine",
                  Kind::Repeated,
                  Takes::machine("NAME|FILE"),
                  "TARGET: a machine to run on; twice, or more often",
                  0,
                  OptionGroup::Target};
      c.options.push_back(std::move(option));
    }
    return c;
  }();
  return command;
}

/// The two sides, and what failed of their checks.
struct Sides {
  StatisticsFile a, b;
  std::string failures;
};

void refuse_options_of_targets(const Arguments& arguments) {
  for (const Option& option : describe_compare().options)
    if (option.name != "json" && option.name != "baseline" && arguments.has(option.name))
      fail(arguments.all(option.name).front().where,
           fmt::format("--{} needs a TARGET; it has no effect on statistics files", option.name));
}

/// Two files; the second may be a profile.
std::variant<Sides, std::pair<StatisticsFile, Profile>> read_files(const Arguments& arguments,
                                                                   std::optional<Output>& json) {
  refuse_options_of_targets(arguments);
  const ArgumentText &first = arguments.words()[0], &second = arguments.words()[1];
  std::ifstream in = open_statistics(first);
  auto b = read_compared(second, open_statistics(second), false);
  auto a = read_compared(first, std::move(in), std::holds_alternative<Profile>(b));
  if (std::holds_alternative<Profile>(a))
    fail(first.where, fmt::format("{} is a profile", first.text),
         std::holds_alternative<Profile>(b) ? "the first file is the statistics of a run (`warptime run --stats FILE`)"
                                            : "the statistics of the run come first, then the profile");
  json = output_of(arguments, "json");
  auto& run = std::get<StatisticsFile>(a);
  if (auto* profile = std::get_if<Profile>(&b)) return std::pair(std::move(run), std::move(*profile));
  return Sides{std::move(run), std::move(std::get<StatisticsFile>(b)), {}};
}

/// The statistics of a run as a file would have them.
class StatisticsRecord : public host::RunObserver {
 public:
  StatisticsRecord(const sim::Machine& machine, const std::string& target, const sim::RunOptions& options)
      : text_(host::statistics_text(host::StatisticsFormat::Json, machine, target,
                                    options.sampling != sim::Sampling::Off,
                                    [this](std::string_view part) { spool_.write(part); })) {}

  void launch(const sim::LaunchStatistics& launch) override {
    host::add_launch(total_, launch);
    text_->launch(launch);
  }
  void event(const host::TimelineEvent& event) override { text_->event(event); }
  StatisticsFile read(const ArgumentText& name, const host::RunReport& report) {
    text_->end(report, total_);
    return read_statistics(name, [this](char* to, size_t most) { return spool_.read(to, most); });
  }

 private:
  Spool spool_;
  std::unique_ptr<host::StatisticsText> text_;
  sim::LaunchStatistics total_;
};

/// A target on a machine, as a column: the statistics of its run.
StatisticsFile run_column(const Arguments& arguments, Target& target, const ArgumentText& word,
                          const ArgumentText& name, const sim::Machine& machine, Progress& progress,
                          std::string& failures, std::string& warnings) {
  sim::RunOptions options = run_options(arguments, machine.config);
  options.listener = &progress;
  StatisticsRecord record(machine, word.text, options);
  host::RunReport report =
      run_target(target, word.text, machine, options, !arguments.has("no-check"), warnings, &record);
  failures += failed_checks(report.checks);
  return record.read(name, report);
}

Sides run_machines(const Arguments& arguments, std::optional<Output>& json) {
  const ArgumentText& word = arguments.words().front();
  const std::vector<ArgumentText>& names = arguments.all("machine");
  if (names.size() != 2)
    fail(word.where,
         fmt::format("a TARGET is compared on two machines, and {} given", names.empty() ? "none is" : "one is"),
         "--machine A --machine B, or a second TARGET; two statistics files need no machine");
  Sides sides;
  std::vector<sim::LoadedMachine> machines;
  for (const ArgumentText& name : names) machines.push_back(load_machine(arguments, name));
  std::unique_ptr<Target> target = find_target(arguments);
  target->drop_outputs();
  json = output_of(arguments, "json");
  Progress progress(true);
  for (size_t i = 0; i < 2; ++i) {
    progress.begin_run(fmt::format("machine {}", names[i].text));
    std::string warnings;
    (i == 0 ? sides.a : sides.b) =
        run_column(arguments, *target, word, names[i], machines[i].machine, progress, sides.failures, warnings);
    if (i == 1) progress.clear();
    if (i == 1) print_error(warnings);  // the program is the same both times
  }
  return sides;
}

/// A word that names a statistics file, and not what could be run.
bool is_statistics_word(const ArgumentText& word) {
  for (std::string_view end : {".yaml", ".yml", ".ptx"})
    if (word.text.ends_with(end)) return false;
  std::error_code error;
  return word.text.ends_with(".json") || word.text.ends_with(".csv") || word.text.find('/') != std::string::npos ||
         std::filesystem::is_regular_file(word.text, error);
}

size_t baseline_of(const Arguments& arguments, size_t runs) {
  auto given = arguments.value("baseline");
  size_t baseline = arguments.number("baseline", 1, 1 << 20).value_or(1);
  if (given && baseline > runs)
    fail(given->where, fmt::format("there are {} runs", runs), fmt::format("--baseline 1 to {}", runs));
  return baseline - 1;
}

/// Columns of any kind: each file is one, each target one for every machine.
class Columns {
 public:
  explicit Columns(const Arguments& arguments) : arguments_(arguments), names_(arguments.all("machine")) {
    bool any_target = false;
    for (const ArgumentText& word : arguments.words()) any_target |= !is_statistics_word(word);
    if (!any_target) refuse_options_of_targets(arguments);
    if (names_.empty()) names_.push_back({std::string(kDefaultMachine), arguments.whole()});
    if (any_target)
      for (const ArgumentText& name : names_) machines_.push_back(load_machine(arguments, name));
    bool alone = arguments.words().size() == 1;
    for (const ArgumentText& word : arguments.words()) {
      if (is_statistics_word(word)) {
        ++count_;
        targets_.push_back(nullptr);
        continue;
      }
      targets_.push_back(alone ? find_target(arguments) : find_named_target(word, arguments.texts("param")));
      targets_.back()->drop_outputs();
      count_ += machines_.size();
    }
  }
  size_t count() const { return count_; }

  std::vector<StatisticsFile> read(std::string& failures) {
    std::vector<StatisticsFile> out;
    // A file that cannot be read is an error before anything runs.
    std::vector<StatisticsFile> files;
    for (size_t i = 0; i < targets_.size(); ++i)
      if (targets_[i] == nullptr) files.push_back(read_statistics(arguments_.words()[i]));
    Progress progress(true);
    std::string warnings;
    size_t file = 0;
    for (size_t i = 0; i < targets_.size(); ++i) {
      const ArgumentText& word = arguments_.words()[i];
      if (targets_[i] == nullptr) {
        out.push_back(std::move(files[file++]));
        continue;
      }
      for (size_t m = 0; m < machines_.size(); ++m) {
        progress.begin_run(fmt::format("{} on {}", word.text, names_[m].text));
        std::string of_run;
        out.push_back(
            run_column(arguments_, *targets_[i], word, word, machines_[m].machine, progress, failures, of_run));
        if (warnings.find(of_run) == std::string::npos) warnings += of_run;
      }
    }
    progress.clear();
    print_error(warnings);
    return out;
  }

 private:
  const Arguments& arguments_;
  std::vector<ArgumentText> names_;
  std::vector<sim::LoadedMachine> machines_;
  std::vector<std::unique_ptr<Target>> targets_;  // null: a file
  size_t count_ = 0;
};

/// `write`: to the file of --json. `text`: what is printed, unless the file is standard output.
template <class Write, class Text>
void put_out(std::optional<Output>& json, Write&& write, Text&& text) {
  if (json) {
    host::JsonText out([&json](std::string_view part) { json->write(part); });
    write(out);
    out.finish("\n");
    json->finish();
  }
  if (!json || !json->is_standard_output()) print(text());
}

int execute_many(const Arguments& arguments) {
  Columns columns(arguments);
  if (columns.count() < 2)
    fail(arguments.words().front().where, "one run has nothing to be compared with", "name a second file or TARGET");
  size_t baseline = baseline_of(arguments, columns.count());
  std::optional<Output> json = output_of(arguments, "json");
  std::string failures;
  ManyRuns many = compare_many(columns.read(failures), baseline);
  put_out(
      json, [&](host::ValueWriter& out) { write_many(out, many); }, [&] { return many_text(many); });
  print_error(failures);
  return failures.empty() ? kDone : kCheckFailed;
}

/// Two files, or a target on two machines: a comparison of every launch.
bool is_comparison_of_two(const Arguments& arguments) {
  if (arguments.has("baseline")) return false;
  const std::vector<ArgumentText>& words = arguments.words();
  if (words.size() == 2) return is_statistics_word(words[0]) && is_statistics_word(words[1]);
  return words.size() == 1 && arguments.all("machine").size() <= 2;
}

/// A file alone has no other side, whatever the options say.
void refuse_one_file(const Arguments& arguments) {
  const std::vector<ArgumentText>& words = arguments.words();
  if (words.size() == 1 && is_statistics_word(words.front()))
    fail(words.front().where, fmt::format("{} alone has nothing to be compared with", words.front().text),
         "name a second statistics file, or a profile: warptime compare A.json B.json");
}

int execute_compare(const Arguments& arguments) {
  refuse_one_file(arguments);
  if (!is_comparison_of_two(arguments)) return execute_many(arguments);
  std::optional<Output> json;
  Sides sides;
  if (arguments.words().size() == 2) {
    auto files = read_files(arguments, json);
    if (auto* with_profile = std::get_if<1>(&files)) {
      const StatisticsFile& run = with_profile->first;
      const Profile& profile = with_profile->second;
      ProfileComparison found = compare_profile(run, profile);
      put_out(
          json, [&](host::ValueWriter& out) { write_profile_comparison(out, found, run, profile); },
          [&] { return profile_text(found, run, profile); });
      return kDone;
    }
    sides = std::move(std::get<Sides>(files));
  } else {
    sides = run_machines(arguments, json);
  }
  check_comparable(sides.a, sides.b);
  put_out(
      json, [&](host::ValueWriter& out) { write_comparison(out, sides.a, sides.b); },
      [&] { return comparison_text(sides.a, sides.b); });
  print_error(sides.failures);
  return sides.failures.empty() ? kDone : kCheckFailed;
}

}  // namespace

Entry compare_command() { return {describe_compare, execute_compare}; }

}  // namespace warptime::cli
