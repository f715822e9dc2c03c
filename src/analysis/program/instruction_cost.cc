#include "analysis/program/instruction_cost.h"

#include <algorithm>

#include "sim/model/native_code.h"
#include "sim/model/tensor_time.h"

namespace warptime::analysis {

using ptx::Effect, ptx::Latency, ptx::Space, ptx::Unit;

namespace {

class CostFinder {
 public:
  CostFinder(const sim::MachineConfig& machine, const ptx::Kernel& kernel, uint32_t index, bool off_chip)
      : machine_(machine),
        kernel_(kernel),
        in_(kernel.instructions[index]),
        native_(sim::native_instruction(machine, kernel, index)),
        effect_(ptx::effect_of(*in_.card->card, *in_.form)),
        unit_(ptx::unit_of(*in_.card->card, *in_.form)),
        goes_back_(effect_ == Effect::Branch && kernel.operands_of(in_)[0].index <= index) {
    out_.work = work(off_chip);
    const bool is_native = sim::issues_native(machine) && ptx::info(unit_).everywhere;
    if (is_native && native_.slots() == 0) {
      out_ = InstructionCost{.work = out_.work, .insts = 0};  // it issues together with another
      return;
    }
    out_.issue = issue_cycles();
    out_.latency = sim::cycles_of(machine.latency, ptx::latency_of(*in_.card->card, *in_.form));
    if (is_native) by_native(native_);
    else by_ptx();
    if (out_.work == Work::Shared) shared_access(is_native);
    else if (is_constant()) constant_access();
    out_.is_fp = in_.form->flops != 0 && out_.specials == 0;
    out_.next = std::max(out_.next, out_.issue);
    if (ptx::branches(effect_)) out_.next = std::max<double>(out_.next, machine.latency.branch);
    if (out_.work == Work::Barrier) out_.next += machine.issue.barrier_latency;
  }
  InstructionCost cost() const { return out_; }

 private:
  Work work(bool off_chip) const {
    if (effect_ == Effect::Barrier) return Work::Barrier;
    if (effect_ == Effect::Texture) return Work::Texture;
    if (!ptx::accesses(effect_)) return Work::Compute;
    const bool generic = in_.space == Space::None || in_.space == Space::Generic;
    if (in_.space == Space::Shared || (generic && !off_chip)) return Work::Shared;
    if (in_.space == Space::Const || in_.space == Space::Param) return Work::Compute;
    return effect_ == Effect::Load ? Work::Load : effect_ == Effect::Store ? Work::Store : Work::Atomic;
  }
  bool is_constant() const {
    if (effect_ != Effect::Load) return false;
    return in_.space == Space::Const ||
           (in_.space == Space::Param && machine_.sm.parameter_space == sim::ParameterSpace::constant);
  }
  double issue_cycles() const {
    const sim::IssueConfig& issue = machine_.issue;
    if (effect_ == Effect::Barrier) return issue.barrier_cycles;
    if (!ptx::branches(effect_)) return issue.interval;
    return goes_back_ ? issue.loop_branch_cycles : issue.branch_cycles;
  }

  void by_ptx() {
    Unit unit = unit_;
    if (unit == Unit::Memory && !is_global(out_.work)) unit = Unit::Sp;  // an operand, or an access below
    switch (unit) {
      case Unit::Sp: out_.sp = machine_.sp.initiation; break;
      case Unit::Sfu:
        out_.sfu = machine_.sfu.initiation;
        out_.specials = 1;
        out_.insts = 0;
        break;
      case Unit::Dp: out_.dp = machine_.dp.initiation; break;
      case Unit::Alu: out_.sp = machine_.sp.initiation; break;
      case Unit::Tensor: {
        const sim::TensorTime time = sim::tensor_time(machine_, kernel_, in_);
        out_.tensor = time.pipe_cycles;
        out_.latency = time.latency;
        break;
      }
      case Unit::Memory:
      case Unit::CopyEngine:
      case Unit::Control: break;
    }
  }

  /// A sequence of native instructions: those in a chain wait for each other, each other one is 4 cycles later.
  void by_native(const ptx::NativeInstruction& native) {
    out_.insts = native.sp;
    out_.specials = native.sfu;
    out_.issue += machine_.issue.interval * (native.slots() - 1.0);
    out_.sp = static_cast<double>(native.sp) * machine_.sp.initiation;
    out_.sfu = static_cast<double>(native.sfu) * machine_.sfu.initiation;
    if (native.sfu != 0) out_.sfu += out_.sp;
    if (effect_ == Effect::None) {
      const double behind = (native.parallel + native.address_steps) * static_cast<double>(machine_.sp.initiation);
      const double chain = native.chain_sp * static_cast<double>(machine_.latency.int_alu) +
                           native.chain_sfu * static_cast<double>(machine_.latency.special);
      out_.latency = behind + (native.chain_sp + native.chain_sfu > 1 ? chain : latency_of_step(native));
      operand_in_shared(native);
    }
    out_.next = std::max(out_.issue, out_.sp);
  }
  double latency_of_step(const ptx::NativeInstruction& native) const {
    return sim::cycles_of(machine_.latency, native.latency);
  }

  /// An instruction that reads one of its operands in shared memory takes as long as a conflict-free access there.
  void operand_in_shared(const ptx::NativeInstruction& native) {
    const bool there = native.shared.position != ptx::MemoryOperand::kNone;
    if (!there || (native.shared.fixed && machine_.sm.parameter_space != sim::ParameterSpace::shared)) return;
    const double cycles = machine_.sm.shared.base_cycles + static_cast<double>(machine_.sm.shared.cycles_per_degree);
    out_.issue = std::max(out_.issue, cycles);
    out_.sp = std::max(out_.sp, cycles);
  }

  void shared_access(bool is_native) {
    const sim::SharedConfig& shared = machine_.sm.shared;
    const ptx::NativeInstruction& native = native_;
    const bool reads = effect_ != Effect::Store;
    out_.latency = shared.load_latency;
    if (is_native && effect_ == Effect::Load && native.words == 0) {  // readers take it there; this sets its address
      out_.latency = machine_.latency.int_alu;
      return;
    }
    const double words = is_native ? std::max<double>(native.words, 1) : words_of_access();
    double cycles = words * shared.cycles_per_degree;
    if (effect_ == Effect::Atomic) cycles += shared.atomic_cycles;
    if (shared.pipe == sim::OnChipPipe::memory) {
      out_.port = cycles;
      out_.sp = 0;
      return;
    }
    if (reads) cycles += shared.base_cycles * words;
    if (is_native) cycles += native.address_steps * static_cast<double>(machine_.sp.initiation);
    out_.issue = out_.sp = out_.next = cycles;
  }
  /// Wider accesses are served in parts: words, or groups of lanes.
  double words_of_access() const { return std::max(1.0, in_.vector * ptx::bits(in_.type) / 32.0); }

  void constant_access() {
    const sim::ConstantConfig& constant = machine_.constant;
    if (out_.insts == 0 || in_.space == Space::Param) return;
    out_.latency = constant.load_latency;
    const double cycles = std::max(1.0, words_of_access() * 4 / constant.word_bytes) * constant.cycles_per_address;
    if (constant.pipe == sim::OnChipPipe::memory) {
      out_.port = cycles;
      out_.sp = 0;
    } else {
      out_.issue = out_.sp = std::max(out_.sp, cycles);
    }
  }

  const sim::MachineConfig& machine_;
  const ptx::Kernel& kernel_;
  const ptx::Instruction& in_;
  const ptx::NativeInstruction native_;
  Effect effect_;
  Unit unit_;
  bool goes_back_;
  InstructionCost out_;
};

}  // namespace

std::vector<InstructionCost> instruction_costs(const sim::MachineConfig& machine, const ptx::Kernel& kernel,
                                               const std::vector<bool>& off_chip) {
  std::vector<InstructionCost> out;
  for (uint32_t i = 0; i < kernel.instructions.size(); ++i)
    out.push_back(CostFinder(machine, kernel, i, i < off_chip.size() && off_chip[i]).cost());
  return out;
}

}  // namespace warptime::analysis
