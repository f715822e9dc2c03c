#include "python/src/machine_object.h"

#include <algorithm>

#include "cli/machine/machine_option.h"
#include "host/device/device.h"
#include "sim/model/renamed_keys.h"

namespace warptime::python {

namespace {

struct ToValue {
  ParameterValue operator()(const bool* value) const { return *value; }
  ParameterValue operator()(const uint32_t* value) const { return uint64_t{*value}; }
  ParameterValue operator()(const uint64_t* value) const { return *value; }
  ParameterValue operator()(const double* value) const { return *value; }
  ParameterValue operator()(const std::string* value) const { return *value; }
  ParameterValue operator()(const std::vector<std::string>* value) const { return *value; }
};

}  // namespace

MachineObject::MachineObject(std::string name_or_file) : given_(std::move(name_or_file)) {
  std::string warnings;
  cli::CommandLine line({"machine", "show", given_});
  loaded_ = cli::load_machine(cli::ArgumentText{given_, line.where(2)}, {}, warnings);
}

std::vector<std::string> MachineObject::settings() const {
  std::vector<std::string> out;
  for (const auto& [path, text] : settings_) out.push_back(text);
  return out;
}

void MachineObject::set(const std::string& setting) {
  Diagnostics diagnostics;
  sim::LoadedMachine scratch;
  scratch.machine.config = loaded_.machine.config;
  sim::load_parameters(scratch, sim::parameters_of(scratch.machine.config), sim::ConfigKind::Machine, "", {setting}, "",
                       diagnostics);
  if (diagnostics.has_errors()) throw host::InputError(diagnostics.to_text());
  loaded_.machine.config = scratch.machine.config;
  std::string path(sim::current_path(setting.substr(0, setting.find('='))));
  auto same = std::find_if(settings_.begin(), settings_.end(), [&](const auto& known) { return known.first == path; });
  if (same != settings_.end()) same->second = setting;
  else settings_.emplace_back(path, setting);
}

ParameterValue MachineObject::get(const std::string& path) {
  std::vector<std::string_view> names;
  std::vector<sim::Parameter> parameters = sim::parameters_of(loaded_.machine.config);
  for (const sim::Parameter& parameter : parameters) {
    names.push_back(parameter.path);
    if (parameter.path != path) continue;
    // A word is read as its text.
    if (std::holds_alternative<sim::EnumRef>(parameter.value)) return sim::value_text(parameter);
    return std::visit(
        [](auto value) -> ParameterValue {
          if constexpr (std::is_same_v<decltype(value), sim::EnumRef>) return std::string();
          else return ToValue{}(value);
        },
        parameter.value);
  }
  cli::fail({}, fmt::format("unknown parameter \"{}\"", path), did_you_mean(path, names));
}

sim::LoadedMachine MachineObject::resolved() const {
  std::string warnings;
  return cli::load_machine(cli::ArgumentText{given_, {}}, settings(), warnings);
}

std::string MachineObject::hash() const { return resolved().machine.hash; }

std::string MachineObject::yaml() const { return sim::to_yaml(resolved()); }

}  // namespace warptime::python
