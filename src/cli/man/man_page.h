// The manual pages, as roff text: warptime(1) and one page for each command, from the tables of the commands.
#pragma once

#include <string>

#include "cli/command_line.h"

namespace warptime::cli {

/// warptime.1: the commands, exit statuses, environment and files.
std::string general_page();
/// warptime-NAME.1: what `warptime NAME --help` says.
std::string command_page(const Command& command);

}  // namespace warptime::cli
