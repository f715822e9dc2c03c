// Loading of machines. Conditions between values are in machine_checks.cc, the dump in machine_dump.cc.
#include "sim/model/machine_loader.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

namespace warptime::sim {

/// dram.latency_scale and dram.bandwidth_scale change what they scale, and are 1 from then on: a machine that is shown
/// and loaded again is the same.
static void apply_scales(LoadedMachine& loaded) {
  DramConfig& dram = loaded.machine.config.dram;
  auto scale = [&](const char* cause, double factor, std::initializer_list<std::pair<const char*, uint32_t*>> times) {
    for (const auto& [path, cycles] : times) {
      if (*cycles == 0) continue;
      *cycles = static_cast<uint32_t>(std::max<int64_t>(1, std::llround(*cycles * factor)));
      loaded.origins[path] = Origin{.text = cause, .where = loaded.origin(cause).where};
    }
  };
  if (const double factor = std::exchange(dram.latency_scale, 1); factor != 1)
    scale("dram.latency_scale", factor,
          {{"dram.tRCD", &dram.tRCD},
           {"dram.tRP", &dram.tRP},
           {"dram.tRAS", &dram.tRAS},
           {"dram.tRC", &dram.tRC},
           {"dram.tCL", &dram.tCL},
           {"dram.tWL", &dram.tWL},
           {"dram.tWR", &dram.tWR},
           {"dram.tWTR", &dram.tWTR},
           {"dram.tWTR_L", &dram.tWTR_L},
           {"dram.tRTP", &dram.tRTP}});
  if (const double factor = std::exchange(dram.bandwidth_scale, 1); factor != 1) {
    // Cycles are shorter, so that times are more of them; what the data bus takes is not.
    double& mhz = loaded.machine.config.clocks.memory_mhz;
    mhz = std::round(mhz * factor * 1000) / 1000;
    loaded.origins["clocks.memory_mhz"] =
        Origin{.text = "dram.bandwidth_scale", .where = loaded.origin("dram.bandwidth_scale").where};
    scale("dram.bandwidth_scale", factor,
          {{"dram.tRCD", &dram.tRCD},
           {"dram.tRP", &dram.tRP},
           {"dram.tRAS", &dram.tRAS},
           {"dram.tRC", &dram.tRC},
           {"dram.tRRD", &dram.tRRD},
           {"dram.tRRD_L", &dram.tRRD_L},
           {"dram.tFAW", &dram.tFAW},
           {"dram.tCL", &dram.tCL},
           {"dram.tWL", &dram.tWL},
           {"dram.tWTR", &dram.tWTR},
           {"dram.tWTR_L", &dram.tWTR_L},
           {"dram.tWR", &dram.tWR},
           {"dram.tRTW", &dram.tRTW},
           {"dram.tRTP", &dram.tRTP},
           {"dram.tREFI", &dram.tREFI},
           {"dram.tRFC", &dram.tRFC},
           {"dram.tRFCpb", &dram.tRFCpb}});
  }
}

std::optional<LoadedMachine> load_machine(std::string_view name_or_file, const std::vector<std::string>& overrides,
                                          const std::string& config_directory, Diagnostics& diagnostics,
                                          SourceSpan where) {
  size_t errors_before = diagnostics.error_count();
  LoadedMachine loaded;
  load_parameters(loaded, parameters_of(loaded.machine.config), ConfigKind::Machine, name_or_file, overrides,
                  config_directory, diagnostics, std::move(where));
  if (diagnostics.error_count() > errors_before) return std::nullopt;
  apply_scales(loaded);
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
