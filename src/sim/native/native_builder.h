// Builds the machine program of a kernel, one native instruction for each entry of its value table: pipes and cycles
// (instruction_time.h), scoreboard slots, and where its code lies.
#pragma once

#include <span>
#include <vector>

#include "ptx/module.h"
#include "sim/exec/insn.h"
#include "sim/model/assumptions.h"
#include "sim/model/machine.h"
#include "sim/native/native_insn.h"
#include "sim/native/uniform_addresses.h"

namespace warptime::sim {

/// The scoreboard slots of an instruction, each once.
struct RegisterSlots {
  std::vector<uint16_t> waits, writes;
};

class NativeBuilder {
 public:
  /// `slots`: how many there are, of which the last two are never written and never read.
  NativeBuilder(const MachineConfig& machine, const Assumptions& assumptions, const ptx::Kernel& kernel, uint32_t slots,
                NativeProgram& out)
      : machine_(machine),
        assumptions_(assumptions),
        kernel_(kernel),
        slots_(slots),
        out_(out),
        warp_(machine.constant.uniform_cache.bytes != 0 || machine.native.combines_atomics, kernel) {}

  /// That of the next instruction of the kernel. `in`: itself, or the f32 instruction that replaces one of f64.
  NativeInsn next(const ptx::Instruction& in, const Insn& value, const RegisterSlots& slots);
  /// The exit behind the last instruction.
  NativeInsn exit(const Insn& value);

 private:
  /// What follows from the value and the slots. `count`: instructions of the hardware, `shorts` of them short ones.
  void finish(const Insn& value, const RegisterSlots& slots, uint32_t count, uint32_t shorts, NativeDetail detail,
              NativeInsn& insn);
  void set_uniform(const ptx::Instruction& in, const Insn& value, NativeInsn& insn, NativeDetail& detail);
  void assume(uint32_t line, NativeInsn& insn) const;
  /// By how many cycles an access comes later than right behind the instruction before it. `count`: of the hardware.
  uint16_t gap_before(const Insn& value, uint32_t count);
  /// Cycles of an atomic operation on shared memory besides those of a load.
  uint16_t atomic_delay(const ptx::Instruction& in, const Insn& value) const;
  void set_slots(NativeInsn& insn, NativeDetail& detail, const RegisterSlots& all);

  const MachineConfig& machine_;
  const Assumptions& assumptions_;
  const ptx::Kernel& kernel_;
  uint32_t slots_;
  size_t number_ = 0;          // of the next instruction
  uint32_t since_access_ = 0;  // instructions of the hardware since the last access to memory, with it; 0: none yet
  NativeProgram& out_;
  UniformAddresses warp_;
};

}  // namespace warptime::sim
