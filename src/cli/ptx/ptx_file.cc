#include "cli/ptx/ptx_file.h"

#include "base/plural.h"
#include "base/standard_streams.h"
#include "host/device/device.h"
#include "ptx/load_module.h"
#include "ptx/user/demangle.h"

namespace warptime::cli {

std::shared_ptr<const ptx::Module> load_ptx(const ArgumentText& file) {
  std::shared_ptr<const SourceText> source = read_file(file);
  Diagnostics diagnostics;
  std::shared_ptr<const ptx::Module> module = ptx::load_module(source, diagnostics);
  if (!module) throw host::InputError(diagnostics.to_text());
  print_error(diagnostics.to_text());
  return module;
}

const ptx::Kernel& find_kernel(const ptx::Module& module, const std::optional<ArgumentText>& name,
                               const ArgumentText& file) {
  if (name) {
    const std::vector<const ptx::Kernel*> kernels = ptx::kernels_named(module, name->text);
    if (kernels.size() == 1) return *kernels.front();
    ptx::KernelNameError error = ptx::kernel_name_error(module, name->text);
    fail(name->where, std::move(error.message), std::move(error.hint));
  }
  std::vector<const ptx::Kernel*> entries;
  for (const ptx::Kernel& kernel : module.kernels)
    if (kernel.is_entry) entries.push_back(&kernel);
  if (entries.empty()) fail(file.where, fmt::format("{} has no kernel", file.text));
  if (entries.size() > 1) {
    std::vector<std::string> names;
    for (const ptx::Kernel* kernel : entries) names.push_back(ptx::demangled(kernel->name));
    fail(file.where, fmt::format("{} has {}: which one?", file.text, plural(entries.size(), "kernel")),
         fmt::format("--kernel {}", fmt::join(names, " or ")));
  }
  return *entries.front();
}

}  // namespace warptime::cli
