// The time of an instruction: how long it occupies its pipe and the warp scheduler, and the cycles until its result.
// Each kind of machine program (`native_cost`) has a function for it, in a file of its own.
#pragma once

#include <algorithm>

#include "ptx/module.h"
#include "sim/exec/insn.h"
#include "sim/model/machine.h"
#include "sim/native/native_insn.h"

namespace warptime::sim {

struct InstructionOfKernel {
  const MachineConfig& machine;
  const ptx::Kernel& kernel;
  const ptx::Instruction& in;            // itself, or the f32 instruction that replaces one of f64
  const ptx::NativeInstruction& native;  // that of a G80 (model/native_code.h)
  const Insn& value;                     // its entry of the value table
  size_t number;                         // in the kernel
};

/// Fills pipe and cycles of `out` and `detail`. Returns how many instructions of the hardware it stands for; 0: it
/// issues together with another.
using SetTime = uint32_t(const InstructionOfKernel& what, NativeInsn& out, NativeDetail& detail);
SetTime set_ptx_time;    // each PTX instruction issues as it is
SetTime set_g80_time;    // the native instructions of a G80
SetTime set_later_time;  // those of compute capability 7.0 to 9.0 (ptx/native/later_code.h)

/// The times of a PTX instruction that issues as it is, which others begin with: filled in when this is made.
class PtxTime {
 public:
  PtxTime(const InstructionOfKernel& what, NativeInsn& out, NativeDetail& detail);

 protected:
  static void set(uint16_t& field, uint32_t value) { field = static_cast<uint16_t>(std::min(value, 0xffffu)); }
  uint32_t issue_cycles() const;
  bool reads() const;
  bool in_constant() const;
  /// Whether it accesses this space.
  bool is_in(ptx::Space space) const { return value_.has_access() && value_.access().space == space; }
  bool is_move() const { return effect_ == ptx::Effect::None && is_in(ptx::Space::Param); }  // for a function

  const MachineConfig& machine_;
  const ptx::Kernel& kernel_;
  const ptx::Instruction& in_;
  const Insn& value_;
  ptx::Effect effect_ = ptx::Effect::None;  // that decides its time
  NativeInsn& out_;
  NativeDetail& detail_;

 private:
  bool goes_back() const;
  bool is_operand() const;
  bool is_for_copy_engine() const;
};

}  // namespace warptime::sim
