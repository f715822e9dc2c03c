// `warptime debug`: runs a target under the debugger, on a terminal, from a script, or for an editor.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "base/standard_input.h"
#include "base/standard_streams.h"
#include "cli/check/check_options.h"
#include "cli/cli.h"
#include "cli/debug/adapter_session.h"
#include "cli/debug/debugged_program.h"
#include "cli/debug/line_editor.h"
#include "cli/exec/captured_launch.h"
#include "cli/machine/native_option.h"

namespace warptime::cli {

namespace {

using debug::Console;

constexpr const char* kPrompt = "(warptime) ";

const Command& describe_debug() {
  using Kind = Option::Kind;
  static const Command command = [] {
    Command c{
        .name = "debug",
        .usage = "TARGET [options] | [options] -- PROGRAM [ARGS] | --dap",
        .summary = "run a target in a debugger that goes forwards and backwards",
        .details =
            "Stops the timed run at any cycle and any instruction of any warp, and goes back as it goes forwards.\n"
            "The commands are those of cuda-gdb where it has them; `help` lists them.\n",
        .options =
            {{"script", Kind::Value, Takes::file("FILE"),
              "take the commands from a file, then end; - for standard input"},
             {"dap", Kind::Flag, "",
              "speak the Debug Adapter Protocol on standard input and output, for an editor, whose launch request may "
              "name the program"},
             native_option("at stops and in `list`"),
             {"stats", Kind::Value, Takes::file("FILE"),
              "write the statistics of the run, as of `warptime run`, once it ends"}},
        .unavailable = {},
        .examples = {"warptime debug matmul:tiled --param n=64", "warptime debug vecadd --script commands.txt",
                     "warptime debug reduce --param n=5000 --check-races", "warptime debug --dap"},
        .min_words = 0,  // with --dap, the editor may name it
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

int run_lines(DebuggedProgram& program, std::optional<Script> script) {
  Console console([](std::string_view text) { print(text); });
  InterruptKey key;
  console.settings().native = program.arguments().has("native");
  debug::LineFrontEnd front_end(
      console, [&] { return script ? script->next() : read_line(kPrompt); }, [] { return InterruptKey::pressed(); });
  ProgramPrinter printer([](std::string_view text) { write_bytes(text); });
  if (program.is_checked()) {
    console.settings().has_checkers = true;
    console.settings().add({.kind = debug::Point::Kind::Finding, .text = "finding"});
  }
  for (Console::Next next = Console::Next::Restart; next == Console::Next::Restart;) {
    try {
      std::string end = program.run(console, front_end, printer);
      print_error(program.take_warnings());
      print(end);
      next = front_end.converse();
    } catch (const debug::Leave& leave) {
      program.set_status(kDone);
      next = leave.next;
    }
  }
  return program.status();
}

int execute_debug(const Arguments& arguments) {
  const bool is_adapter = arguments.has("dap");
  if (is_adapter && arguments.has("script"))
    fail(arguments.value("script")->where, "--script and --dap are two ways to command it", "give one of them");
  if (arguments.words().empty() && !is_adapter)
    fail(arguments.whole(), "`warptime debug` needs a TARGET",
         fmt::format("usage: warptime debug {}", describe_debug().usage));
  auto from = arguments.value("script");
  if (!from || from->text == "-") require_commands_on_standard_input();
  if (is_adapter) return run_adapter(debug_command(), arguments);
  std::optional<Script> script;
  if (from) script.emplace(script_text(*from));
  DebuggedProgram program(arguments);
  return run_lines(program, std::move(script));
}

}  // namespace

Entry debug_command() { return {describe_debug, execute_debug}; }

}  // namespace warptime::cli
