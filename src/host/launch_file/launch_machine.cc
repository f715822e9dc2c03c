#include "host/launch_file/launch_machine.h"

#include "host/launch_file/launch_data.h"
#include "sim/model/yaml_reader.h"

namespace warptime::host {

std::optional<LaunchMachine> machine_of_launch_file(const std::string& path) {
  auto source = SourceText::read_file(path, nullptr);
  if (source == nullptr) return std::nullopt;
  Diagnostics unwanted;
  auto root = yaml::parse(source, unwanted);
  if (!root) return std::nullopt;
  for (const yaml::Entry& entry : root->entries) {
    if (entry.key != "machine" || entry.value.kind != yaml::Node::Kind::Scalar) continue;
    std::string name = entry.value.text;
    if (name.find_first_of("/.") != std::string::npos) name = path_beside(path, name);
    return LaunchMachine{std::move(name), entry.value.where, source};
  }
  return std::nullopt;
}

}  // namespace warptime::host
