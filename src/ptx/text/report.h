// What `warptime ptx FILE` prints: a kernel's needs and its shape, readable at a glance.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ptx/module.h"

namespace warptime::ptx {

/// The functions that a kernel calls, directly or not, and that are only declared: it cannot be launched.
std::vector<std::string_view> undefined_functions(const Module& module, const Kernel& kernel);

/// All kernels, or the one named (which must exist).
std::string describe(const Module& module, std::string_view kernel = {});

}  // namespace warptime::ptx
