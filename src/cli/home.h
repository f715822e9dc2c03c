// Finds the machines (configs/), workloads (workloads/) and published figures (validation/) of warptime: in
// $WARPTIME_HOME if set, in ../share/warptime of an installed program, beside the program or one or two folders above
// it (if moved together), else in the source tree from which it was built.
#pragma once

#include <string>

namespace warptime::cli {

/// For a program that brings these folders itself, as the Python module does: where they lie unless WARPTIME_HOME says
/// otherwise. To be called before home().
void set_home(std::string folder);
/// The folder with configs/ and workloads/. Throws host::InputError if none is found.
const std::string& home();
/// The folder of the CUDA runtime for the programs of `warptime exec`. Throws host::InputError if it is not there.
std::string cuda_folder();
inline std::string configs_folder() { return home() + "/configs"; }
inline std::string workloads_folder() { return home() + "/workloads"; }
inline std::string validation_folder() { return home() + "/validation"; }

}  // namespace warptime::cli
