// The option --native of commands that list instructions: below each, what the machine issues for it.
#pragma once

#include <memory>
#include <string>

#include "cli/command_line.h"
#include "host/native_view/native_view.h"

namespace warptime::cli {

/// The table row. `where`: "in the listing".
Option native_option(std::string_view where);

/// --native; fails if the machine issues nothing, because it has no timing.
bool wants_native(const Arguments& arguments, const sim::Machine& machine);

}  // namespace warptime::cli
