// The resolved machine: as YAML for people, as a hash for reports.
#include <algorithm>

#include "sim/model/machine_loader.h"
#include "sim/model/parameters.h"

namespace warptime::sim {

std::string to_yaml(const LoadedMachine& loaded) {
  MachineConfig config = loaded.machine.config;
  std::string out =
      fmt::format("# The machine {} as resolved; hash {}. Each value's comment: origin, legal values, meaning.\n",
                  loaded.machine.name, loaded.machine.hash);
  std::vector<std::string> open;  // the sections that the last line stands in
  for (const Parameter& p : parameters_of(config)) {
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
    out += fmt::format("{:<36} # {}; {}{}\n", line, loaded.origin(p.path).text,
                       legal.empty() || p.path == "features" ? "" : legal + "; ", p.doc);
  }
  return out;
}

std::string hash_of(const MachineConfig& config) {
  MachineConfig copy = config;
  std::sort(copy.features.begin(), copy.features.end());
  return hash_of(parameters_of(copy));
}

}  // namespace warptime::sim
