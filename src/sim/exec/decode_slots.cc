// The scoreboard slots that a decoded instruction waits for and writes, and the addresses that these writes make
// unknown.
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

/// The scoreboard looks at the first few slots without counting.
void Decoder::fill_slots() {
  auto never_written = static_cast<uint16_t>(out_.slots() - 2), never_read = static_cast<uint16_t>(out_.slots() - 1);
  for (Insn& insn : out_.insns) {
    // One that is there already is in the host's caches.
    std::fill(insn.waits.begin() + insn.wait_count, insn.waits.end(),
              insn.wait_count != 0 ? insn.waits[0] : never_written);
    std::fill(insn.writes.begin() + insn.write_count, insn.writes.end(),
              insn.write_count != 0 ? insn.writes[0] : never_read);
    insn.waits_for_more = insn.wait_count > 4 || insn.effect == Effect::Call || insn.effect == Effect::Return ||
                          insn.effect == Effect::Exit;
  }
}

/// Which registers hold addresses of single words on chip that whole warps may access, and who writes these registers.
void Decoder::remember_addresses() {
  struct Register {
    RowRef row;
    bool is_64;
  };
  std::vector<Register> registers;
  for (Insn& insn : out_.insns) {
    bool on_chip = insn.space == ptx::Space::Shared || insn.space == ptx::Space::Const;
    bool accesses = insn.effect == Effect::Load || insn.effect == Effect::Store;
    if (!accesses || !on_chip || !insn.is_words || insn.vector != 1) continue;
    auto same = [&](const Register& r) { return r.row.bits == insn.base.bits && r.is_64 == insn.address_is_64; };
    auto known = std::find_if(registers.begin(), registers.end(), same);
    if (known == registers.end()) {
      if (registers.size() == kRemembered) continue;
      known = registers.insert(known, {insn.base, insn.address_is_64});
    }
    insn.address = static_cast<uint8_t>(known - registers.begin());
    insn.recalls = insn.effect == Effect::Load && insn.space == ptx::Space::Shared;
  }
  for (Insn& insn : out_.insns) {
    if (insn.effect == Effect::Call || insn.effect == Effect::Return) insn.overwrites = 0xff;
    for (size_t r = 0; r < registers.size(); ++r) {
      if (registers[r].row.is_constant()) continue;
      uint32_t first = registers[r].row.bits / kRowBytes, last = first + (registers[r].is_64 ? 1 : 0);
      for (unsigned i = 0; i < insn.write_count; ++i)
        if (insn.writes[i] >= first && insn.writes[i] <= last) insn.overwrites |= static_cast<uint8_t>(1u << r);
    }
  }
}

}  // namespace warptime::sim
