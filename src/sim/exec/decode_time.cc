// What a decoded instruction costs on its machine: the unit, the cycles that it holds issue port and pipe, its latency,
// and the scoreboard slots that it waits for and writes.
#include <algorithm>

#include "base/assert.h"
#include "sim/exec/decoder.h"
#include "sim/exec/function_linkage.h"
#include "sim/exec/memory_values.h"
#include "sim/exec/native_cost.h"

namespace warptime::sim {

using ptx::Effect, ptx::Operand, ptx::Unit;

void Decoder::time(const ptx::Instruction& in, Insn& out) {
  const ptx::Card& card = *in.card->card;
  NativeCost cost = native_cost(in);
  out.unit = unit_of(card, *in.form);
  // A parameter or constant access is an operand of an SP instruction, and on a G80 a shared one, too; the memory port
  // is for what leaves the SM.
  bool operand = out.space == ptx::Space::Param || out.space == ptx::Space::Const ||
                 (out.space == ptx::Space::Shared && machine_.sm.shared.pipe == SharedPipe::sp);
  if (out.unit == Unit::Memory && operand) out.unit = Unit::Sp;
  bool is_move = out.effect == Effect::None && out.space == ptx::Space::Param;  // of what is passed to a function
  out.native = cost.slots;
  uint32_t issue = out.effect == Effect::Barrier ? machine_.issue.barrier_cycles : machine_.issue.interval;
  out.issue_cycles = static_cast<uint16_t>(issue * cost.slots);
  out.latency =
      static_cast<uint16_t>(cycles_of(machine_.latency, is_move ? ptx::Latency::IntAlu : latency_of(card, *in.form)));
  switch (out.unit) {
    case Unit::Sp: out.pipe_cycles = static_cast<uint16_t>(machine_.sp.initiation * cost.slots); break;
    case Unit::Dp: out.pipe_cycles = static_cast<uint16_t>(machine_.dp.initiation * cost.slots); break;
    case Unit::Sfu: out.pipe_cycles = static_cast<uint16_t>(machine_.sfu.initiation * cost.slots); break;
    case Unit::Memory:
    case Unit::Control: break;
  }
}

/// Scoreboard slots: each once.
void Decoder::slots(const ptx::Instruction& in, Insn& out) {
  auto add = [this](auto& list, uint8_t& count, uint32_t slot) {
    if ((slot & OperandRows::kPredicate) != 0) slot = (slot & ~OperandRows::kPredicate) + out_.rows;
    auto value = static_cast<uint16_t>(slot);
    if (std::find(list.begin(), list.begin() + count, value) != list.begin() + count) return;
    SIM_ASSERT(count < list.size(), "too many registers in one instruction");
    list[count++] = value;
  };
  if (out.guard != kNoPredicate) add(out.waits, out.wait_count, out.guard | OperandRows::kPredicate);
  if (out.effect == Effect::Call) return;  // what it copies is in its Linkage
  for (const Operand& operand : kernel_.operands_of(in)) {
    if (const ptx::Symbol* passed = passed_variable(kernel_, operand)) {
      uint32_t last = static_cast<uint32_t>(operand.bits) + uint32_t{out.access_bytes} * out.vector - 1;
      for (auto word = static_cast<uint32_t>(operand.bits) / 4; word <= last / 4; ++word) {
        auto slot = static_cast<uint32_t>(passed->offset) + word;
        add(out.waits, out.wait_count, slot);
        if (out.run == store_passed) add(out.writes, out.write_count, slot);
      }
    }
    rows_.for_each_slot(operand, [&](uint32_t slot) {
      add(out.waits, out.wait_count, slot);
      if (operand.destination) add(out.writes, out.write_count, slot);
    });
  }
}

}  // namespace warptime::sim
