#include "sim/native/uniform_addresses.h"

#include "ptx/isa/cards.h"
#include "ptx/native/warp_uniform.h"

namespace warptime::sim {

UniformAddresses::UniformAddresses(bool wanted, const ptx::Kernel& kernel) : kernel_(wanted ? &kernel : nullptr) {
  if (wanted) varies_ = ptx::find_varying(kernel);
}

bool UniformAddresses::has(const ptx::Instruction& in) const {
  if (kernel_ == nullptr || (in.guard != ptx::kNoIndex && varies_[in.guard])) return false;
  for (const ptx::Operand& operand : kernel_->operands_of(in))
    if (operand.kind == ptx::Operand::Kind::Memory)
      return operand.base != ptx::Operand::Base::Register || !varies_[operand.index];
  return false;
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
