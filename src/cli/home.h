// Where the machines (configs/), workloads (workloads/) and published figures (validation/) that come with warptime
// lie: in $WARPTIME_HOME if that is set, in ../share/warptime of an installed program, beside the program or one or two
// folders above it (it may have been moved with them), else in the source tree that it was built from.
#pragma once

#include <string>

namespace warptime::cli {

/// The folder that holds configs/ and workloads/. Throws host::InputError when there is none.
const std::string& home();
inline std::string configs_folder() { return home() + "/configs"; }
inline std::string workloads_folder() { return home() + "/workloads"; }
inline std::string validation_folder() { return home() + "/validation"; }

}  // namespace warptime::cli
