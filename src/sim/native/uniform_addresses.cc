#include "sim/native/uniform_addresses.h"

#include "ptx/analysis/register_uses.h"
#include "ptx/isa/cards.h"
#include "ptx/native/warp_uniform.h"

namespace warptime::sim {

UniformAddresses::UniformAddresses(bool wanted, const ptx::Kernel& kernel) : kernel_(wanted ? &kernel : nullptr) {
  if (!wanted) return;
  varies_ = ptx::find_varying(kernel);
  facts_.emplace(kernel);
}

bool UniformAddresses::has(const ptx::Instruction& in) const {
  if (kernel_ == nullptr || (in.guard != ptx::kNoIndex && varies_[in.guard])) return false;
  for (const ptx::Operand& operand : kernel_->operands_of(in))
    if (operand.kind == ptx::Operand::Kind::Memory)
      return operand.base != ptx::Operand::Base::Register || !varies_[operand.index];
  return false;
}

bool UniformAddresses::is_operand(const ptx::Instruction& in) const {
  using Kind = ptx::Operand::Kind;
  auto takes_it = [&](const ptx::Use& use) {
    uint32_t alike = 0, varying = 0;
    for (const ptx::Operand& operand : kernel_->operands_of(kernel_->instructions[use.instruction])) {
      if (operand.destination) continue;
      if (operand.kind == Kind::Immediate && operand.bits != 0) ++alike;
      if (operand.kind == Kind::Register) ++(varies_[operand.index] ? varying : alike);
    }
    return varying == 0 || alike == 1;
  };
  bool takes_all = true;
  ptx::for_each_register(*kernel_, in, [&](uint32_t reg, bool written) {
    if (!written) return;
    for (const ptx::Use& use : facts_->uses(reg)) takes_all = takes_all && takes_it(use);
  });
  return takes_all;
}

bool combines(const ptx::Instruction& in) {
  using ptx::Mod, ptx::Type;
  if (in.vector != 1 || (in.type != Type::U32 && in.type != Type::S32 && in.type != Type::B32)) return false;
  if (in.mods.has(Mod::Add)) return true;
  if (!ptx::is<ptx::Red>(in)) return false;
  for (Mod mod : {Mod::Min, Mod::Max, Mod::And, Mod::Or, Mod::Xor})
    if (in.mods.has(mod)) return true;
  return false;
}

}  // namespace warptime::sim
