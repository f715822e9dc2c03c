// Text on its way out: to a file, or to standard output ("-"). What cannot be written is an error, not silence.
#pragma once

#include <string>
#include <string_view>

#include "cli/command_line.h"

namespace warptime::cli {

/// Fails now rather than after a long run if the file cannot be written.
void check_writable(const Given& file);

/// Writes the whole text; throws host::InputError with the system's reason.
void write_text(const Given& file, std::string_view text);

/// To standard output; throws when that is closed or full. A reader that went away is not an error.
void print(std::string_view text);

}  // namespace warptime::cli
