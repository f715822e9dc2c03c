#include "cli/run/machine_bands.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "cli/home.h"
#include "host/device/device.h"

namespace warptime::cli {

namespace fs = std::filesystem;

namespace {

/// The machines that one is made of, its own first: the files that extend each other. A file of the user's own has a
/// name only if another one of that name is not shipped.
std::vector<std::string> names_of(const sim::LoadedMachine& loaded) {
  std::vector<std::string> names;
  for (const auto& source : loaded.sources) {
    const fs::path file(source->name());
    if (file.extension() != ".yaml" && file.extension() != ".yml") continue;  // of --set
    std::error_code error;
    const fs::path shipped = fs::path(configs_folder()) / file.stem().concat(".yaml");
    const bool is_shipped = fs::equivalent(file, shipped, error) && !error;
    names.push_back(is_shipped ? file.stem().string() : file.filename().string());
  }
  return names;
}

/// Machines before it execute one PTX instruction at a time: their errors say nothing about later ones.
constexpr double kLaterMachines = 7.0;

/// For a machine of which no launch was measured, nor of one that it extends: the measured one whose compute capability
/// is nearest; empty: none.
std::string nearest_measured(const sim::LoadedMachine& loaded, const std::vector<host::ErrorBandRow>& rows) {
  const double capability = loaded.machine.config.chip.compute_capability;
  if (capability < kLaterMachines) return "";
  std::string nearest;
  double distance = 0;
  for (const host::ErrorBandRow& row : rows) {
    if (row.kernel_class != host::kAllLaunches) continue;
    Diagnostics diagnostics;
    const auto other = sim::load_machine(row.machine, {}, configs_folder(), diagnostics);
    if (!other || other->machine.config.chip.compute_capability < kLaterMachines) continue;
    const double away = std::abs(other->machine.config.chip.compute_capability - capability);
    if (!nearest.empty() && away >= distance) continue;
    nearest = row.machine;
    distance = away;
  }
  return nearest;
}

bool is_changed(const sim::LoadedMachine& loaded) {
  const bool is_set = std::any_of(loaded.origins.begin(), loaded.origins.end(),
                                  [](const auto& origin) { return origin.second.text == "--set"; });
  if (!is_set) return false;
  Diagnostics diagnostics;
  auto as_in_file = sim::load_machine(loaded.file, {}, configs_folder(), diagnostics);
  return !as_in_file || as_in_file->machine.hash != loaded.machine.hash;
}

}  // namespace

host::ErrorBands error_bands_of(const sim::LoadedMachine& loaded) {
  const std::string file = validation_folder() + "/error_bands.csv";
  std::error_code error;
  if (!loaded.machine.config.has_timing || !fs::exists(file, error)) return {};
  std::string why;
  auto source = SourceText::read_file(file, &why);
  if (source == nullptr) return {};
  Diagnostics diagnostics;
  std::vector<host::ErrorBandRow> rows = host::read_error_bands(source, diagnostics);
  if (diagnostics.has_errors()) throw host::InputError(diagnostics.to_text());
  std::vector<std::string> names = names_of(loaded);
  const bool has_rows = std::any_of(rows.begin(), rows.end(), [&](const host::ErrorBandRow& row) {
    return std::find(names.begin(), names.end(), row.machine) != names.end();
  });
  if (std::string nearest; !has_rows && !(nearest = nearest_measured(loaded, rows)).empty()) names.push_back(nearest);
  return {std::move(rows), names, is_changed(loaded)};
}

}  // namespace warptime::cli
