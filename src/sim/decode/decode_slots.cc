// The scoreboard slots that a decoded instruction waits for and writes, and the addresses that these writes make
// unknown.
#include <algorithm>

#include "sim/decode/decoder.h"
#include "sim/decode/function_linkage.h"
#include "sim/exec/carry_handlers.h"
#include "sim/exec/memory_values.h"

namespace warptime::sim {

using ptx::Effect, ptx::Operand;

/// Scoreboard slots: each once.
RegisterSlots Decoder::slots(const ptx::Instruction& in, const Insn& value) {
  RegisterSlots out;
  auto add = [this](std::vector<uint16_t>& list, uint32_t slot) {
    if ((slot & OperandRows::kPredicate) != 0) slot = (slot & ~OperandRows::kPredicate) + out_.rows;
    auto number = static_cast<uint16_t>(slot);
    if (std::find(list.begin(), list.end(), number) == list.end()) list.push_back(number);
  };
  find_slots(
      in, value, [&](uint32_t slot) { add(out.waits, slot); }, [&](uint32_t slot) { add(out.writes, slot); });
  return out;
}

/// Calls waits(slot) and writes(slot), perhaps several times for one.
template <class Waits, class Writes>
void Decoder::find_slots(const ptx::Instruction& in, const Insn& value, const Waits& waits, const Writes& writes) {
  if (value.guard != kNoPredicate) waits(value.guard | OperandRows::kPredicate);
  if (reads_carry(in)) waits(value.src[3].bits | OperandRows::kPredicate);
  if (writes_carry(in)) {
    waits(value.dst2 | OperandRows::kPredicate);
    writes(value.dst2 | OperandRows::kPredicate);
  }
  if (value.effect == Effect::Call || value.effect == Effect::RuntimeCall) return;  // what it copies is in its Linkage
  for (const Operand& operand : kernel_.operands_of(in)) {
    if (const ptx::Symbol* passed = passed_variable(kernel_, operand)) {
      uint32_t last = static_cast<uint32_t>(operand.bits) + value.access().bytes() - 1;
      for (auto word = static_cast<uint32_t>(operand.bits) / 4; word <= last / 4; ++word) {
        auto slot = static_cast<uint32_t>(passed->offset) + word;
        waits(slot);
        if (value.run == store_passed) writes(slot);
      }
    }
    rows_.for_each_slot(operand, [&](uint32_t slot) {
      waits(slot);
      if (operand.destination) writes(slot);
    });
  }
}

/// Which registers hold addresses of single words on chip that whole warps may access, and who writes these registers.
void Decoder::assign_cached_addresses(const std::vector<RegisterSlots>& slots) {
  struct Register {
    RowRef row;
    bool is_64;
  };
  std::vector<Register> registers;
  for (Insn& insn : out_.insns) {
    if (insn.effect != Effect::Load && insn.effect != Effect::Store) continue;
    LoadStorePayload& payload = insn.load_store();
    const AddressOperand& address = payload.access.address;
    const ptx::Space space = payload.access.space;
    bool on_chip = space == ptx::Space::Shared || space == ptx::Space::Const;
    if (!on_chip || !payload.is_words || payload.access.vector != 1) continue;
    auto same = [&](const Register& r) { return r.row.bits == address.base.bits && r.is_64 == address.is_64; };
    auto known = std::find_if(registers.begin(), registers.end(), same);
    if (known == registers.end()) {
      if (registers.size() == kCachedAddresses) continue;
      known = registers.insert(known, {address.base, address.is_64});
    }
    payload.cached_address = static_cast<uint8_t>(known - registers.begin());
    insn.may_be_cached = insn.effect == Effect::Load && space == ptx::Space::Shared;
  }
  for (size_t i = 0; i < out_.insns.size(); ++i) {
    Insn& insn = out_.insns[i];
    if (info(insn.effect).passes_registers) insn.overwrites = 0xff;
    for (size_t r = 0; r < registers.size(); ++r) {
      if (!registers[r].row.is_register()) continue;
      uint32_t first = registers[r].row.bits / kRowBytes, last = first + (registers[r].is_64 ? 1 : 0);
      for (uint16_t slot : slots[i].writes)
        if (slot >= first && slot <= last) insn.overwrites |= static_cast<uint8_t>(1u << r);
    }
  }
}

}  // namespace warptime::sim
