// Standard input as a text.
#pragma once

#include "base/source_text.h"

namespace warptime {

/// Reads it to its end; null if it cannot be read, or is larger than `most` bytes (`why`).
std::shared_ptr<const SourceText> read_standard_input(size_t most, std::string* why);

}  // namespace warptime
