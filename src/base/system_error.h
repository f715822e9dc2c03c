// What the operating system says about an error, in English whatever the locale of the host program is.
#pragma once

#include <string>

namespace warptime {

/// "No such file or directory" of ENOENT.
std::string error_text(int error);

}  // namespace warptime
