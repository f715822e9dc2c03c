#include "cli/cli.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <new>

#include "base/foreign_state.h"
#include "base/host_memory.h"
#include "base/printable.h"
#include "base/run_files.h"
#include "base/standard_streams.h"
#include "cli/commit.h"
#include "cli/exec/captured_launch.h"
#include "cli/help_text.h"
#include "cli/interruption.h"
#include "cli/output.h"
#include "host/report/report.h"
#include "sim/exec/handler_table.h"

namespace warptime::cli {

namespace {

std::string general_help() {
  std::string out =
      "usage: warptime COMMAND ...\n\n"
      "Runs PTX programs on a simulated GPU: functionally exact, timed cycle by cycle.\n\ncommands:\n";
  for (const Entry& entry : commands())
    out += fmt::format("  {:<10} {}\n", entry.describe().name, entry.describe().summary);
  out +=
      "\n`warptime COMMAND --help` describes a command; `warptime --version` prints the version.\n\n"
      "examples:\n"
      "  warptime run matmul\n"
      "  warptime run matmul:tiled --param n=256 --stats -\n"
      "  warptime list workloads\n\n"
      "exit status: 0 every check passed; 1 a check of a result failed; 2 bad input, or too little host\n"
      "memory; 3 the simulated program faulted; 4 a fault of warptime itself; 124 the end of --timeout;\n"
      "130 and 143 interrupted by Ctrl-C or SIGTERM\n";
  return out;
}

const Entry& find_entry(const CommandLine& line) {
  const std::string& word = line.words().front();
  std::vector<std::string_view> known;
  for (const Entry& entry : commands()) {
    if (entry.describe().name == word) return entry;
    known.push_back(entry.describe().name);
  }
  if (word.starts_with("-"))
    fail(line.where(0), fmt::format("warptime has no option \"{}\" before a command", word),
         "`warptime --help` lists the commands");
  auto near = nearest(word, known);
  fail(line.where(0), fmt::format("unknown command \"{}\"", word),
       near ? fmt::format("did you mean \"{}\"?", *near) : fmt::format("available: {}", fmt::join(known, ", ")));
}

/// WARPTIME_ISA chooses the host's instructions that lanes are computed with.
void check_instruction_set() {
  const char* wanted = std::getenv("WARPTIME_ISA");
  if (wanted == nullptr || *wanted == '\0') return;
  std::vector<std::string_view> available = sim::available_isas();
  if (std::find(available.begin(), available.end(), wanted) == available.end())
    fail({}, fmt::format("WARPTIME_ISA is \"{}\", which this host does not have", wanted),
         fmt::format("available: {}", fmt::join(available, ", ")));
}

int dispatch(const CommandLine& line) {
  if (line.words().empty()) {
    print_error(general_help());
    return kBadInput;
  }
  const std::string& first = line.words().front();
  if (first == "--help" || first == "-h" || (first == "help" && line.words().size() == 1)) {
    print(general_help());
    return kDone;
  }
  if (first == "--version") {
    print(fmt::format("warptime {}\n", program_build()));
    return kDone;
  }
  const Entry& entry = find_entry(line);
  Arguments arguments(entry.describe(), line, 1);
  if (arguments.help()) {
    print(help_text(entry.describe()));
    return kDone;
  }
  check_instruction_set();
  RunFiles files;
  // An adapter (`debug --dap`) speaks its protocol on standard output, where the program writes.
  if (!arguments.program().empty() && entry.describe().takes_program == Command::Program::OneLaunch &&
      !arguments.has("dap"))
    return run_on_captured_launch(entry, arguments);
  return entry.execute(arguments);
}

}  // namespace

const std::vector<Entry>& commands() {
  static const std::vector<Entry> all{run_command(),      exec_command(),      list_command(),       machine_command(),
                                      ptx_command(),      occupancy_command(), sweep_command(),      compare_command(),
                                      explain_command(),  annotate_command(),  check_command(),      grade_command(),
                                      debug_command(),    trace_command(),     report_command(),     measure_command(),
                                      validate_command(), model_command(),     whatif_command(),     roofline_command(),
                                      plot_command(),     schema_command(),    completion_command(), man_command()};
  return all;
}

int guarded(const std::function<int()>& work, std::string& message, bool* no_memory) {
  auto out_of_memory = [&](const char* what, std::string hint) {
    if (no_memory != nullptr) *no_memory = true;
    if (std::string limits = host_memory_limits(); !limits.empty()) hint += (hint.empty() ? "" : "; ") + limits;
    message = format_diagnostic({Severity::Error, {}, what, std::move(hint)});
    return kBadInput;
  };
  try {
    return work();
  } catch (const host::InputError& error) {
    message = error.what();
    return kBadInput;
  } catch (const host::FaultError& error) {
    message = error.what();
    bool interrupted = error.fault.kind == sim::Fault::Kind::Interrupted;
    return interrupted ? Interruption::exit_status() : kSimulatedFault;
  } catch (const std::filesystem::filesystem_error& error) {
    // A folder that was deleted while a command worked in it, for example.
    message = format_diagnostic({Severity::Error, {}, error.what(), {}});
    return kBadInput;
  } catch (const HostMemoryError& error) {
    return out_of_memory(error.what(), error.hint());
  } catch (const std::bad_alloc&) {
    message = foreign_state_failure("it asks for more memory than the host has");
    return message.empty() ? out_of_memory("there is not enough host memory for this run", "") : kForeignStateStatus;
  } catch (const std::exception& error) {
    message = foreign_state_failure(error.what());
    if (!message.empty()) return kForeignStateStatus;
    message = fmt::format("warptime: a fault of its own: {}\n", error.what());
    return kOwnFault;
  }
}

int run(std::vector<std::string> words) {
  prepare_standard_streams();
  std::string message;
  int status = guarded([&] { return dispatch(CommandLine(std::move(words))); }, message);
  print_error(printable(message, true));
  return status;
}

}  // namespace warptime::cli
