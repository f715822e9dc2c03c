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
    if (insn.effect == ptx::Effect::BulkCopy && insn.bulk_copy().detail != nullptr) {
      const BulkDetail& detail = *insn.bulk_copy().detail;
      if (detail.reduce != nullptr) archive.function(detail.reduce);
      for (const AtomicOperation& operation : detail.reduce_as)
        if (operation != nullptr) archive.function(operation);
    }
    if (insn.effect == ptx::Effect::Atomic && insn.atomic().global != nullptr) archive.function(insn.atomic().global);
  }
  for (const Linkage& linkage : kernel.linkages) archive.object(linkage.runtime);
}

}  // namespace warptime::sim
