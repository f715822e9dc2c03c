#include "ptx/native/sign_modifiers.h"

#include "ptx/isa/cards.h"

namespace warptime::ptx {

bool is_sign_of_readers(const Kernel& kernel, const RegisterFacts& facts, uint32_t i) {
  const Instruction& sign = kernel.instructions[i];
  if (!is<Neg, Abs>(sign) || sign.type != Type::F32 || sign.guard != kNoIndex) return false;
  const Operand& from = kernel.operands_of(sign)[1];
  const uint32_t to = result_of(kernel, sign);
  const bool stays = from.kind == Operand::Kind::Register && facts.definition(from.index) != kSeveral;
  if (to == kNoIndex || !stays || facts.definition(to) != i || facts.uses(to).empty()) return false;
  for (const Use& use : facts.uses(to)) {
    const Instruction& reader = kernel.instructions[use.instruction];
    const bool takes_both = is<Min, Max, Setp, Set, Rcp, Rsqrt, Lg2, Sin, Cos, Ex2>(reader);
    const bool negates = takes_both || is<Add, Sub, Mul, Mad, Fma>(reader);
    if (reader.type != Type::F32 || !(is<Neg>(sign) ? negates : takes_both)) return false;
  }
  return true;
}

}  // namespace warptime::ptx
