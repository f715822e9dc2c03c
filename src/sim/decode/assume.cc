#include "sim/decode/assume.h"

#include <algorithm>

namespace warptime::sim {

void assume(const Assumptions& assumptions, CompiledKernel& kernel) {
  if (assumptions == Assumptions{}) return;
  // An atomic operation must find the stores before it in its partition.
  const bool stores_coalesce = std::none_of(kernel.insns.begin(), kernel.insns.end(),
                                            [](const Insn& insn) { return insn.effect == ptx::Effect::Atomic; });
  for (size_t i = 0; i < kernel.kernel->instructions.size(); ++i) {
    Insn& insn = kernel.insns[i];
    uint32_t line = kernel.kernel->instructions[i].line;
    if (insn.payload == Payload::Atomic) insn.access().conflict_free = assumptions.conflict_free_atomics.has(line);
    if (insn.payload != Payload::LoadStore) continue;
    AccessPayload& access = insn.access();
    bool load = insn.effect == ptx::Effect::Load;
    access.consecutive =
        assumptions.coalesced.has(line) && (load || (insn.effect == ptx::Effect::Store && stores_coalesce));
    const bool constant = access.space == ptx::Space::Const;
    access.conflict_free = (constant ? assumptions.uniform : assumptions.conflict_free).has(line);
    if (access.consecutive || access.conflict_free) insn.load_store().is_words = false;
  }
}

}  // namespace warptime::sim
