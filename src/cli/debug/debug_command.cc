// `warptime debug`: runs a target under the debugger, on a terminal, from a script, or for an editor.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "base/standard_input.h"
#include "base/standard_streams.h"
#include "cli/check/check_options.h"
#include "cli/cli.h"
#include "cli/debug/line_editor.h"
#include "cli/exec/captured_launch.h"
#include "cli/machine/machine_option.h"
#include "cli/machine/native_option.h"
#include "cli/output.h"
#include "cli/run/run_target.h"
#include "debug/check/finding_text.h"
#include "debug/check/located_findings.h"
#include "debug/dap/adapter.h"
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
        .usage = "TARGET [options] | [options] -- PROGRAM [ARGS]",
        .summary = "run a target in a debugger that goes forwards and backwards",
        .details =
            "Stops the timed run at any cycle and any instruction of any warp, and goes back as it goes forwards.\n"
            "The commands are those of cuda-gdb where it has them; `help` lists them.\n",
        .options = {{"script", Kind::Value, Takes::file("FILE"),
                     "take the commands from a file, then end; - for standard input"},
                    {"dap", Kind::Flag, "",
                     "speak the Debug Adapter Protocol on standard input and output, for an editor"},
                    native_option("at stops and in `list`"),
                    {"stats", Kind::Value, Takes::file("FILE"),
                     "write the statistics of the run, as of `warptime run`, once it ends"}},
        .unavailable = {},
        .examples = {"warptime debug matmul:tiled --param n=64", "warptime debug vecadd --script commands.txt",
                     "warptime debug reduce --param n=5000 --check-races", "warptime debug matmul:tiled --dap"},
        .min_words = 1,
        .max_words = 1,
        .word_name = "TARGET",
        .takes_program = Command::Program::OneLaunch};
    c.options.push_back(program_launch_option());
    for (Option& option : check_options("stop at the findings of")) c.options.push_back(std::move(option));
    for (Option& option : timed_run_options()) c.options.push_back(std::move(option));
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

constexpr size_t kMostScriptBytes = size_t{64} << 20;

/// Commands of a terminal, an editor or a script: reading a folder is an error, which would look like the end of them.
void require_commands_on_standard_input() {
  struct stat status {};
  if (fstat(STDIN_FILENO, &status) == 0 && S_ISDIR(status.st_mode))
    fail({}, "cannot read standard input: is a directory", "commands come from there");
}

std::shared_ptr<const SourceText> script_text(const ArgumentText& file) {
  if (file.text != "-") return read_file(file);
  std::string why;
  auto text = read_standard_input(kMostScriptBytes, &why);
  if (text == nullptr) fail(file.where, fmt::format("cannot read standard input: {}", why));
  return text;
}

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

/// What is the same for all front ends.
struct Program {
  const Arguments& arguments;
  const sim::Machine& machine;
  Target& target;
  sim::RunOptions options;
  std::optional<debug::CheckTools> tools;
  std::optional<Output> stats = {};
  std::optional<debug::LocatingChecker> checker = {};
  std::string warnings = {};
  int status = kDone;

  /// To its end; throws debug::Leave when the user begins anew or quits.
  std::string run(Console& console, debug::FrontEnd& front_end, sim::LaunchListener& printer) {
    if (tools) checker.emplace(*tools);
    debug::LocatingChecker* const checks = checker ? &*checker : nullptr;
    debug::Driver driver(console, front_end, checks);
    sim::LaunchListeners all{checks, &driver, &printer};
    options.listener = &all;
    host::RunReport report =
        run_to_fault(target, arguments.target_name(), machine, options, !arguments.has("no-check"), warnings, nullptr);
    status = report.cut ? kSimulatedFault : failed_checks(report.checks).empty() ? kDone : kCheckFailed;
    if (stats) write_statistics(*stats, report);
    stats.reset();
    return end_text(report) + (checker ? end_of_checks() : std::string());
  }

  /// What only the end shows, and the number of all findings.
  std::string end_of_checks() {
    const auto& all = checker->findings().all();
    const size_t before = all.size();
    checker->finish();
    if (status != kSimulatedFault && checker->findings().any_error()) status = kSimulatedFault;
    std::string out;
    for (size_t i = before; i < all.size(); ++i) out += finding_text(all[i]);
    for (const std::string& note : checker->notes()) out += fmt::format("note: {}\n", note);
    return out + fmt::format("checkers: {}\n", findings_summary(all));
  }
};

int run_lines(Program& program, std::optional<Script> script) {
  Console console([](std::string_view text) { print(text); });
  InterruptKey key;
  console.settings().native = program.arguments.has("native");
  debug::LineFrontEnd front_end(
      console, [&] { return script ? script->next() : read_line(kPrompt); }, [] { return InterruptKey::pressed(); });
  ProgramPrinter printer([](std::string_view text) { write_bytes(text); });
  if (program.tools) {
    console.settings().has_checkers = true;
    console.settings().add({.kind = debug::Point::Kind::Finding, .text = "finding"});
  }
  for (Console::Next next = Console::Next::Restart; next == Console::Next::Restart;) {
    try {
      std::string end = program.run(console, front_end, printer);
      print_error(std::exchange(program.warnings, {}));
      print(end);
      next = front_end.converse();
    } catch (const debug::Leave& leave) {
      program.status = kDone;
      next = leave.next;
    }
  }
  return program.status;
}

int run_adapter(Program& program) {
  debug::MessageStream stream(STDIN_FILENO, [](std::string_view bytes) { write_bytes(bytes); });
  debug::Adapter adapter(stream);
  ProgramPrinter printer([&](std::string_view text) { adapter.output("stdout", text); });
  adapter.console().settings().has_checkers = program.tools.has_value();
  adapter.console().settings().native = program.arguments.has("native");
  try {
    if (adapter.wait_for_configuration()) {
      std::string end = program.run(adapter.console(), adapter, printer);
      adapter.output("stderr", program.warnings);
      adapter.ended(program.status, end);
    }
  } catch (const debug::Leave&) {
    program.status = kDone;
  } catch (const host::InputError& error) {
    program.status = kBadInput;
    adapter.ended(program.status, error.what());
  }
  if (!stream.error().empty())
    fail({}, fmt::format("standard input is not the Debug Adapter Protocol: {}", stream.error()),
         "an editor starts this; without --dap, commands are read");
  return program.status;
}

int execute_debug(const Arguments& arguments) {
  sim::LoadedMachine loaded = load_machine(arguments);
  if (!loaded.machine.config.has_timing)
    fail(arguments.whole(),
         fmt::format("machine \"{}\" has no timing, and the debugger goes by cycles", loaded.machine.name),
         "choose another --machine; `warptime list machines` shows them");
  if (arguments.has("dap") && arguments.has("script"))
    fail(arguments.value("script")->where, "--script and --dap are two ways to command it", "give one of them");
  auto from = arguments.value("script");
  if (!from || from->text == "-") require_commands_on_standard_input();
  std::unique_ptr<Target> target = find_target(arguments);
  check_outputs(*target, arguments);
  std::optional<Script> script;
  if (from) script.emplace(script_text(*from));
  Program program{arguments, loaded.machine, *target, run_options(arguments, loaded.machine.config),
                  check_tools(arguments)};
  if (auto file = arguments.value("stats")) program.stats.emplace(*file, "--stats", arguments);
  program.options.threads = 1;
  return arguments.has("dap") ? run_adapter(program) : run_lines(program, std::move(script));
}

}  // namespace

Entry debug_command() { return {describe_debug, execute_debug}; }

}  // namespace warptime::cli
