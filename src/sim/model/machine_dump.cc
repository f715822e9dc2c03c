// The resolved machine: as YAML for people, as a hash for reports.
#include <algorithm>
#include <filesystem>

#include "sim/model/inherited_values.h"
#include "sim/model/machine_loader.h"
#include "sim/model/parameters.h"

namespace warptime::sim {

namespace {

/// What all units of the chip have together, where every one has so much: "768 KiB in all 6 partitions"; else nothing.
std::string total_text(const MachineConfig& machine, const Parameter& p) {
  struct Units {
    std::string_view scope, name;
    uint64_t count;
  };
  const Units units[] = {{"in each SM", "SMs", sm_count(machine)},
                         {"in each TPC", "TPCs", machine.chip.tpcs},
                         {"in each partition", "partitions", machine.memory.partitions}};
  const auto* value = std::get_if<uint32_t*>(&p.value);
  const auto* of = std::find_if(std::begin(units), std::end(units), [&](const Units& u) { return u.scope == p.scope; });
  if (value == nullptr || **value == 0 || of == std::end(units)) return {};
  uint64_t total = **value * of->count;
  bool kib = p.path.ends_with("bytes") && total % 1024 == 0;
  return fmt::format("{}{} in all {} {}; ", kib ? total / 1024 : total, kib ? " KiB" : "", of->count, of->name);
}

/// The values that `shows` says, with their sections.
template <class Shows>
std::string yaml_of(const LoadedMachine& loaded, Shows&& shows) {
  MachineConfig config = loaded.machine.config;
  std::string out;
  std::vector<std::string> open;  // the sections that the last line stands in
  for (const Parameter& p : parameters_of(config)) {
    if (!shows(p.path)) continue;
    std::vector<std::string> sections;
    size_t begin = 0;
    for (size_t dot; (dot = p.path.find('.', begin)) != std::string::npos; begin = dot + 1)
      sections.push_back(p.path.substr(begin, dot - begin));
    size_t same = 0;
    while (same < open.size() && same < sections.size() && open[same] == sections[same]) ++same;
    for (size_t i = same; i < sections.size(); ++i) out += fmt::format("{:{}}{}:\n", "", 2 * i, sections[i]);
    open = sections;

    std::string line = fmt::format("{:{}}{}: {}", "", 2 * sections.size(), p.path.substr(begin), value_text(p));
    std::string legal = legal_values(p);
    out += fmt::format("{:<36} # {}; {}{}{}{}\n", line, loaded.origin(p.path).text,
                       legal.empty() || p.path == "features" ? "" : legal + "; ",
                       p.scope.empty() ? "" : fmt::format("{}: ", p.scope), total_text(config, p), p.doc);
  }
  return out;
}

}  // namespace

std::string to_yaml(const LoadedMachine& loaded) {
  return fmt::format(
             "# The machine {} as resolved; hash {}. Each value's comment: origin, legal values, scope, meaning.\n",
             loaded.machine.name, loaded.machine.hash) +
         yaml_of(loaded, [](const std::string&) { return true; });
}

bool is_inherited(const LoadedMachine& loaded, const std::string& path) {
  const std::string own = std::filesystem::path(loaded.file).filename().string() + ":";
  const std::string origin = loaded.origin(path).text;
  return path != "description" && !origin.starts_with(own) && !origin.starts_with("--set");
}

std::string inherited_to_yaml(const LoadedMachine& loaded) {
  size_t all = 0, inherited = 0;
  MachineConfig config = loaded.machine.config;
  for (const Parameter& p : parameters_of(config)) {
    ++all;
    if (is_inherited(loaded, p.path)) ++inherited;
  }
  return fmt::format(
             "# {} of {} values of the machine {} are not in its own file. Each value's comment: origin, legal "
             "values, scope, meaning.\n",
             inherited, all, loaded.machine.name) +
         yaml_of(loaded, [&](const std::string& path) { return is_inherited(loaded, path); });
}

std::string hash_of(const MachineConfig& config) {
  MachineConfig copy = config;
  std::sort(copy.features.begin(), copy.features.end());
  std::vector<Parameter> parameters = parameters_of(copy);
  // It came later, and no launch depends on it: machines keep the hash that their statistics were written with.
  std::erase_if(parameters, [](const Parameter& p) { return p.path == "host.copy_engines"; });
  // Nor on these, without a copy engine.
  if (config.copy_engine.queue_entries == 0)
    std::erase_if(parameters, [](const Parameter& p) { return p.path.starts_with("copy_engine."); });
  // Nor on these, where no blocks are clusters.
  if (!has_feature(config, Feature::Clusters))
    std::erase_if(parameters,
                  [](const Parameter& p) { return p.path.starts_with("cluster.") || p.path == "chip.gpc_tpcs"; });
  return hash_of(parameters);
}

}  // namespace warptime::sim
