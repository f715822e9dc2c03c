// The options --machine and --set of several commands.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command_line.h"
#include "cpu/baseline.h"
#include "host/device/home.h"
#include "sim/model/machine_loader.h"

namespace warptime::cli {

using host::kDefaultMachine;

/// The table rows of --machine and --set.
std::vector<Option> machine_options(std::string_view default_machine = kDefaultMachine);

/// Whether a target of this name is a launch file.
inline bool is_launch_file_name(std::string_view name) { return name.ends_with(".yaml") || name.ends_with(".yml"); }

/// The machine of --machine (or `named`, or that of the launch file that is the first word), with every --set; throws
/// host::InputError. Warnings go to standard error.
sim::LoadedMachine load_machine(const Arguments& arguments, std::optional<ArgumentText> named = {},
                                std::string_view default_machine = kDefaultMachine);
/// The processor of that name or file, "-" for the default one; throws host::InputError.
cpu::Cpu load_cpu(const ArgumentText& named);
/// The machine of --machine (or `named`) with these "PATH=VALUE" texts in place of --set, and the warnings kept.
sim::LoadedMachine load_machine(const std::optional<ArgumentText>& named, const std::vector<std::string>& overrides,
                                std::string& warnings, std::string_view default_machine = kDefaultMachine);

}  // namespace warptime::cli
