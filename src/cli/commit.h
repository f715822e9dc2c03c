// Which source the program was built from, for `warptime --version`.
#pragma once

#include <string>
#include <string_view>

namespace warptime::cli {

/// What the program was built from: "12345678abcd", its commit, if it has all of the sources; otherwise a hash of the
/// sources, "12345678abcd, with changes 0123456789ab" or "sources 0123456789ab". cmake/commit.cmake writes the
/// function.
std::string_view commit();

/// "0.1.0 (12345678abcd)". Equal for two builds only if they give the same results: what one of them has written
/// (rows, shards, checkpoints), another one does not continue.
std::string program_build();
/// A hash of that, of six digits.
std::string build_digits();

}  // namespace warptime::cli
