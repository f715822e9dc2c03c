// The loops of a kernel as stretches of code.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/module.h"

namespace warptime::analysis {

/// From the target of a branch to an earlier instruction, to that branch.
struct CodeLoop {
  uint32_t begin, end;  // instructions [begin, end)
  bool holds(uint32_t i) const { return begin <= i && i < end; }
};

/// Innermost first.
std::vector<CodeLoop> loops_of(const ptx::Kernel& kernel);

}  // namespace warptime::analysis
