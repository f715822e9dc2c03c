#include "sim/native/native_builder.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "sim/model/native_code.h"
#include "sim/native/instruction_time.h"

namespace warptime::sim {

using ptx::Effect;

namespace {

/// A kind of machine program is a function in a file beside this one.
SetTime& set_time_of(NativeCost cost) {
  switch (cost) {
    case NativeCost::ptx: break;
    case NativeCost::g80:
    case NativeCost::g80_rotate: return set_g80_time;
    case NativeCost::sm_70:
    case NativeCost::sm_75:
    case NativeCost::sm_80:
    case NativeCost::sm_86:
    case NativeCost::sm_89:
    case NativeCost::sm_90: return set_later_time;
  }
  return set_ptx_time;
}

bool is_floating(ptx::Type type) {
  using ptx::Type;
  return type == Type::F32 || type == Type::F64 || ptx::is_half(type);
}

bool is_outward(const Insn& value) {
  return (accesses(value.effect) && value.access().space != ptx::Space::Shared) || value.effect == Effect::Texture ||
         value.effect == Effect::BulkCopy || value.effect == Effect::Async ||  // it may wait for what others bring
         (value.effect == Effect::AsyncMatrix && value.async_matrix().operation == AsyncMatrixPayload::Operation::Wait);
}

}  // namespace

NativeInsn NativeBuilder::next(const ptx::Instruction& in, const Insn& value, const RegisterSlots& slots) {
  NativeInsn insn;
  NativeDetail detail;
  const size_t number = number_++;
  const ptx::NativeInstruction native = native_instruction(machine_, kernel_, number);
  const uint32_t count =
      set_time_of(machine_.native_cost)({machine_, kernel_, in, native, value, number}, insn, detail);
  if (count == 0 && value.effect != Effect::Exit) insn.time = NativeInsn::Time::None;
  if (warp_.any()) [[unlikely]]
    set_uniform(in, value, insn, detail);
  detail.floating =
      machine_.memory.atomic_float_word_cycles != 0 && value.effect == Effect::Atomic && is_floating(in.type);
  detail.gap = gap_before(value, count);
  detail.more_latency = atomic_delay(in, value);
  finish(value, slots, count, issues_native(machine_) && count == native.slots() ? native.in_4_bytes : 0u, detail,
         insn);
  assume(in.line, insn);
  return insn;
}

/// Constants that go through the cache for uniform ones, and atomic operations that a warp makes one of.
void NativeBuilder::set_uniform(const ptx::Instruction& in, const Insn& value, NativeInsn& insn, NativeDetail& detail) {
  if (!value.has_access() || !warp_.has(in)) return;
  const ptx::Space space = value.access().space;
  const bool constant = space == ptx::Space::Const ||
                        (space == ptx::Space::Param && machine_.sm.parameter_space == ParameterSpace::constant);
  const bool is_load = machine_.constant.uniform_cache.bytes != 0 && value.effect == Effect::Load && constant;
  if (is_load && (space == ptx::Space::Param || warp_.is_operand(in))) {
    insn.is_uniform = true;
    insn.unit = ptx::Unit::Control;
  }
  detail.combined = machine_.native.combines_atomics && value.effect == Effect::Atomic && combines(in);
}

uint16_t NativeBuilder::gap_before(const Insn& value, uint32_t count) {
  const uint32_t interval = machine_.issue.access_interval, before = since_access_ * machine_.issue.interval;
  if (interval == 0 || count == 0) return 0;
  const bool is_access = value.has_access() && value.access().space != ptx::Space::Const &&
                         value.access().space != ptx::Space::Param && ptx::accesses(value.effect);
  const bool is_close = is_access && before != 0 && before < interval;
  if (is_access) since_access_ = count;
  else if (since_access_ != 0) since_access_ += count;
  return is_close ? static_cast<uint16_t>(interval - before) : uint16_t{0};
}

uint16_t NativeBuilder::atomic_delay(const ptx::Instruction& in, const Insn& value) const {
  const SharedConfig& shared = machine_.sm.shared;
  if (value.effect != Effect::Atomic || value.access().space != ptx::Space::Shared) return 0;
  uint32_t latency = shared.atomic_latency;
  if (in.mods.has(ptx::Mod::Exch)) latency = 0;
  else if (in.mods.has(ptx::Mod::Cas)) latency = shared.atomic_cas_latency;
  else if (is_floating(in.type)) latency = shared.atomic_float_latency;
  return static_cast<uint16_t>(latency - std::min(latency, shared.load_latency));
}

NativeInsn NativeBuilder::exit(const Insn& value) {
  NativeInsn insn;
  insn.unit = ptx::Unit::Control;
  insn.issue_cycles = static_cast<uint16_t>(machine_.issue.interval);
  insn.latency = static_cast<uint16_t>(cycles_of(machine_.latency, ptx::Latency::Branch));
  const bool is_bit = issues_native(machine_);  // of the instruction before it
  if (is_bit) insn.issue_cycles = 0;
  finish(value, {}, is_bit ? 0 : 1, 0, {}, insn);
  return insn;
}

void NativeBuilder::finish(const Insn& value, const RegisterSlots& slots, uint32_t count, uint32_t shorts,
                           NativeDetail detail, NativeInsn& insn) {
  insn.effect = value.effect;
  insn.is_plain = insn.effect == Effect::None;
  insn.outward = is_outward(value);
  insn.may_be_cached = value.may_be_cached;
  insn.reads_memory = detail.operands.any();
  insn.holds_sps = detail.sp_cycles != 0;
  insn.code = out_.code_bytes;
  out_.code_bytes += code_bytes(machine_.instruction, count, shorts);
  out_.numbers.push_back(out_.numbers.back() + count);
  set_slots(insn, detail, slots);
  if (detail != NativeDetail{}) {
    insn.detail = static_cast<uint32_t>(out_.details.size());
    out_.details.push_back(detail);
  }
}

void NativeBuilder::set_slots(NativeInsn& insn, NativeDetail& detail, const RegisterSlots& all) {
  const auto& [waits, writes] = all;
  constexpr size_t kMost = NativeProgram::kMostSlots;
  SIM_ASSERT(waits.size() <= kMost && writes.size() <= kMost, "too many registers in one instruction");
  auto never_written = static_cast<uint16_t>(slots_ - 2), never_read = static_cast<uint16_t>(slots_ - 1);
  const bool more_waits = waits.size() > insn.waits.size(), more_writes = writes.size() > insn.writes.size();
  insn.write_count = static_cast<uint8_t>(writes.size());
  if (more_waits) detail.wait_count = static_cast<uint8_t>(waits.size());
  insn.waits_for_more =
      more_waits || detail.gap != 0 || info(insn.effect).passes_registers || insn.effect == Effect::Exit;
  // The scoreboard looks at the first few without counting. One that is there already is in the host's caches.
  insn.waits.fill(waits.empty() ? never_written : waits[0]);
  insn.writes.fill(writes.empty() ? never_read : writes[0]);
  std::copy_n(waits.begin(), std::min(waits.size(), insn.waits.size()), insn.waits.begin());
  std::copy_n(writes.begin(), std::min(writes.size(), insn.writes.size()), insn.writes.begin());
  if (!more_waits && !more_writes) return;
  detail.more_slots = static_cast<uint32_t>(out_.slots.size());
  auto append = [&](const std::vector<uint16_t>& list, size_t named) {
    if (list.size() > named)
      out_.slots.insert(out_.slots.end(), list.begin() + static_cast<ptrdiff_t>(named), list.end());
  };
  append(waits, insn.waits.size());
  append(writes, insn.writes.size());
}

/// An instruction whose cycles depend on its lanes leaves the fast paths, which know only their usual number.
void NativeBuilder::assume(uint32_t line, NativeInsn& insn) const {
  insn.by_latency = insn.effect == Effect::Load && assumptions_.at_once.has(line);
  if (insn.takes_no_time() || !assumptions_.filled.has(line)) return;
  insn.time = NativeInsn::Time::ByLanes;
  insn.is_plain = insn.may_be_cached = false;
}

}  // namespace warptime::sim
