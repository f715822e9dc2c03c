// Loads and checks a PTX file named on the command line, and selects one of its kernels.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cli/command_line.h"
#include "ptx/module.h"

namespace warptime::cli {

/// All modules of a file; nullptr for those with errors, which are printed as warnings are. Throws host::InputError if
/// there is none without.
std::vector<std::shared_ptr<const ptx::Module>> load_ptx(const ArgumentText& file);

/// The kernel of that name ("kernel@sm_75": ptx/module_file.h), or the only one, in a file that has to have one such
/// module. Throws if it cannot run.
struct KernelInFile {
  std::shared_ptr<const ptx::Module> module;
  const ptx::Kernel* kernel;
};
KernelInFile find_kernel(const ArgumentText& file, const std::optional<ArgumentText>& name);

}  // namespace warptime::cli
