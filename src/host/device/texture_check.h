// Checks the properties of a texture (CUDA C Programming Guide 4.2, 3.2.11.1 and appendix E).
#pragma once

#include <string>

#include "sim/model/texture.h"

namespace warptime::host {

/// Empty if the texture can be read; otherwise the end of a sentence that begins with its name.
std::string what_is_wrong(const sim::Texture& texture);

}  // namespace warptime::host
