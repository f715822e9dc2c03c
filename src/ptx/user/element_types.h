// What a variable's elements are. nvcc declares arrays as bytes (.shared .b8 tile[1024]); the loads and stores that
// reach them say the rest.
#pragma once

#include "ptx/module.h"

namespace warptime::ptx {

/// The type of the elements of a variable of a kernel or its module; of one that is declared as bytes and that no
/// instruction reads or writes through its name or a register computed from it, Type::B8.
Type element_type(const Kernel& kernel, const Symbol& symbol);

}  // namespace warptime::ptx
