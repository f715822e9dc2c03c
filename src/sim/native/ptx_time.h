// Each PTX instruction issues as it is (`native_cost: ptx`): the times that do not depend on what else it might stand
// for. Other machine programs begin with them.
#pragma once

#include <algorithm>

#include "sim/native/instruction_time.h"

namespace warptime::sim {

/// Fills them in when it is made.
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
};

}  // namespace warptime::sim
