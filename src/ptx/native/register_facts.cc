#include "ptx/native/register_facts.h"

#include "ptx/register_uses.h"

namespace warptime::ptx {

RegisterFacts::RegisterFacts(const Kernel& kernel)
    : definition_(kernel.registers.size(), kNoIndex),
      first_use_(kernel.registers.size() + 1, 0),
      block_(kernel.instructions.size(), 0),
      depth_(kernel.blocks.size() + 1, 0) {
  auto for_each_read = [&](auto&& visit) {
    for (uint32_t i = 0; i < kernel.instructions.size(); ++i) {
      auto operands = kernel.operands_of(kernel.instructions[i]);
      for (size_t o = 0; o < operands.size(); ++o)
        for_each_register(kernel, operands[o], [&](uint32_t reg, bool written) {
          if (!written) visit(reg, Use{i, static_cast<uint8_t>(o)});
        });
    }
  };
  for_each_read([&](uint32_t reg, Use) { ++first_use_[reg + 1]; });
  for (size_t reg = 0; reg < kernel.registers.size(); ++reg) first_use_[reg + 1] += first_use_[reg];
  uses_.resize(first_use_.back());
  std::vector<uint32_t> next(first_use_.begin(), first_use_.end() - 1);
  for_each_read([&](uint32_t reg, Use use) { uses_[next[reg]++] = use; });

  for (uint32_t i = 0; i < kernel.instructions.size(); ++i)
    for_each_register(kernel, kernel.instructions[i], [&](uint32_t reg, bool written) {
      if (!written) return;
      bool plain = definition_[reg] == kNoIndex && kernel.instructions[i].guard == kNoIndex;
      definition_[reg] = plain ? i : kSeveral;
    });

  // A branch backwards from b to s makes blocks s .. b a loop: +1 at s, -1 behind b, then sums (wrapping).
  for (uint32_t b = 0; b < kernel.blocks.size(); ++b) {
    for (uint32_t i = kernel.blocks[b].begin; i < kernel.blocks[b].end; ++i) block_[i] = b;
    for (uint32_t s : kernel.blocks[b].successors) {
      if (s > b) continue;
      ++depth_[s];
      --depth_[b + 1];
    }
  }
  for (size_t b = 1; b < depth_.size(); ++b) depth_[b] += depth_[b - 1];
}

uint32_t result_of(const Kernel& kernel, const Instruction& instruction) {
  uint32_t result = kNoIndex;
  for (const Operand& operand : kernel.operands_of(instruction))
    for_each_register(kernel, operand, [&](uint32_t reg, bool written) {
      if (written && result == kNoIndex) result = reg;
    });
  return result;
}

}  // namespace warptime::ptx
