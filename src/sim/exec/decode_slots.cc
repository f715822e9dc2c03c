// The scoreboard slots that a decoded instruction waits for and writes.
#include <algorithm>

#include "base/assert.h"
#include "sim/exec/carry_handlers.h"
#include "sim/exec/decoder.h"
#include "sim/exec/function_linkage.h"
#include "sim/exec/memory_values.h"

namespace warptime::sim {

using ptx::Effect, ptx::Operand;

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
  if (reads_carry(in)) add(out.waits, out.wait_count, out.src[3].bits | OperandRows::kPredicate);
  if (writes_carry(in)) {
    add(out.waits, out.wait_count, out.dst2 | OperandRows::kPredicate);
    add(out.writes, out.write_count, out.dst2 | OperandRows::kPredicate);
  }
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
