// A kernel by its name, and whether it can run.
#pragma once

#include <string_view>

#include "base/diagnostics.h"
#include "ptx/module.h"

namespace warptime::host {

/// Throws InputError if something in the kernel or in a function that it calls is not supported; `where` names it.
void check_can_run(const ptx::Module& module, const ptx::Kernel& kernel, SourceSpan where);

/// The kernel that a user means (ptx/user/demangle.h). Throws InputError if the module has none or several of this
/// name, or one that cannot run.
const ptx::Kernel& kernel_of(const ptx::Module& module, std::string_view name, SourceSpan where);

}  // namespace warptime::host
