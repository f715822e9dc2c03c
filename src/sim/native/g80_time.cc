// The native instructions of a G80 for each one of PTX (`native_cost: g80`, `g80_rotate`).
#include "sim/native/instruction_time.h"

namespace warptime::sim {

using ptx::Effect, ptx::Unit;

namespace {

class G80Time : private PtxTime {
 public:
  using PtxTime::PtxTime;

  /// Over what is there for one instruction. What the SFUs take part in holds them for all of its cycles (a division
  /// 16 + 5 x 4 = 36: CUDA Programming Guide 0.8), and the SPs for theirs.
  uint32_t by_native(const ptx::NativeInstruction& native) {
    if (!info(out_.unit).everywhere) {  // a G80 has none of them: counted as PTX says
      set_operands(native);
      return 1;
    }
    const uint32_t steps = std::min(native.slots(), 0xffffu);
    out_.is_operand = native.on_chip && native.words == 0 && effect_ == Effect::Load;
    if (steps == 0) {
      // It issues together with another instruction: no pipe, no time.
      out_.unit = Unit::Control;
      out_.issue_cycles = out_.pipe_cycles = out_.latency = 0;
      return 0;
    }
    uint32_t sp = native.sp * machine_.sp.initiation, sfu = native.sfu * machine_.sfu.initiation;
    set(out_.issue_cycles, issue_cycles() + machine_.issue.interval * (steps - 1));
    if (effect_ == Effect::None && !is_move()) set(out_.latency, latency_of_steps(native));
    if (out_.unit == Unit::Memory) {
      set(detail_.sp_cycles, sp);
    } else if (sfu != 0) {
      out_.unit = Unit::Sfu;
      set(detail_.sp_cycles, sp);
      set(out_.pipe_cycles, sfu + sp);
    } else {
      out_.unit = Unit::Sp;
      set(out_.pipe_cycles, sp);
    }
    if (out_.is_operand) set(out_.latency, machine_.latency.int_alu);  // of the address register
    else if (native.on_chip && value_.has_access()) set_access(native);
    if (effect_ == Effect::None) set_operands(native);
    return steps;
  }

 private:
  /// From issue to the result. Each step of a chain takes a latency, one that waits for none 4 cycles (decuda: of a
  /// product of 32 bits, mul16, mad16, shl and mad16, every one reads the register that the one before it writes).
  uint32_t latency_of_steps(const ptx::NativeInstruction& native) const {
    uint32_t behind = (native.parallel + native.address_steps) * machine_.sp.initiation;
    uint32_t chain = uint32_t{native.chain_sp} + native.chain_sfu;
    if (chain <= 1) return cycles_of(machine_.latency, native.latency) + behind;
    return native.chain_sp * machine_.latency.int_alu + native.chain_sfu * machine_.latency.special + behind;
  }

  /// Each word moved from or to s[] costs what an operand there does, and setting an address register an instruction.
  void set_access(const ptx::NativeInstruction& native) {
    uint32_t cycles = native.address_steps * machine_.sp.initiation;
    if (reads() && !in_constant()) cycles += machine_.sm.shared.base_cycles * native.words;
    // The access itself has one step for all words at one address.
    if (native.words > 1 && !is_in(ptx::Space::Shared)) cycles += (native.words - 1) * machine_.sp.initiation;
    set(detail_.access_cycles, cycles);
  }

  /// Sources in memory. One at a fixed address has no conflicts, so that all is known now.
  void set_operands(const ptx::NativeInstruction& native) {
    auto is_there = [](const ptx::MemoryOperand& operand) { return operand.position != ptx::MemoryOperand::kNone; };
    auto row = [&](const ptx::MemoryOperand& operand) {
      return is_there(operand) && !operand.fixed ? kernel_.rows.row_of[kernel_.operands_of(in_)[operand.position].index]
                                                 : MemoryOperands::kNone;
    };
    const SharedConfig& shared = machine_.sm.shared;
    if (is_there(native.shared) && native.shared.fixed && machine_.sm.parameter_space == ParameterSpace::shared) {
      set(out_.issue_cycles, shared.base_cycles + shared.cycles_per_degree);
      out_.pipe_cycles = out_.issue_cycles;
    }
    detail_.operands = {row(native.shared), row(native.constant)};
  }
};

}  // namespace

uint32_t set_g80_time(const InstructionOfKernel& what, NativeInsn& out, NativeDetail& detail) {
  return G80Time(what, out, detail).by_native(what.native);
}

}  // namespace warptime::sim
