// Finds the files that come with warptime: the folder that holds configs/ and workloads/.
#pragma once

#include <string>
#include <string_view>

namespace warptime::host {

inline constexpr std::string_view kDefaultMachine = "geforce-8800-gtx";

/// WARPTIME_HOME if it is set; else ../share/warptime of this file's folder, or of the one above, that folder or one of
/// the two above it, or the source tree. Throws InputError.
std::string find_home(const std::string& own_file);

}  // namespace warptime::host
