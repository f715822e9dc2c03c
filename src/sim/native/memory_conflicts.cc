#include "sim/native/memory_conflicts.h"

#include <algorithm>

#include "ptx/isa/cards.h"
#include "sim/exec/carry_handlers.h"
#include "sim/native/known_alignment.h"

namespace warptime::sim {

using ptx::Effect, ptx::Mod, ptx::Operand, ptx::Space;

namespace {

Effect effect_of(const ptx::Instruction& in) { return ptx::effect_of(*in.card->card, *in.form); }

bool has_order(const ptx::ModSet& mods) {
  for (Mod mod : {Mod::Volatile, Mod::Relaxed, Mod::Acquire, Mod::Release, Mod::AcqRel, Mod::Sc, Mod::Mmio})
    if (mods.has(mod)) return true;
  return false;
}

const Operand* memory_operand(const ptx::Kernel& kernel, const ptx::Instruction& in) {
  for (const Operand& operand : kernel.operands_of(in))
    if (operand.kind == Operand::Kind::Memory) return &operand;
  return nullptr;
}

/// Parameters of the kernel and constants do not change; what a function is passed does, but is_fixed() has that.
bool is_read_only(Space space) { return space == Space::Const || space == Space::Param; }

bool spaces_overlap(Space a, Space b) {
  auto is_generic = [](Space space) { return space == Space::None || space == Space::Generic; };
  return a == b || is_generic(a) || is_generic(b);
}

uint64_t bytes_of(const ptx::Instruction& in) { return uint64_t{ptx::bytes(in.type)} * in.vector; }

bool ranges_overlap(const ptx::Instruction& a, uint64_t at_a, const ptx::Instruction& b, uint64_t at_b) {
  const auto distance = static_cast<int64_t>(at_b - at_a);
  return distance >= 0 ? static_cast<uint64_t>(distance) < bytes_of(a) : static_cast<uint64_t>(-distance) < bytes_of(b);
}

}  // namespace

bool is_dropped(const ptx::Instruction& in) { return ptx::is<ptx::Pmevent>(in) && in.operand_count == 0; }

bool is_fixed(const ptx::Kernel& kernel, const ptx::Instruction& in) {
  const Effect effect = effect_of(in);
  const bool of_warp =
      effect == Effect::Matrix || (effect == Effect::Collective && !reads_carry(in) && !writes_carry(in));
  const bool computes = effect == Effect::None || of_warp || is_dropped(in);
  if (!computes && effect != Effect::Texture && !ptx::accesses(effect)) return true;
  if (ptx::is<ptx::Ldmatrix, ptx::Stmatrix, ptx::Wmma>(in)) return true;  // more bytes than its type says
  if (effect == Effect::AsyncCopy || (has_order(in.mods) && effect != Effect::None)) return true;
  const auto operands = kernel.operands_of(in);
  return std::any_of(operands.begin(), operands.end(), [&](const Operand& operand) {
    if (operand.kind == Operand::Kind::Special) return is_clock(static_cast<ptx::Special>(operand.index));
    return operand.kind == Operand::Kind::Memory && operand.base == Operand::Base::Symbol &&
           operand.scope == Operand::Scope::Kernel && kernel.symbols[operand.index].passed;
  });
}

bool may_conflict(const ptx::Module& module, const ptx::Kernel& kernel, const ptx::Instruction& a,
                  const ptx::Instruction& b) {
  const Effect of_a = effect_of(a), of_b = effect_of(b);
  auto changes = [](Effect effect) { return effect == Effect::Store || effect == Effect::Atomic; };
  if (!ptx::accesses(of_a) && of_a != Effect::Texture) return false;
  if (!ptx::accesses(of_b) && of_b != Effect::Texture) return false;
  if (!changes(of_a) && !changes(of_b)) return false;
  if (a.mods.has(Mod::Nc) || b.mods.has(Mod::Nc)) return false;  // of what does not change while the kernel runs
  const Space space_a = of_a == Effect::Texture ? Space::Global : a.space;
  const Space space_b = of_b == Effect::Texture ? Space::Global : b.space;
  if (is_read_only(space_a) || is_read_only(space_b) || !spaces_overlap(space_a, space_b)) return false;
  // What other threads change as well keeps its order.
  if (of_a == Effect::Atomic && of_b == Effect::Atomic) return true;
  const Operand *at_a = memory_operand(kernel, a), *at_b = memory_operand(kernel, b);
  if (at_a == nullptr || at_b == nullptr || at_a->base != at_b->base || space_a != space_b) return true;
  switch (at_a->base) {
    case Operand::Base::Register: return at_a->index != at_b->index || ranges_overlap(a, at_a->bits, b, at_b->bits);
    case Operand::Base::Symbol: {
      const ptx::Symbol &first = symbol_of(module, kernel, *at_a), &second = symbol_of(module, kernel, *at_b);
      if (&first == &second) return ranges_overlap(a, at_a->bits, b, at_b->bits);
      return first.size == 0 || second.size == 0;  // all unsized ones are at one place
    }
    case Operand::Base::None: return ranges_overlap(a, at_a->bits, b, at_b->bits);
  }
  return true;
}

}  // namespace warptime::sim
