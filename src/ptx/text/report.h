// The output of `warptime ptx FILE`: the resources and the control flow of each kernel.
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
