// Machine files (parameter_file.h):
//
//   extends: geforce-8800-gtx          # a name in the configs directory, or a path relative to this file
//   description: a G80 with twice the shared memory
//   sm:
//     shared: {bytes: 32768}
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "sim/model/machine.h"
#include "sim/model/parameter_file.h"

namespace warptime::sim {

struct LoadedMachine : ParameterFile {
  Machine machine;
};

/// Loads a machine as load_parameters does. nullopt if there were errors; there may be warnings either way.
std::optional<LoadedMachine> load_machine(std::string_view name_or_file, const std::vector<std::string>& overrides,
                                          const std::string& config_directory, Diagnostics& diagnostics,
                                          SourceSpan where = {});

/// Whether "PATH=VALUE" names a parameter and a value that its own row allows; an error otherwise. (Conditions between
/// several values need the whole machine.)
bool check_override(const std::string& text, Diagnostics& diagnostics);

/// Name and description of each machine file in a directory, in order of name.
struct MachineListing {
  std::string name, description;
};
std::vector<MachineListing> list_machines(const std::string& config_directory);

/// Names of the machine files in a directory whose hardware has the feature, in order.
std::vector<std::string> machines_with_feature(const std::string& config_directory, std::string_view feature);

/// The resolved machine as loadable YAML: every value, with its origin and what it is in comments. Loading it again
/// gives the same hash.
std::string to_yaml(const LoadedMachine& loaded);

/// 16 hex digits over every resolved value (FNV-1a, 64 bits); the description and host.copy_engines are not part of it.
std::string hash_of(const MachineConfig& config);

/// Conditions between several parameters, each an error or a warning at the value that breaks it.
void check_machine(const LoadedMachine& loaded, Diagnostics& diagnostics);

}  // namespace warptime::sim
