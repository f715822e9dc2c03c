// Ranges of numbers in the values of an axis: "16:128:+16" is 16, 32, ..., 128; "4096:65536:*2" is 4096, 8192, ...,
// 65536; the last value is in the range only if a step meets it. "16:128", without a step, is every whole number.
#pragma once

#include <string>
#include <vector>

#include "cli/command_line.h"

namespace warptime::cli {

/// The values of one text between commas: those of a range, or the text itself. Fails at `where` if it begins like a
/// range and is none. `random`: a range may be without a step.
std::vector<std::string> expand_range(const std::string& text, const SourceSpan& where, bool random);

}  // namespace warptime::cli
