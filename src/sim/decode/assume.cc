#include "sim/decode/assume.h"

namespace warptime::sim {

void assume(const Assumptions& assumptions, CompiledKernel& kernel) {
  if (assumptions == Assumptions{}) return;
  for (size_t i = 0; i < kernel.kernel->instructions.size(); ++i) {
    Insn& insn = kernel.insns[i];
    if (insn.payload != Payload::LoadStore) continue;
    uint32_t line = kernel.kernel->instructions[i].line;
    AccessPayload& access = insn.access();
    bool load = insn.effect == ptx::Effect::Load;
    access.as_if_coalesced = load && assumptions.coalesced.has(line);
    access.as_if_conflict_free = assumptions.conflict_free.has(line);
    access.as_if_at_once = load && assumptions.at_once.has(line);
    if (access.as_if_coalesced || access.as_if_conflict_free) insn.load_store().is_words = false;
  }
}

}  // namespace warptime::sim
