#include "host/device/kernel_of_module.h"

#include "host/device/device.h"
#include "ptx/user/demangle.h"

namespace warptime::host {

void check_can_run(const ptx::Module& module, const ptx::Kernel& kernel, SourceSpan where) {
  std::vector<Diagnostic> problems = ptx::unsupported_of(module, kernel);
  if (problems.empty()) return;
  Diagnostics diagnostics;
  diagnostics.error(where, fmt::format("kernel \"{}\" cannot run: warptime does not support all of it", kernel.name),
                    fmt::format("`warptime ptx {}` lists the kernels that can", module.source->name()));
  for (Diagnostic& problem : problems) diagnostics.add(std::move(problem));
  throw InputError(diagnostics.to_text());
}

const ptx::Kernel& kernel_of(const ptx::Module& module, std::string_view name, SourceSpan where) {
  const std::vector<const ptx::Kernel*> kernels = ptx::kernels_named(module, name);
  if (kernels.size() != 1) {
    ptx::KernelNameError error = ptx::kernel_name_error(module, name);
    Diagnostics diagnostics;
    diagnostics.error(where, std::move(error.message), std::move(error.hint));
    throw InputError(diagnostics.to_text());
  }
  check_can_run(module, *kernels.front(), where);
  return *kernels.front();
}

}  // namespace warptime::host
