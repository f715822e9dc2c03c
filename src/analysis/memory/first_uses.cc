#include "analysis/memory/first_uses.h"

#include <algorithm>

#include "ptx/analysis/register_uses.h"

namespace warptime::analysis {

std::vector<uint32_t> first_uses_in_text(const ptx::Kernel& kernel) {
  const auto count = static_cast<uint32_t>(kernel.instructions.size());
  std::vector<uint32_t> uses(count, count), next_read(kernel.registers.size(), count);
  for (uint32_t i = count; i-- > 0;) {
    const ptx::Instruction& instruction = kernel.instructions[i];
    ptx::for_each_register(kernel, instruction, [&](uint32_t reg, bool written) {
      if (written) uses[i] = std::min(uses[i], next_read[reg]);
    });
    ptx::for_each_register(kernel, instruction, [&](uint32_t reg, bool written) {
      if (!written) next_read[reg] = i;
    });
  }
  return uses;
}

}  // namespace warptime::analysis
