// `warptime report`: a run, or a statistics file, as one HTML page.
#include "cli/cli.h"
#include "cli/exec/captured_launch.h"
#include "cli/machine/machine_option.h"
#include "cli/machine/native_option.h"
#include "cli/output.h"
#include "cli/report/report_input.h"
#include "cli/run/run_target.h"

namespace warptime::cli {

namespace {

const Command& describe_report() {
  using Kind = Option::Kind;
  static const Command command = [] {
    Command c{
        .name = "report",
        .usage = "TARGET [TARGET]|STATS.json [STATS.json] [TRACE.json...] -o FILE.html [options] [-- PROGRAM [ARGS]]",
        .summary = "run, and write one HTML page that shows where the time goes",
        .details =
            "The page opens from disk and loads nothing. It shows the limits of the machine and what the run\n"
            "reaches, the cost of each line, the warps of an SM over time, and every statistic.\n"
            "A file whose name ends in .json is a statistics file (`run --stats FILE --stats-per-instruction`);\n"
            "its page has no warps, unless the trace of the run (`trace -o FILE.json`) is beside it. Options of\n"
            "a run do not go with files, except --machine, --set and --findings.\n"
            "Two targets, one target with two --machine, or two statistics files, perhaps with their traces,\n"
            "give a page that compares the second run with the first.\n",
        .options = {{"out", Kind::Value, Takes::file("FILE"), "the page: FILE.html, or - for standard output", 'o'},
                    {"sm", Kind::Value, "N", "the SM whose warps are shown; default 0"},
                    {"window", Kind::Value, "A:B", "cycles A to B of the launch; default 0:100000"},
                    {"launch", Kind::Value, "N", "the launch whose warps are shown, from 0; default 0"},
                    {"findings", Kind::Value, Takes::file("FILE"),
                     "also show what `warptime check TARGET --json=FILE` found, at its lines"},
                    native_option("in the page's source, where a box shows them"),
                    {"threads", Kind::Value, "N", "host threads; default: the host's cores"}},
        .unavailable = {},
        .examples = {"warptime report matmul:tiled --param n=128 -o matmul.html",
                     "warptime report vecadd --sm 3 --window 1000:5000 -o vecadd.html",
                     "warptime report stats.json trace.json -o run.html",
                     "warptime report before.json after.json -o moved.html",
                     "warptime report matmul:naive matmul:tiled --param n=64 -o moved.html"},
        .min_words = 1,
        .max_words = 4,
        .word_name = "one or two TARGETs, or statistics files",
        .takes_program = Command::Program::OneLaunch};
    c.options.push_back(program_launch_option());
    for (Option& option : timed_run_options()) {
      if (option.name == "machine") option.kind = Kind::Repeated;
      c.options.push_back(std::move(option));
    }
    return c;
  }();
  return command;
}

Output page_file(const Arguments& arguments) {
  auto given = arguments.value("out");
  if (!given) fail(arguments.whole(), "where should the page go?", "-o FILE.html");
  if (given->text != "-" && !given->text.ends_with(".html"))
    fail(given->where, fmt::format("the page is HTML, and \"{}\" does not end in .html", given->text),
         fmt::format("-o {}.html", given->text.substr(0, given->text.rfind('.'))));
  return Output(*given, "--out", arguments);
}

std::string about(const report::PageInput& input, const Output& out, size_t bytes) {
  const auto& statistics = input.statistics;
  std::string text =
      fmt::format("{} on {}: the page is {}, {:.1f} MB\n", statistics.value("target", std::string()),
                  statistics["machine"].value("name", std::string()), out.name(), static_cast<double>(bytes) / 1e6);
  for (const std::string& note : input.notes) text += fmt::format("  {}\n", note);
  return text;
}

int execute_report(const Arguments& arguments) {
  ReportInput input, before;
  std::unique_ptr<Target> target;
  std::optional<ComparedRuns> runs;
  const ReportWords words = report_words(arguments);
  if (words.targets.size() == 2 || (!words.targets.empty() && arguments.all("machine").size() > 1)) {
    runs.emplace(arguments, words, before, input);
  } else if (!words.targets.empty()) {
    target = prepare_run_input(arguments, input);
  } else if (words.statistics.size() == 2) {
    read_comparison_input(arguments, words, before, input);
  } else {
    const StatisticsFile file = read_statistics_input(arguments, words.statistics[0], input);
    if (!words.traces.empty()) read_trace_input(words.traces[0], file, input);
  }
  Output out = page_file(arguments);
  if (auto found = arguments.value("findings")) read_findings(*found, input);
  if (runs) runs->run();
  if (target != nullptr) run_input(*target, arguments, input);
  compare_targets(input);
  std::string html = report::page_html(input.page, report::kMostPageBytes);
  out.write_all(html);
  if (!out.is_standard_output()) print(about(input.page, out, html.size()));
  return status_of_checks(input.checks);
}

}  // namespace

Entry report_command() { return {describe_report, execute_report}; }

}  // namespace warptime::cli
