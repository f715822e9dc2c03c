#include "ptx/module.h"

#include <algorithm>

namespace warptime::ptx {

const Kernel* Module::find_kernel(std::string_view name) const {
  for (const Kernel& kernel : kernels)
    if (kernel.name == name) return &kernel;
  return nullptr;
}

const LinkedFunction* Kernel::function_of(uint32_t instruction) const {
  const LinkedFunction* out = nullptr;
  for (const LinkedFunction& function : functions)
    if (function.first_instruction <= instruction) out = &function;
  return out;
}

}  // namespace warptime::ptx
