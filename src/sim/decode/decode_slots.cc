// The scoreboard slots that a decoded instruction waits for and writes, and the addresses that these writes make
// unknown.
#include <algorithm>

#include "base/assert.h"
#include "sim/decode/decoder.h"
#include "sim/decode/function_linkage.h"
#include "sim/exec/carry_handlers.h"
#include "sim/exec/memory_values.h"

namespace warptime::sim {

using ptx::Effect, ptx::Operand;

/// Scoreboard slots: each once.
void Decoder::slots(const ptx::Instruction& in, Insn& out) {
  Slots waits, writes;
  auto add = [this](Slots& list, uint32_t slot) {
    if ((slot & OperandRows::kPredicate) != 0) slot = (slot & ~OperandRows::kPredicate) + out_.rows;
    auto value = static_cast<uint16_t>(slot);
    if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
  };
  find_slots(
      in, out, [&](uint32_t slot) { add(waits, slot); }, [&](uint32_t slot) { add(writes, slot); });
  set_slots(out, std::move(waits), std::move(writes));
}

void Decoder::set_slots(Insn& out, Slots waits, Slots writes) const {
  SIM_ASSERT(waits.size() <= Insn::kWaits && writes.size() <= Insn::kWrites, "too many registers in one instruction");
  auto never_written = static_cast<uint16_t>(out_.slots() - 2), never_read = static_cast<uint16_t>(out_.slots() - 1);
  out.wait_count = static_cast<uint8_t>(waits.size());
  out.write_count = static_cast<uint8_t>(writes.size());
  out.waits_for_more =
      waits.size() > out.first_slots.waits.size() || info(out.effect).passes_registers || out.effect == Effect::Exit;
  // The scoreboard looks at the first few without counting. One that is there already is in the host's caches.
  waits.resize(Insn::kWaits, waits.empty() ? never_written : waits[0]);
  writes.resize(Insn::kWrites, writes.empty() ? never_read : writes[0]);
  std::copy_n(waits.begin(), out.first_slots.waits.size(), out.first_slots.waits.begin());
  std::copy_n(waits.begin() + out.first_slots.waits.size(), out.more_slots.waits.size(), out.more_slots.waits.begin());
  std::copy_n(writes.begin(), out.first_slots.writes.size(), out.first_slots.writes.begin());
  std::copy_n(writes.begin() + out.first_slots.writes.size(), out.more_slots.writes.size(),
              out.more_slots.writes.begin());
}

/// Calls waits(slot) and writes(slot), perhaps several times for one.
template <class Waits, class Writes>
void Decoder::find_slots(const ptx::Instruction& in, const Insn& out, const Waits& waits, const Writes& writes) {
  if (out.guard != kNoPredicate) waits(out.guard | OperandRows::kPredicate);
  if (reads_carry(in)) waits(out.src[3].bits | OperandRows::kPredicate);
  if (writes_carry(in)) {
    waits(out.dst2 | OperandRows::kPredicate);
    writes(out.dst2 | OperandRows::kPredicate);
  }
  if (out.effect == Effect::Call || out.effect == Effect::RuntimeCall) return;  // what it copies is in its Linkage
  for (const Operand& operand : kernel_.operands_of(in)) {
    if (const ptx::Symbol* passed = passed_variable(kernel_, operand)) {
      uint32_t last = static_cast<uint32_t>(operand.bits) + out.access().bytes() - 1;
      for (auto word = static_cast<uint32_t>(operand.bits) / 4; word <= last / 4; ++word) {
        auto slot = static_cast<uint32_t>(passed->offset) + word;
        waits(slot);
        if (out.run == store_passed) writes(slot);
      }
    }
    rows_.for_each_slot(operand, [&](uint32_t slot) {
      waits(slot);
      if (operand.destination) writes(slot);
    });
  }
}

/// Which registers hold addresses of single words on chip that whole warps may access, and who writes these registers.
void Decoder::assign_cached_addresses() {
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
  for (Insn& insn : out_.insns) {
    if (info(insn.effect).passes_registers) insn.overwrites = 0xff;
    for (size_t r = 0; r < registers.size(); ++r) {
      if (!registers[r].row.is_register()) continue;
      uint32_t first = registers[r].row.bits / kRowBytes, last = first + (registers[r].is_64 ? 1 : 0);
      for (unsigned i = 0; i < insn.write_count; ++i)
        if (insn.write(i) >= first && insn.write(i) <= last) insn.overwrites |= static_cast<uint8_t>(1u << r);
    }
  }
}

}  // namespace warptime::sim
