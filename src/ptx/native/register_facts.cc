#include "ptx/native/register_facts.h"

#include <algorithm>

#include "ptx/analysis/register_uses.h"

namespace warptime::ptx {

RegisterFacts::RegisterFacts(const Kernel& kernel)
    : definition_(kernel.registers.size(), kNoIndex),
      first_use_(kernel.registers.size() + 1, 0),
      first_write_(kernel.registers.size() + 1, 0),
      block_(kernel.instructions.size(), 0),
      depth_(kernel.blocks.size() + 1, 0) {
  auto for_each = [&](auto&& read, auto&& write) {
    for (uint32_t i = 0; i < kernel.instructions.size(); ++i) {
      auto operands = kernel.operands_of(kernel.instructions[i]);
      for (size_t o = 0; o < operands.size(); ++o)
        for_each_register(kernel, operands[o], [&](uint32_t reg, bool written) {
          if (written) write(reg, i);
          else read(reg, Use{i, static_cast<uint8_t>(o)});
        });
    }
  };
  for_each([&](uint32_t reg, Use) { ++first_use_[reg + 1]; }, [&](uint32_t reg, uint32_t) { ++first_write_[reg + 1]; });
  for (size_t reg = 0; reg < kernel.registers.size(); ++reg) {
    first_use_[reg + 1] += first_use_[reg];
    first_write_[reg + 1] += first_write_[reg];
  }
  uses_.resize(first_use_.back());
  writes_.resize(first_write_.back());
  std::vector<uint32_t> use(first_use_.begin(), first_use_.end() - 1),
      write(first_write_.begin(), first_write_.end() - 1);
  for_each([&](uint32_t reg, Use at) { uses_[use[reg]++] = at; },
           [&](uint32_t reg, uint32_t at) { writes_[write[reg]++] = at; });

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

uint32_t RegisterFacts::write_before(uint32_t reg, uint32_t before) const {
  auto begin = writes_.begin() + first_write_[reg], end = writes_.begin() + first_write_[reg + 1];
  auto behind = std::lower_bound(begin, end, before);
  if (behind == begin || block_[*(behind - 1)] != block_[before]) return kNoIndex;
  return *(behind - 1);
}

bool RegisterFacts::is_touched_between(uint32_t reg, uint32_t from, uint32_t to) const {
  auto read = std::upper_bound(uses(reg).begin(), uses(reg).end(), from,
                               [](uint32_t at, const Use& use) { return at < use.instruction; });
  if (read != uses(reg).end() && read->instruction < to) return true;
  auto end = writes_.begin() + first_write_[reg + 1];
  auto written = std::upper_bound(writes_.begin() + first_write_[reg], end, from);
  return written != end && *written < to;
}

uint32_t result_of(const Kernel& kernel, const Instruction& instruction) {
  auto operands = kernel.operands_of(instruction);
  if (!operands.empty() && operands[0].kind == Operand::Kind::Register && operands[0].destination)
    return operands[0].index;  // nearly always
  uint32_t result = kNoIndex;
  for (const Operand& operand : operands)
    for_each_register(kernel, operand, [&](uint32_t reg, bool written) {
      if (written && result == kNoIndex) result = reg;
    });
  return result;
}

}  // namespace warptime::ptx
