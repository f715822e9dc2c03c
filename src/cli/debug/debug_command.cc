// `warptime debug`: runs a target under the debugger, on a terminal, from a script, or for an editor.
#include <fmt/format.h>

#include <utility>

#include "base/standard_streams.h"
#include "cli/cli.h"
#include "cli/debug/line_editor.h"
#include "cli/machine/machine_option.h"
#include "cli/output.h"
#include "cli/run/run_target.h"
#include "debug/program.h"
#include "host/report/statistics_text.h"
#include "host/report/summary.h"

namespace warptime::cli {

namespace {

using debug::Console;

constexpr const char* kPrompt = "(warptime) ";

const Command& describe_debug() {
  using Kind = Option::Kind;
  static const Command command = [] {
    Command c{
        .name = "debug",
        .usage = "TARGET [options]",
        .summary = "run a target in a debugger that goes forwards and backwards",
        .details =
            "Stops the timed run at any cycle and any instruction of any warp, and goes back as it goes forwards.\n"
            "The commands are those of cuda-gdb where it has them; `help` lists them.\n",
        .options = {{"script", Kind::Value, "FILE", "take the commands from a file, then end; - for standard input"},
                    {"stats", Kind::Value, "FILE",
                     "write the statistics of the run, as of `warptime run`, once it ends"}},
        .unavailable = {},
        .examples = {"warptime debug matmul:tiled --param n=64", "warptime debug vecadd --script commands.txt"},
        .min_words = 1,
        .max_words = 1,
        .word_name = "TARGET"};
    for (Option& option : target_options()) c.options.push_back(std::move(option));
    for (Option& option : simulation_options())
      if (option.name != "functional" && !option.name.starts_with("sample")) c.options.push_back(std::move(option));
    for (Option& option : machine_options()) c.options.push_back(std::move(option));
    return c;
  }();
  return command;
}

/// The lines of a script, which are shown as if they were typed.
class Script {
 public:
  explicit Script(std::shared_ptr<const SourceText> text) : text_(std::move(text)) {}
  std::optional<std::string> next() {
    if (line_ > text_->line_count()) return std::nullopt;
    std::string line(text_->line(line_++));
    if (line_ > text_->line_count() && line.empty()) return std::nullopt;
    print(kPrompt + line + "\n");
    return line;
  }

 private:
  std::shared_ptr<const SourceText> text_;
  uint32_t line_ = 1;
};

void write_statistics(Output& out, const host::RunReport& report) {
  auto text = host::statistics_text(host::StatisticsFormat::Json, report.machine, report.target, false,
                                    [&out](std::string_view part) { out.write(part); });
  for (const sim::LaunchStatistics& launch : report.launches) text->launch(launch);
  for (const host::TimelineEvent& event : report.timeline) text->event(event);
  text->end(report, host::total_of(report.launches));
  out.finish();
}

/// The program ended: what became of it.
std::string end_text(const host::RunReport& report) {
  if (report.cut) return "The program has ended with a fault\n" + std::string(report.cut->what());
  std::string out = fmt::format("The program has ended; {} launch{}\n", report.launches.size(),
                                report.launches.size() == 1 ? "" : "es");
  return out + failed_checks(report.checks);
}

int execute_debug(const Arguments& arguments) {
  sim::LoadedMachine loaded = load_machine(arguments);
  if (!loaded.machine.config.has_timing)
    fail(arguments.whole(),
         fmt::format("machine \"{}\" has no timing, and the debugger goes by cycles", loaded.machine.name),
         "choose another --machine; `warptime list machines` shows them");
  std::unique_ptr<Target> target = find_target(arguments);
  check_outputs(*target, arguments);
  std::optional<Script> script;
  if (auto file = arguments.value("script")) script.emplace(read_file(*file));
  std::optional<Output> stats;
  if (auto file = arguments.value("stats")) stats.emplace(*file, "--stats", arguments);

  Console console([](std::string_view text) { print(text); });
  InterruptKey key;
  debug::LineFrontEnd front_end(
      console, [&] { return script ? script->next() : read_line(kPrompt); }, [] { return InterruptKey::pressed(); });
  sim::RunOptions options = run_options(arguments, loaded.machine.config);
  options.threads = 1;
  options.print = [](std::string_view text) { write_bytes(text); };
  options.drive = debug::drive(console, front_end);

  int status = kDone;
  for (Console::Next next = Console::Next::Restart; next == Console::Next::Restart;) {
    try {
      std::string warnings;
      host::RunReport report = run_to_fault(*target, arguments.words().front().text, loaded.machine, options,
                                            !arguments.has("no-check"), warnings, nullptr);
      print_error(std::exchange(warnings, {}));
      print(end_text(report));
      status = report.cut ? kSimulatedFault : failed_checks(report.checks).empty() ? kDone : kCheckFailed;
      if (stats) write_statistics(*stats, report);
      stats.reset();
      next = front_end.converse();
    } catch (const debug::Leave& leave) {
      status = kDone;
      next = leave.next;
    }
  }
  return status;
}

}  // namespace

Entry debug_command() { return {describe_debug, execute_debug}; }

}  // namespace warptime::cli
