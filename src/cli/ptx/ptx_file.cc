#include "cli/ptx/ptx_file.h"

#include "base/plural.h"
#include "base/standard_streams.h"
#include "host/device/device.h"
#include "ptx/load_module.h"

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
  std::vector<std::string_view> entries;
  for (const ptx::Kernel& kernel : module.kernels)
    if (kernel.is_entry) entries.push_back(kernel.name);
  if (name) {
    const ptx::Kernel* kernel = module.find_kernel(name->text);
    if (kernel != nullptr) return *kernel;
    auto near = nearest(name->text, entries);
    fail(name->where, fmt::format("{} has no kernel \"{}\"", file.text, name->text),
         near ? fmt::format("did you mean \"{}\"?", *near) : fmt::format("it has {}", fmt::join(entries, ", ")));
  }
  if (entries.empty()) fail(file.where, fmt::format("{} has no kernel", file.text));
  if (entries.size() > 1)
    fail(file.where, fmt::format("{} has {}: which one?", file.text, plural(entries.size(), "kernel")),
         fmt::format("--kernel {}", fmt::join(entries, " or ")));
  return *module.find_kernel(entries.front());
}

}  // namespace warptime::cli
