// Each PTX instruction issues as it is (`native_cost: ptx`).
#include "sim/exec/bulk_detail.h"
#include "sim/model/pipe.h"
#include "sim/model/tensor_time.h"
#include "sim/native/instruction_time.h"

namespace warptime::sim {

using ptx::Effect, ptx::Latency, ptx::Unit;

PtxTime::PtxTime(const InstructionOfKernel& what, NativeInsn& out, NativeDetail& detail)
    : machine_(what.machine), kernel_(what.kernel), in_(what.in), value_(what.value), out_(out), detail_(detail) {
  // To read the time, or to wait for lanes, takes no longer than what is computed.
  const bool computes =
      value_.effect == Effect::Clock || value_.effect == Effect::Collective || value_.effect == Effect::Matrix;
  effect_ = computes ? Effect::None : value_.effect;

  const ptx::Card& card = *in_.card->card;
  out_.unit = unit_of(card, *in_.form);
  // On a G80 what stays on the chip is an operand of an SP instruction. Where constants have the memory port, all
  // schedulers of an SM share its constant cache. Parameters are operands on every machine.
  if (out_.unit == Unit::Memory && is_operand()) out_.unit = Unit::Sp;
  if (is_for_copy_engine()) out_.unit = Unit::CopyEngine;
  set(out_.issue_cycles, issue_cycles());
  set(out_.latency, cycles_of(machine_.latency, is_move() ? Latency::IntAlu : latency_of(card, *in_.form)));
  if (reads() && !in_constant()) set(detail_.access_cycles, machine_.sm.shared.base_cycles);
  set(out_.pipe_cycles, pipe_of(machine_, out_.unit).initiation);
  if (out_.unit == Unit::Tensor) {
    const TensorTime time = tensor_time(machine_, kernel_, in_);
    set(out_.pipe_cycles, time.pipe_cycles);
    set(out_.latency, time.latency);
  }
}

uint32_t PtxTime::issue_cycles() const {
  if (effect_ == Effect::Barrier) return machine_.issue.barrier_cycles;
  if (!branches(effect_)) return machine_.issue.interval;
  return goes_back() ? machine_.issue.loop_branch_cycles : machine_.issue.branch_cycles;
}

/// A branch to an earlier instruction: a loop's.
bool PtxTime::goes_back() const {
  if (effect_ != Effect::Branch) return false;
  auto own = static_cast<size_t>(&in_ - kernel_.instructions.data());
  return kernel_.operands_of(in_)[0].index <= own;
}

bool PtxTime::is_operand() const {
  if (is_in(ptx::Space::Shared)) return machine_.sm.shared.pipe == OnChipPipe::sp;
  if (is_in(ptx::Space::Const)) return machine_.constant.pipe == OnChipPipe::sp;
  return is_in(ptx::Space::Param);
}

/// A copy of a range or of a box. What a lane sends from registers, and changes of a tensor map, are accesses.
bool PtxTime::is_for_copy_engine() const {
  if (effect_ != Effect::BulkCopy || machine_.copy_engine.queue_entries == 0) return false;
  const BulkDetail* detail = value_.bulk_copy().detail;
  return detail == nullptr || detail->kind == BulkDetail::Kind::Range || detail->kind == BulkDetail::Kind::Tensor;
}

bool PtxTime::reads() const {
  return effect_ == Effect::Load || (effect_ == Effect::Atomic && value_.atomic().has_result);
}

bool PtxTime::in_constant() const {
  return is_in(ptx::Space::Const) ||
         (is_in(ptx::Space::Param) && machine_.sm.parameter_space == ParameterSpace::constant);
}

uint32_t set_ptx_time(const InstructionOfKernel& what, NativeInsn& out, NativeDetail& detail) {
  PtxTime(what, out, detail);
  return 1;
}

}  // namespace warptime::sim
