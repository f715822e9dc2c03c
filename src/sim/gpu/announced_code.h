// The instructions and links of a kernel, to which the state of a run has pointers, for its archives
// (base/state_archive.h).
#pragma once

#include "sim/decode/compiled_kernel.h"

namespace warptime::sim {

template <class Archive>
void announce_code(Archive& archive, const CompiledKernel& kernel) {
  archive.limits.code = kernel.insns.size();
  for (const Insn& insn : kernel.insns) {
    archive.object(insn);
    if (insn.run != nullptr) archive.function(insn.run);
    if (insn.effect == ptx::Effect::BulkCopy && insn.bulk_copy().reduce != nullptr)
      archive.function(insn.bulk_copy().reduce);
    if (insn.effect == ptx::Effect::Atomic && insn.atomic().global != nullptr) archive.function(insn.atomic().global);
  }
  for (const Linkage& linkage : kernel.linkages) archive.object(linkage.runtime);
}

}  // namespace warptime::sim
