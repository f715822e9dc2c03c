// Makes a failing random program small: takes out routines, runs of statements and the control flow around them, and
// blocks and warps of the launch, for as long as it fails.
#pragma once

#include <functional>

#include "program.h"

namespace warptime::sim {

using Fails = std::function<bool(const Program&)>;

/// Tries until nothing more can go, or `tries` are used up.
Program shrunk(Program program, const Fails& fails, size_t tries);

}  // namespace warptime::sim
