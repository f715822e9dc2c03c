#include "host/device/kernel_of_module.h"

#include "base/listed.h"
#include "host/device/device.h"

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
  const ptx::Kernel* kernel = module.find_kernel(name);
  if (kernel == nullptr || !kernel->is_entry) {
    std::vector<std::string_view> names;
    for (const ptx::Kernel& k : module.kernels)
      if (k.is_entry) names.push_back(k.name);
    std::string hint = did_you_mean(name, names);
    if (hint.empty()) hint = names.empty() ? "it has none" : fmt::format("it has {}", listed(names));
    Diagnostics diagnostics;
    diagnostics.error(where, fmt::format("\"{}\" has no kernel \"{}\"", module.source->name(), name), hint);
    throw InputError(diagnostics.to_text());
  }
  check_can_run(module, *kernel, where);
  return *kernel;
}

}  // namespace warptime::host
