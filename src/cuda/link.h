// Relocatable device code (nvcc -rdc=true) as one module: the PTX of several files, one after the other.
#pragma once

#include <string>
#include <string_view>

namespace warptime::cuda {

/// Adds the next file to the text of those before it.
void append_ptx(std::string& text, std::string_view next);

}  // namespace warptime::cuda
