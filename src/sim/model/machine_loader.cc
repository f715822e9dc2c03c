// Loading of machines. Conditions between values are in machine_checks.cc, the dump in machine_dump.cc.
#include "sim/model/machine_loader.h"

#include <algorithm>

namespace warptime::sim {

std::optional<LoadedMachine> load_machine(std::string_view name_or_file, const std::vector<std::string>& overrides,
                                          const std::string& config_directory, Diagnostics& diagnostics,
                                          SourceSpan where) {
  size_t errors_before = diagnostics.error_count();
  LoadedMachine loaded;
  load_parameters(loaded, parameters_of(loaded.machine.config), ConfigKind::Machine, name_or_file, overrides,
                  config_directory, diagnostics, std::move(where));
  if (diagnostics.error_count() > errors_before) return std::nullopt;
  loaded.machine.name = loaded.name;
  loaded.machine.folder = config_directory;
  check_machine(loaded, diagnostics);
  if (diagnostics.error_count() > errors_before) return std::nullopt;

  std::vector<std::string>& features = loaded.machine.config.features;
  std::sort(features.begin(), features.end());
  features.erase(std::unique(features.begin(), features.end()), features.end());
  loaded.machine.hash = hash_of(loaded.machine.config);
  return loaded;
}

bool check_override(const std::string& text, Diagnostics& diagnostics) {
  size_t errors_before = diagnostics.error_count();
  LoadedMachine scratch;
  load_parameters(scratch, parameters_of(scratch.machine.config), ConfigKind::Machine, "", {text}, "", diagnostics);
  return diagnostics.error_count() == errors_before;
}

std::vector<MachineListing> list_machines(const std::string& config_directory) {
  std::vector<MachineListing> out;
  for (const std::string& name : config_names(config_directory, ConfigKind::Machine)) {
    Diagnostics ignored;
    auto loaded = load_machine(name, {}, config_directory, ignored);
    out.push_back({name, loaded ? loaded->machine.config.description : "(this file has errors)"});
  }
  return out;
}

std::vector<std::string> machines_with_feature(const std::string& config_directory, std::string_view feature) {
  std::vector<std::string> out;
  for (const std::string& name : config_names(config_directory, ConfigKind::Machine)) {
    Diagnostics ignored;
    auto loaded = load_machine(name, {}, config_directory, ignored);
    if (loaded && has_feature(loaded->machine.config, feature)) out.push_back(name);
  }
  return out;
}

}  // namespace warptime::sim
