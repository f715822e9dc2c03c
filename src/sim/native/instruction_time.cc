#include "sim/native/instruction_time.h"

#include <algorithm>

#include "sim/model/pipe.h"

namespace warptime::sim {

using ptx::Effect, ptx::Latency, ptx::Unit;

namespace {

class InstructionTime {
 public:
  InstructionTime(const MachineConfig& machine, const ptx::Kernel& kernel, const ptx::Instruction& in,
                  const Insn& value, NativeInsn& out, NativeDetail& detail)
      : machine_(machine), kernel_(kernel), in_(in), value_(value), out_(out), detail_(detail) {
    // To read the time, or to wait for lanes, takes no longer than what is computed.
    const bool computes = value.effect == Effect::Clock || value.effect == Effect::Collective;
    effect_ = computes ? Effect::None : value.effect;
  }

  void by_ptx() {
    const ptx::Card& card = *in_.card->card;
    out_.unit = unit_of(card, *in_.form);
    // On a G80 what stays on the chip is an operand of an SP instruction. Where constants have the memory port, all
    // schedulers of an SM share its constant cache. Parameters are operands on every machine.
    if (out_.unit == Unit::Memory && is_operand()) out_.unit = Unit::Sp;
    set(out_.issue_cycles, issue_cycles());
    set(out_.latency, cycles_of(machine_.latency, is_move() ? Latency::IntAlu : latency_of(card, *in_.form)));
    if (reads() && !in_constant()) set(detail_.access_cycles, machine_.sm.shared.base_cycles);
    set(out_.pipe_cycles, pipe_of(machine_, out_.unit).initiation);
  }

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
  uint32_t issue_cycles() const {
    if (effect_ == Effect::Barrier) return machine_.issue.barrier_cycles;
    if (!branches(effect_)) return machine_.issue.interval;
    return goes_back() ? machine_.issue.loop_branch_cycles : machine_.issue.branch_cycles;
  }
  bool reads() const { return effect_ == Effect::Load || (effect_ == Effect::Atomic && value_.atomic().has_result); }
  /// A branch to an earlier instruction: a loop's.
  bool goes_back() const {
    if (effect_ != Effect::Branch) return false;
    auto own = static_cast<size_t>(&in_ - kernel_.instructions.data());
    return kernel_.operands_of(in_)[0].index <= own;
  }

  /// From issue to the result. Each step of a chain takes a latency, one that waits for none 4 cycles (decuda: of a
  /// product of 32 bits, mul16, mad16, shl and mad16, every one reads the register that the one before it writes).
  uint32_t latency_of_steps(const ptx::NativeInstruction& native) const {
    uint32_t behind = (native.parallel + native.address_steps) * machine_.sp.initiation;
    uint32_t chain = uint32_t{native.chain_sp} + native.chain_sfu;
    if (chain <= 1) return cycles_of(machine_.latency, native.latency) + behind;
    return native.chain_sp * machine_.latency.int_alu + native.chain_sfu * machine_.latency.special + behind;
  }

  bool is_operand() const {
    if (is_in(ptx::Space::Shared)) return machine_.sm.shared.pipe == OnChipPipe::sp;
    if (is_in(ptx::Space::Const)) return machine_.constant.pipe == OnChipPipe::sp;
    return is_in(ptx::Space::Param);
  }
  /// Whether it accesses this space.
  bool is_in(ptx::Space space) const { return value_.has_access() && value_.access().space == space; }
  static void set(uint16_t& field, uint32_t value) { field = static_cast<uint16_t>(std::min(value, 0xffffu)); }

  bool is_move() const { return effect_ == Effect::None && is_in(ptx::Space::Param); }  // for a function
  bool in_constant() const {
    return is_in(ptx::Space::Const) ||
           (is_in(ptx::Space::Param) && machine_.sm.parameter_space == ParameterSpace::constant);
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

  const MachineConfig& machine_;
  const ptx::Kernel& kernel_;
  const ptx::Instruction& in_;
  const Insn& value_;
  ptx::Effect effect_;
  NativeInsn& out_;
  NativeDetail& detail_;
};

}  // namespace

uint32_t set_time(const MachineConfig& machine, const ptx::Kernel& kernel, const ptx::Instruction& in,
                  const ptx::NativeInstruction& recipe, const Insn& value, NativeInsn& out, NativeDetail& detail) {
  InstructionTime time(machine, kernel, in, value, out, detail);
  time.by_ptx();
  switch (machine.native_cost) {
    case NativeCost::ptx: break;
    case NativeCost::g80: return time.by_native(recipe);
    case NativeCost::g80_rotate: return time.by_native(with_rotation(recipe));
  }
  return 1;
}

}  // namespace warptime::sim
