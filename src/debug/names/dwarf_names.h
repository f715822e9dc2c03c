// The variables of a kernel, and of the functions in its code, from debug information.
#pragma once

#include <vector>

#include "debug/names/c_names.h"

namespace warptime::debug {

/// False: the module has no debug information.
bool add_dwarf_names(const KernelNames& names, CTypes& types, std::vector<CVariable>& variables);

}  // namespace warptime::debug
