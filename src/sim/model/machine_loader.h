// Machine files: configs/NAME.yaml, or any file of that form. A file says what differs from the machine it `extends:`
// (or from the defaults in machine.h); `--set PATH=VALUE` then overrides single values. Everything that is not exactly
// right is a diagnostic with its place.
//
//   extends: geforce-8800-gtx          # a name in the configs directory, or a path relative to this file
//   description: a G80 with twice the shared memory
//   sm:
//     shared: {bytes: 32768}
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "sim/model/machine.h"

namespace warptime::sim {

/// Where a value came from.
struct Origin {
  std::string text = "default";  // "x.yaml:12", "--set", "default"
  SourceSpan where;              // of the value; no source for a default
};

struct LoadedMachine {
  Machine machine;
  std::string file;                       // as it was opened
  std::map<std::string, Origin> origins;  // by path; a path that is not there has its default
  std::vector<std::shared_ptr<const SourceText>> sources;

  Origin origin(const std::string& path) const;
};

/// Loads a machine by the name of a file in `config_directory` (without ".yaml") or by a path (anything with a '/' or
/// ending in .yaml or .yml). nullopt if there were errors; there may be warnings either way. `where`: of the name, if
/// the user gave it.
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

/// The resolved machine as loadable YAML: every value, with its origin and what it is in comments. Loading it again
/// gives the same hash.
std::string to_yaml(const LoadedMachine& loaded);

/// 16 hex digits over every resolved value (FNV-1a, 64 bits); the description is not part of it.
std::string hash_of(const MachineConfig& config);

/// Conditions between several parameters, each an error or a warning at the value that breaks it.
void check_machine(const LoadedMachine& loaded, Diagnostics& diagnostics);

}  // namespace warptime::sim
