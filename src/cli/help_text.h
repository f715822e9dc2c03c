// The text of `warptime COMMAND --help`.
#pragma once

#include <string>

#include "cli/command_line.h"

namespace warptime::cli {

/// At most kHelpColumns wide; options under the headings of their groups.
std::string help_text(const Command& command);

inline constexpr size_t kHelpColumns = 100;

/// "-o, --out FILE".
std::string option_spelling(const Option& option);

}  // namespace warptime::cli
