#include "cli/ptx/ptx_file.h"

#include <algorithm>

#include "base/listed.h"
#include "base/plural.h"
#include "base/standard_streams.h"
#include "host/device/device.h"
#include "host/device/kernel_of_module.h"
#include "ptx/load_module.h"
#include "ptx/module_file.h"
#include "ptx/user/demangle.h"

namespace warptime::cli {

namespace {

std::shared_ptr<const ptx::Module> load(std::shared_ptr<const SourceText> text, std::string& errors) {
  Diagnostics diagnostics;
  std::shared_ptr<const ptx::Module> module = ptx::load_module(std::move(text), diagnostics);
  if (module == nullptr) errors += diagnostics.to_text();
  else print_error(diagnostics.to_text());
  return module;
}

std::shared_ptr<const ptx::Module> load_one(const ArgumentText& file, const std::optional<ArgumentText>& kernel) {
  Diagnostics diagnostics;
  ptx::KernelChoice wanted = ptx::parse_kernel_choice(kernel ? kernel->text : "");
  auto text = ptx::choose_module(read_file(file), {wanted}, kernel ? kernel->where : file.where, diagnostics);
  if (text == nullptr) throw host::InputError(diagnostics.to_text());
  std::string errors;
  auto module = load(std::move(text), errors);
  if (module == nullptr) throw host::InputError(errors);
  return module;
}

}  // namespace

std::vector<std::shared_ptr<const ptx::Module>> load_ptx(const ArgumentText& file) {
  std::shared_ptr<const SourceText> source = read_file(file);
  std::vector<std::shared_ptr<const ptx::Module>> out;
  std::string errors;
  for (const ptx::ModuleInFile& module : ptx::modules_in(*source))
    out.push_back(load(ptx::text_of(source, module), errors));
  if (std::all_of(out.begin(), out.end(), [](const auto& module) { return module == nullptr; }))
    throw host::InputError(errors);
  print_error(errors);
  return out;
}

KernelInFile find_kernel(const ArgumentText& file, const std::optional<ArgumentText>& name) {
  std::shared_ptr<const ptx::Module> module = load_one(file, name);
  if (std::string wanted = ptx::parse_kernel_choice(name ? name->text : "").kernel; !wanted.empty())
    return {module, &host::kernel_of(*module, wanted, name->where)};
  std::vector<const ptx::Kernel*> entries;
  std::vector<std::string> names;
  for (const ptx::Kernel& kernel : module->kernels) {
    if (!kernel.is_entry) continue;
    entries.push_back(&kernel);
    names.push_back(ptx::demangled(kernel.name));
  }
  if (entries.empty()) fail(file.where, fmt::format("{} has no kernel", file.text));
  if (entries.size() > 1)
    fail(file.where, fmt::format("{} has {}: which one?", file.text, plural(entries.size(), "kernel")),
         fmt::format("--kernel {}", listed({names.begin(), names.end()}, " or ")));
  host::check_can_run(*module, *entries.front(), name ? name->where : SourceSpan{});
  return {module, entries.front()};
}

}  // namespace warptime::cli
