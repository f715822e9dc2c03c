// A launch on one SM, for its timing: what the SM counts for it, and since when it has warps of it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/clock.h"
#include "sim/core/sm_counters.h"
#include "sim/native/native_insn.h"
#include "sim/state/launch_context.h"

namespace warptime::sim {

struct KernelOnSm {
  explicit KernelOnSm(const LaunchContext& context)
      : launch(&context),
        program(&context.kernel->native),
        counters(context.kernel->insns.size(), context.slots_by_instruction, context.lines) {}

  const LaunchContext* launch;
  const NativeProgram* program;
  SmCounters counters;
  uint64_t warps = 0;                    // mask of the slots of its warps
  Cycle active_from = 0, active_to = 0;  // the time since the SM last had none begins; the last exit
  Cycle answered = 0;                    // the last of its stores was acknowledged
  uint64_t outstanding_stores = 0;       // transactions that are not acknowledged
  QueueUse load_table;                   // its entries in the table of loads

  template <class Archive>
  void serialize(Archive& archive) {
    archive(counters);
    archive.mask(warps, archive.limits.warps);
    archive(active_from, active_to, answered, outstanding_stores, load_table);
  }
};

}  // namespace warptime::sim
