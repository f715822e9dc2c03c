// Messages to the terminal. A message that cannot be written is dropped: a full or closed standard error does not
// change the exit status. Results on standard output use OutputFile (output_file.h), which reports errors.
#pragma once

#include <string_view>

namespace warptime {

/// Writes to standard error, after everything that is waiting for standard output.
void print_error(std::string_view text) noexcept;

/// To be called first. A closed standard stream would lend its number to the next file that is opened, and messages
/// would end in that file: each gets a descriptor that can be neither read nor written. A write to a pipe without a
/// reader, or past the limit on a file's size, becomes an error that can be reported instead of a signal.
void prepare_standard_streams() noexcept;

}  // namespace warptime
