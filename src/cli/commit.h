// Which source the program was built from, for `warptime --version`.
#pragma once

#include <string_view>

namespace warptime::cli {

/// The commit that the program was built from, "12345678abcd" or "12345678abcd, with changes"; empty if it was not
/// built in a clone. cmake/commit.cmake writes the function.
std::string_view commit();

}  // namespace warptime::cli
