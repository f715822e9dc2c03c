// Which values of a machine its own file does not state: those of the file that it extends, and of that one in turn,
// and the defaults, which are a G80's. Where the file describes another card, they are that card's.
#pragma once

#include <string>

#include "sim/model/machine_loader.h"

namespace warptime::sim {

bool is_inherited(const LoadedMachine& loaded, const std::string& path);

/// These values as YAML, as to_yaml() writes all of them.
std::string inherited_to_yaml(const LoadedMachine& loaded);

}  // namespace warptime::sim
