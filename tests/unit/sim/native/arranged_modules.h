// The kernels of all committed modules, for what is to hold of each.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "ptx/load_module.h"
#include "sim/model/machine_loader.h"

namespace warptime::sim {

inline MachineConfig config_with(const std::vector<std::string>& overrides,
                                 const std::string& machine = "geforce-gtx-480") {
  Diagnostics diagnostics;
  auto loaded = load_machine(machine, overrides, WARPTIME_SOURCE_DIR "/configs", diagnostics);
  INFO(diagnostics.to_text());
  REQUIRE(loaded.has_value());
  return loaded->machine.config;
}

inline std::shared_ptr<const ptx::Module> module_of(std::shared_ptr<const SourceText> source) {
  Diagnostics diagnostics;
  return ptx::load_module(std::move(source), diagnostics);
}

/// Calls visit(module, kernel) for each kernel of each module that is one.
template <class Visit>
void for_each_kernel(Visit&& visit) {
  std::vector<std::filesystem::path> files;
  for (const char* folder : {"workloads", "docs/examples", "tests"})
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(WARPTIME_SOURCE_DIR "/" + std::string(folder)))
      if (entry.path().extension() == ".ptx") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    std::string why;
    auto source = SourceText::read_file(file.string(), &why);
    auto module = source == nullptr ? nullptr : module_of(source);
    if (module == nullptr) continue;  // a case of the front end's errors
    INFO(file.string());
    for (const ptx::Kernel& kernel : module->kernels) visit(*module, kernel);
  }
}

}  // namespace warptime::sim
