#include "ptx/module.h"

#include <algorithm>
#include <iterator>

namespace warptime::ptx {

const Kernel* Module::find_kernel(std::string_view name) const {
  for (const Kernel& kernel : kernels)
    if (kernel.name == name) return &kernel;
  return nullptr;
}

std::vector<Diagnostic> unsupported_of(const Module& module, const Kernel& kernel) {
  std::vector<Diagnostic> out;
  auto add = [&](const Kernel& body) {
    if (body.unsupported == kNoIndex) return;
    const std::vector<Diagnostic>& more = module.unsupported[body.unsupported];
    out.insert(out.end(), more.begin(), more.end());
  };
  add(kernel);
  for (const LinkedFunction& linked : kernel.functions) add(module.functions[linked.function]);
  return out;
}

void add_unsupported(Module& module, Kernel& kernel, std::vector<Diagnostic> problems) {
  if (problems.empty()) return;
  if (kernel.unsupported == kNoIndex) {
    kernel.unsupported = static_cast<uint32_t>(module.unsupported.size());
    module.unsupported.emplace_back();
  }
  std::vector<Diagnostic>& all = module.unsupported[kernel.unsupported];
  all.insert(all.end(), std::make_move_iterator(problems.begin()), std::make_move_iterator(problems.end()));
}

const LinkedFunction* Kernel::function_of(uint32_t instruction) const {
  const LinkedFunction* out = nullptr;
  for (const LinkedFunction& function : functions)
    if (function.first_instruction <= instruction) out = &function;
  return out;
}

}  // namespace warptime::ptx
