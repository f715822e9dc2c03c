// Which accesses of a warp go together: a load does not keep its warp from the next instruction, its first use does.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/module.h"

namespace warptime::analysis {

/// By instruction index: the first instruction after it in the text that reads one of its results; the number of
/// instructions if there is none.
std::vector<uint32_t> first_uses_in_text(const ptx::Kernel& kernel);

}  // namespace warptime::analysis
