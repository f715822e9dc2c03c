#include "ptx/native/warp_uniform.h"

#include <algorithm>

#include "ptx/analysis/register_uses.h"
#include "ptx/native/register_facts.h"

namespace warptime::ptx {

namespace {

/// Whether lanes may get different values from the same operands.
bool varies_itself(const Kernel& kernel, const Instruction& in) {
  const Effect effect = effect_of(in);
  if (effect == Effect::Load) return in.space != Space::Param && in.space != Space::Const;
  if (effect != Effect::None) return true;
  for (const Operand& operand : kernel.operands_of(in))
    if (operand.kind == Operand::Kind::Special && varies_by_lane(static_cast<Special>(operand.index))) return true;
  return false;
}

/// Where lanes part, some of them write a register and others do not, or not as often: in the instructions until they
/// meet, and in a loop that they leave at different times. Whether that changed anything.
bool mark_parted(const Kernel& kernel, const RegisterFacts& facts, std::vector<bool>& varies) {
  bool changed = false;
  const auto size = static_cast<uint32_t>(kernel.instructions.size());
  for (uint32_t i = 0; i < size; ++i) {
    const Instruction& in = kernel.instructions[i];
    if (effect_of(in) != Effect::Branch || in.guard == kNoIndex || !varies[in.guard]) continue;
    uint32_t begin = i, end = std::min(in.reconvergence, size);
    const uint32_t target = kernel.operands_of(in)[0].index;
    if (target <= i) begin = target;
    for (uint32_t back = i + 1; back < std::min(target, size); ++back) {  // of the loop that it leaves
      const Instruction& other = kernel.instructions[back];
      if (effect_of(other) == Effect::Branch && kernel.operands_of(other)[0].index <= i)
        begin = std::min(begin, kernel.operands_of(other)[0].index);
    }
    if (end < i) end = i;
    for (uint32_t at = begin; at < end; ++at)
      for_each_register(kernel, kernel.instructions[at], [&](uint32_t reg, bool written) {
        if (!written || varies[reg] || facts.definition(reg) != kSeveral) return;
        varies[reg] = changed = true;
      });
  }
  return changed;
}

}  // namespace

std::vector<bool> find_varying(const Kernel& kernel, bool parted) {
  const RegisterFacts facts(kernel);
  std::vector<bool> varies(kernel.registers.size(), false);
  for (bool changed = true; changed;) {
    changed = parted && mark_parted(kernel, facts, varies);
    for (const Instruction& in : kernel.instructions) {
      bool reads_varying = varies_itself(kernel, in);
      for_each_register(kernel, in, [&](uint32_t reg, bool written) { reads_varying |= !written && varies[reg]; });
      if (!reads_varying) continue;
      for_each_register(kernel, in, [&](uint32_t reg, bool written) {
        if (!written || varies[reg]) return;
        varies[reg] = changed = true;
      });
    }
  }
  return varies;
}

}  // namespace warptime::ptx
