// `warptime compare`: what moved between two statistics files, or between two machines on one target.
#include "base/standard_streams.h"
#include "cli/cli.h"
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
        .usage = "A.json B.json|PROFILE  or  compare TARGET --machine A --machine B [options]",
        .summary = "compare two statistics files, a target on two machines, or a run with a profile",
        .details =
            "Prints time, occupancy and its limiter, issue slots by reason, all counters, and instructions (if both\n"
            "files have them), the largest change first. A TARGET is run on both machines, as by `warptime run`.\n"
            "A PROFILE was recorded on hardware: the output of `ncu --csv` (also with --page raw), or a log of the "
            "CUDA\n"
            "profiler (CUDA_PROFILE=1). Its counters stand beside the statistics of the same names (the column\n"
            "`profiler` of `warptime list statistics`), launch by launch of the same kernel.\n",
        .options = {{"json", Kind::OptionalValue, "FILE", "write the comparison as JSON to FILE or standard output"},
                    {"stats-per-instruction", Kind::Flag, "", "TARGET: also compare its instructions"},
                    {"threads", Kind::Value, "N", "TARGET: host threads; default: the host's cores"}},
        .unavailable = {},
        .examples = {"warptime compare before.json after.json",
                     "warptime compare matmul:tiled --machine geforce-8800-gtx --machine mine.yaml",
                     "warptime compare before.json after.json --json=moved.json", "warptime compare run.json ncu.csv"},
        .min_words = 1,
        .max_words = 2,
        .word_name = "TARGET with two machines, or two statistics files"};
    for (Option& option : target_options())
      if (option.name != "output") c.options.push_back(std::move(option));
    for (Option& option : simulation_options()) c.options.push_back(std::move(option));
    for (Option& option : machine_options()) {
      if (option.name == "machine")
        option = {"machine", Kind::Repeated, "NAME|FILE", "TARGET: a machine to run on; twice"};
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

/// Two files; the second may be a profile.
std::variant<Sides, std::pair<StatisticsFile, Profile>> read_files(const Arguments& arguments,
                                                                   std::optional<Output>& json) {
  for (const Option& option : describe_compare().options)
    if (option.name != "json" && arguments.has(option.name))
      fail(arguments.all(option.name).front().where,
           fmt::format("--{} goes with a TARGET; these are two files", option.name));
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

Sides run_machines(const Arguments& arguments, std::optional<Output>& json) {
  const ArgumentText& word = arguments.words().front();
  const std::vector<ArgumentText>& names = arguments.all("machine");
  if (names.size() != 2)
    fail(word.where,
         fmt::format("a TARGET is compared on two machines, and {} given", names.empty()       ? "none is"
                                                                           : names.size() == 1 ? "one is"
                                                                                               : "more are"),
         "--machine A --machine B; two statistics files need no machine");
  Sides sides;
  std::vector<sim::LoadedMachine> machines;
  for (const ArgumentText& name : names) machines.push_back(load_machine(arguments, name));
  std::unique_ptr<Target> target = find_target(arguments);
  target->drop_outputs();
  json = output_of(arguments, "json");
  Progress progress(true);
  for (size_t i = 0; i < 2; ++i) {
    sim::RunOptions options = run_options(arguments, machines[i].machine.config);
    progress.begin_run(fmt::format("machine {}", names[i].text));
    options.progress = [&progress](const sim::RunMoment& moment) { progress.update(moment); };
    std::string warnings;
    StatisticsRecord record(machines[i].machine, word.text, options);
    host::RunReport report =
        run_target(*target, word.text, machines[i].machine, options, !arguments.has("no-check"), warnings, &record);
    sides.failures += failed_checks(report.checks);
    (i == 0 ? sides.a : sides.b) = record.read(names[i], report);
    if (i == 1) progress.clear();
    if (i == 1) print_error(warnings);  // the program is the same both times
  }
  return sides;
}

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

int execute_compare(const Arguments& arguments) {
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
