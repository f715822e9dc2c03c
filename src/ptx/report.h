// What `warptime ptx FILE` prints: a kernel's needs and its shape, readable at a glance.
#pragma once

#include <string>
#include <string_view>

#include "ptx/module.h"

namespace warptime::ptx {

/// All kernels, or the one named (which must exist).
std::string describe(const Module& module, std::string_view kernel = {});

}  // namespace warptime::ptx
