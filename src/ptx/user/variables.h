// Addresses as the variables of the program: "tile[17]" instead of a number in shared memory.
#pragma once

#include <string>
#include <string_view>

#include "ptx/module.h"

namespace warptime::ptx {

/// "tile[17]", or "counter" of a variable of one element; where an element does not begin there, "byte 6 of tile".
/// `bytes`: of the whole variable (0: not known), `element`: of what is read or written there.
std::string element_text(std::string_view name, uint64_t offset, uint64_t bytes, uint32_t element);

/// The variable of a kernel or of its module that an address of .shared, .local or .const is in; nullptr: none. An
/// array without a size ends nowhere.
const Symbol* variable_at(const Module& module, const Kernel& kernel, Space space, uint64_t address);

/// That variable's element by name; empty: there is none. `accessed`: the type of what is read or written.
std::string variable_text(const Module& module, const Kernel& kernel, Space space, uint64_t address, Type accessed);

}  // namespace warptime::ptx
