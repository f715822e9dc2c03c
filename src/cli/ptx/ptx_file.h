// Loads and checks a PTX file named on the command line, and selects one of its kernels.
#pragma once

#include <memory>
#include <optional>

#include "cli/command_line.h"
#include "ptx/module.h"

namespace warptime::cli {

/// Throws host::InputError with every diagnostic; prints warnings to standard error.
std::shared_ptr<const ptx::Module> load_ptx(const ArgumentText& file);

/// The kernel of that name, or the only one.
const ptx::Kernel& find_kernel(const ptx::Module& module, const std::optional<ArgumentText>& name,
                               const ArgumentText& file);

}  // namespace warptime::cli
