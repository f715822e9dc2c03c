#include "ptx/native/address_registers.h"

#include <algorithm>
#include <map>

#include "ptx/analysis/liveness.h"
#include "ptx/analysis/register_uses.h"
#include "ptx/isa/cards.h"

namespace warptime::ptx {

bool accesses_on_chip(const Instruction& instruction) {
  return accesses(effect_of(instruction)) && (instruction.space == Space::Shared || instruction.space == Space::Const);
}

bool steps_itself(const Kernel& kernel, const Instruction& instruction) {
  if (!is<Add, Sub>(instruction)) return false;
  auto operands = kernel.operands_of(instruction);
  return instruction.guard == kNoIndex && operands[1].kind == Operand::Kind::Register &&
         operands[1].index == operands[0].index && operands[2].kind == Operand::Kind::Immediate;
}

namespace {

/// Intervals that do not meet, one address register's.
class Column {
 public:
  bool take(LiveInterval interval) {
    auto after = taken_.upper_bound(interval.end);
    if (after != taken_.begin() && std::prev(after)->second >= interval.begin) return false;
    taken_[interval.begin] = interval.end;
    return true;
  }

 private:
  std::map<uint32_t, uint32_t> taken_;  // by first instruction: the last
};

}  // namespace

AddressRegisters assign_address_registers(const Kernel& kernel, const RegisterFacts& facts, const Origins& origins) {
  AddressRegisters out;
  out.is_base.resize(kernel.registers.size());
  out.only_address.resize(kernel.registers.size());
  out.assigned.resize(kernel.registers.size());
  struct Wish {
    uint32_t depth, reg;
    size_t uses;
  };
  std::vector<Wish> wishes;
  for (uint32_t reg = 0; reg < kernel.registers.size(); ++reg) {
    if (origins[reg].kind == Origin::Kind::Immediate) continue;  // a fixed address needs no register
    Wish wish{0, reg, facts.uses(reg).size()};
    bool only = true;
    for (const Use& use : facts.uses(reg)) {
      const Instruction& instruction = kernel.instructions[use.instruction];
      bool base =
          kernel.operands_of(instruction)[use.position].kind == Operand::Kind::Memory && accesses_on_chip(instruction);
      if (base) {
        out.is_base[reg] = true;
        wish.depth = std::max(wish.depth, facts.loop_depth(use.instruction));
      } else if (!steps_itself(kernel, instruction)) {
        only = false;
      }
    }
    if (!out.is_base[reg]) continue;
    out.only_address[reg] = only;
    wishes.push_back(wish);
  }
  if (wishes.empty()) return out;
  // Innermost loops first, then the most used.
  std::sort(wishes.begin(), wishes.end(), [](const Wish& a, const Wish& b) {
    if (a.depth != b.depth) return a.depth > b.depth;
    return a.uses != b.uses ? a.uses > b.uses : a.reg < b.reg;
  });
  Liveness liveness = find_liveness(kernel);
  Column columns[kAddressRegisters];
  for (const Wish& wish : wishes)
    out.assigned[wish.reg] = std::any_of(std::begin(columns), std::end(columns),
                                         [&](Column& c) { return c.take(liveness.intervals[wish.reg]); });
  return out;
}

}  // namespace warptime::ptx
