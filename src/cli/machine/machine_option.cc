#include "cli/machine/machine_option.h"

#include "base/standard_streams.h"
#include "cli/home.h"
#include "host/device/device.h"
#include "host/launch_file/launch_machine.h"

namespace warptime::cli {

std::vector<Option> machine_options(std::string_view default_machine) {
  return in_group(
      OptionGroup::Target,
      {{"machine", Option::Kind::Value, Takes::machine("NAME|FILE"),
        fmt::format("machine to run on: a name of `warptime list machines`, or a file; default {}", default_machine)},
       {"set", Option::Kind::Repeated, Takes::setting("PATH=VALUE"), "override a parameter of the machine"}});
}

sim::LoadedMachine load_machine(const Arguments& arguments, std::optional<ArgumentText> named,
                                std::string_view default_machine) {
  if (!named) named = arguments.value("machine");
  std::optional<host::LaunchMachine> of_file;
  if (!named && default_machine == kDefaultMachine && !arguments.words().empty() &&
      is_launch_file_name(arguments.words().front().text))
    of_file = host::machine_of_launch_file(arguments.words().front().text);
  if (of_file) named = ArgumentText{of_file->name, of_file->where};
  std::string warnings;
  sim::LoadedMachine loaded = load_machine(named, arguments.texts("set"), warnings, default_machine);
  print_error(warnings);
  return loaded;
}

sim::LoadedMachine load_machine(const std::optional<ArgumentText>& named, const std::vector<std::string>& overrides,
                                std::string& warnings, std::string_view default_machine) {
  Diagnostics diagnostics;
  auto loaded = sim::load_machine(named ? named->text : std::string(default_machine), overrides, configs_folder(),
                                  diagnostics, named ? named->where : SourceSpan{});
  if (!loaded) throw host::InputError(diagnostics.to_text());
  warnings = diagnostics.to_text();
  return std::move(*loaded);
}

cpu::Cpu load_cpu(const ArgumentText& named) {
  Diagnostics diagnostics;
  auto cpu =
      cpu::load_cpu(named.text == "-" ? cpu::kDefaultCpu : named.text, configs_folder(), diagnostics, named.where);
  if (!cpu) throw host::InputError(diagnostics.to_text());
  return std::move(*cpu);
}

}  // namespace warptime::cli
