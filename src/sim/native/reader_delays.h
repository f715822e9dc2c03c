// Results of fixed latency that reach their first reader later than an instruction of their own pipe could read them: a
// predicate that guards an instruction, an address, an operand of the special functions (issue.guard_delay,
// .pipe_delay, .special_delay). An assembler writes such waits into its code; here they are part of the result's
// latency.
#pragma once

#include <vector>

#include "ptx/module.h"
#include "sim/model/machine.h"
#include "sim/native/native_builder.h"
#include "sim/native/native_insn.h"

namespace warptime::sim {

/// An instruction of the kernel.
struct DelayedInsn {
  NativeInsn* native = nullptr;
  const RegisterSlots* slots = nullptr;
  uint16_t guard = 0;           // scoreboard slot; kNoGuard: none
  bool begins_special = false;  // its first instruction of the hardware takes the pipe of special functions

  static constexpr uint16_t kNoGuard = 0xffff;
};

/// `insns`: the kernel's, in its order; needs its blocks. Their latencies grow.
void add_reader_delays(const IssueConfig& issue, const ptx::Kernel& kernel, const std::vector<DelayedInsn>& insns);

}  // namespace warptime::sim
