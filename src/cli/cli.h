// The `warptime` command: the list of subcommands, and the exit statuses.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/command_line.h"

namespace warptime::cli {

// Exit statuses that scripts rely on.
inline constexpr int kDone = 0;
inline constexpr int kCheckFailed = 1;
inline constexpr int kBadInput = 2;  // or not enough host memory for it
inline constexpr int kSimulatedFault = 3;
inline constexpr int kOwnFault = 4;
inline constexpr int kTimedOut = 124;  // --timeout, as timeout(1) has it

/// Runs `warptime WORDS...`; converts all results and exceptions to a message and an exit status.
int run(std::vector<std::string> words);

/// Runs a function; converts its exceptions to a message and an exit status. `no_memory` becomes true if the host has
/// not the memory for it: the same may succeed elsewhere, or later.
int guarded(const std::function<int()>& work, std::string& message, bool* no_memory = nullptr);

/// A command: its table of options and its function, which returns the exit status.
struct Entry {
  const Command& (*describe)();
  int (*execute)(const Arguments& arguments);
};

// One file each.
Entry run_command();
Entry exec_command();
Entry list_command();
Entry machine_command();
Entry ptx_command();
Entry occupancy_command();
Entry sweep_command();
Entry compare_command();
Entry explain_command();
Entry annotate_command();
Entry debug_command();
Entry trace_command();
Entry measure_command();
Entry validate_command();
Entry report_command();
Entry model_command();
Entry whatif_command();
Entry roofline_command();
Entry plot_command();
Entry schema_command();
Entry completion_command();
Entry man_command();
Entry check_command();
Entry grade_command();

/// All of them, in the order of `warptime --help`.
const std::vector<Entry>& commands();

}  // namespace warptime::cli
