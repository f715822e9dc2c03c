// General registers per thread, by rules that are the same for all kernels:
//   - predicates, immediates, kernel parameters, constants at fixed addresses and the block's index take no register;
//   - what one instruction makes from these alone is made again where it is used;
//   - either of the last two, where it is not an operand, needs a register for the instruction that uses it;
//   - an operand in memory takes none, an address register none, 64 bits of which half is needed take one;
//   - a copy has the register of its source.
// The most values that are live at once are a lower bound: an allocator, whose registers are used in turn and moved
// between, comes to more.
#include "ptx/native/native_registers.h"

#include "ptx/analysis/liveness.h"
#include "ptx/analysis/register_uses.h"

namespace warptime::ptx {

namespace {

// What the compiler used beyond the most live values. Fitted to the four kernels of Ryoo et al. 2008, section 4:
// published 10, 10, 9 and 11, live 8, 11, 8 and 10, so 0.75 too few on the average.
constexpr uint32_t kBeyondLive = 1;

class NativeRegisters {
 public:
  NativeRegisters(const Kernel& kernel, const NativeAnalysis& analysis)
      : kernel_(kernel),
        facts_(analysis.facts),
        a_(analysis),
        made_again_(kernel.registers.size()),
        operand_(kernel.registers.size()) {
    for (uint32_t reg = 0; reg < kernel.registers.size(); ++reg) {
      made_again_[reg] = can_be_made_again(reg);
      operand_[reg] = is_operand(reg);
    }
  }

  uint32_t run() {
    RegisterPressure pressure;
    for (uint32_t reg = 0; reg < kernel_.registers.size(); ++reg) pressure.weights.push_back(weight(reg));
    for (uint32_t i = 0; i < kernel_.instructions.size(); ++i) {
      pressure.accesses.begin_instruction();
      pressure.extra.push_back(add_instruction(i, pressure.accesses));
    }
    return most_registers(kernel_, pressure);
  }

 private:
  /// Adds the registers that the instruction reads and writes. Returns how many it needs for a moment.
  uint32_t add_instruction(uint32_t i, RegisterAccesses& out) const {
    const Instruction& instruction = kernel_.instructions[i];
    uint32_t moment = 0;
    auto operands = kernel_.operands_of(instruction);
    for (uint8_t o = 0; o < operands.size(); ++o) {
      bool base = operands[o].kind == Operand::Kind::Memory;
      for_each_register(kernel_, operands[o], [&](uint32_t reg, bool written) {
        bool only_address = in_address_register(reg) && a_.addresses.only_address[reg];
        if (only_address || operand_[reg]) return;
        if (written) {
          if (!at_hand(reg)) out.add(a_.origins[reg].reg, true);
        } else if (!at_hand(reg)) {
          if (!(base && in_address_register(reg))) out.add(a_.origins[reg].reg, false);
        } else if (a_.origins[reg].kind != Origin::Kind::Immediate && !is_dropped(i) && !a_.folding.is_read({i, o})) {
          moment += weight(reg);
        }
      });
    }
    return moment;
  }
  uint32_t weight(uint32_t reg) const { return a_.narrow[reg] ? 1 : register_weight(kernel_.registers[reg].type); }
  bool is_dropped(uint32_t i) const { return a_.code.instructions[i].slots() == 0; }
  bool in_address_register(uint32_t reg) const { return a_.addresses.is_base[reg] && a_.addresses.assigned[reg]; }
  bool at_hand(uint32_t reg) const {
    return a_.origins[reg].kind != Origin::Kind::Register || made_again_[a_.origins[reg].reg];
  }

  bool is_operand(uint32_t reg) const {
    uint32_t load = facts_.definition(reg);
    if (load >= kSeveral || effect_of(kernel_.instructions[load]) != Effect::Load) return false;
    for (const Use& use : facts_.uses(reg))
      if (!a_.folding.is_read(use)) return false;
    return !facts_.uses(reg).empty();
  }

  /// One native instruction makes it from values that are always available, at most one of them in s[].
  bool can_be_made_again(uint32_t reg) const {
    uint32_t at = facts_.definition(reg);
    if (at >= kSeveral || a_.origins[reg].kind != Origin::Kind::Register) return false;
    const Instruction& instruction = kernel_.instructions[at];
    if (effect_of(instruction) != Effect::None || a_.code.instructions[at].slots() > 1) return false;
    uint32_t from_shared = 0;
    for (const Operand& operand : kernel_.operands_of(instruction)) {
      if (operand.destination) continue;
      switch (operand.kind) {
        case Operand::Kind::Register:
          if (kernel_.registers[operand.index].type == Type::Pred) return false;
          switch (a_.origins[operand.index].kind) {
            case Origin::Kind::Register: return false;
            case Origin::Kind::Parameter:
            case Origin::Kind::BlockIndex: ++from_shared; break;
            case Origin::Kind::Immediate:
            case Origin::Kind::Constant: break;
          }
          break;
        case Operand::Kind::Special:
        case Operand::Kind::Vector: return false;
        case Operand::Kind::None:
        case Operand::Kind::Immediate:
        case Operand::Kind::SymbolAddress:
        case Operand::Kind::Memory:
        case Operand::Kind::Label:
        case Operand::Kind::Table:
        case Operand::Kind::Function:
        case Operand::Kind::FunctionAddress:
        case Operand::Kind::Parameter:
        case Operand::Kind::Sink: break;
      }
    }
    return from_shared <= 1;
  }

  const Kernel& kernel_;
  const RegisterFacts& facts_;
  const NativeAnalysis& a_;
  std::vector<bool> made_again_;
  std::vector<bool> operand_;  // filled by a load that is the operand of its readers
};

}  // namespace

uint32_t native_registers(const Kernel& kernel, const NativeAnalysis& analysis) {
  return NativeRegisters(kernel, analysis).run() + (kernel.is_entry ? kBeyondLive : 0);
}

}  // namespace warptime::ptx
