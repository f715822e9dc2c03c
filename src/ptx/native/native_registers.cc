// General registers per thread, by rules that are the same for all kernels:
//   - predicates, immediates, kernel parameters, constants at fixed addresses and the block's index take no register;
//   - what one instruction makes from these alone is made again where it is used;
//   - either of the last two, where it is not an operand, needs a register for the instruction that uses it;
//   - an operand in memory takes none, an address register none, 64 bits of which half is needed take one;
//   - a copy has the register of its source;
//   - a load from s[], c[] or l[] with one reader in its block is moved to that reader, if nothing between them can
//     change the value;
//   - an access to g[] with an offset has its address in a register, which serves all accesses of the block to the same
//     place. Those made from a parameter for values of 8 or 16 bits are all made at the beginning of the block or
//     behind its last barrier, the others at the first access.
// The last two are what decuda's cubins show, whose PTX is known.
#include "ptx/native/native_registers.h"

#include <map>
#include <utility>

#include "ptx/analysis/liveness.h"
#include "ptx/analysis/register_uses.h"
#include "ptx/native/register_scan.h"

namespace warptime::ptx {

namespace {

class NativeRegisters {
 public:
  NativeRegisters(const Kernel& kernel, const NativeAnalysis& analysis)
      : kernel_(kernel),
        facts_(analysis.facts),
        a_(analysis),
        made_again_(kernel.registers.size()),
        operand_(kernel.registers.size()),
        loaded_at_reader_(kernel.registers.size()) {
    for (uint32_t reg = 0; reg < kernel.registers.size(); ++reg) {
      made_again_[reg] = can_be_made_again(reg);
      operand_[reg] = is_operand(reg);
    }
  }

  uint32_t scanned() {
    apart_ = true;
    for (uint32_t reg = 0; reg < kernel_.registers.size(); ++reg)
      loaded_at_reader_[reg] = !operand_[reg] && can_be_loaded_at_reader(reg);
    return scan_registers(kernel_, pressure(), addresses_of_g());
  }
  uint32_t live() const { return most_registers(kernel_, pressure()); }

 private:
  RegisterPressure pressure() const {
    RegisterPressure pressure;
    for (uint32_t reg = 0; reg < kernel_.registers.size(); ++reg) pressure.weights.push_back(weight(reg));
    for (uint32_t i = 0; i < kernel_.instructions.size(); ++i) {
      pressure.accesses.begin_instruction();
      pressure.extra.push_back(add_instruction(i, pressure.accesses));
      pressure.guarded.push_back(kernel_.instructions[i].guard != kNoIndex);
    }
    return pressure;
  }

  /// Sums, and parameters, that are addresses of accesses to g[].
  std::vector<PassingValue> addresses_of_g() const {
    std::vector<PassingValue> out;
    for (const BasicBlock& block : kernel_.blocks) {
      std::map<std::pair<uint32_t, uint64_t>, PassingValue> by_place;  // register and offset
      uint32_t begin = block.begin;
      auto flush = [&] {
        for (const auto& [place, value] : by_place) out.push_back(value);
        by_place.clear();
      };
      for (uint32_t i = block.begin; i < block.end; ++i) {
        const Instruction& in = kernel_.instructions[i];
        if (effect_of(in) == Effect::Barrier) {
          flush();
          begin = i + 1;
        }
        if (info(effect_of(in)).memory != MemoryUse::LaneAddresses || in.space != Space::Global) continue;
        for (const Operand& operand : kernel_.operands_of(in)) {
          if (operand.kind != Operand::Kind::Memory || operand.base != Operand::Base::Register) continue;
          const bool parameter = a_.origins[operand.index].kind == Origin::Kind::Parameter;
          if (!parameter && operand.bits == 0) continue;
          const uint32_t made = parameter && bits(in.type) < 32 ? begin : i;
          by_place.try_emplace({operand.index, operand.bits}, PassingValue{made, i}).first->second.last = i;
        }
      }
      flush();
    }
    return out;
  }
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
        if (loaded_at_reader_[reg]) {
          if (!written) moment += weight(reg) + add_base_of(facts_.definition(reg), out);
        } else if (written) {
          if (!at_hand(reg)) out.add(a_.origins[reg].reg, true);
        } else if (!at_hand(reg)) {
          if (!(base && in_address_register(reg))) out.add(a_.origins[reg].reg, false);
        } else if (a_.origins[reg].kind != Origin::Kind::Immediate && !is_dropped(i) && !a_.folding.is_read({i, o}) &&
                   !(apart_ && is_address_of_g(i, operands[o]))) {
          moment += weight(reg);
        }
      });
    }
    return moment;
  }
  /// A load that is moved needs its address where it stands then.
  uint32_t add_base_of(uint32_t load, RegisterAccesses& out) const {
    for (const Operand& operand : kernel_.operands_of(kernel_.instructions[load])) {
      if (operand.kind != Operand::Kind::Memory || operand.base != Operand::Base::Register) continue;
      if (!in_address_register(operand.index) && !at_hand(operand.index)) out.add(a_.origins[operand.index].reg, false);
    }
    return 0;
  }
  bool is_address_of_g(uint32_t i, const Operand& operand) const {
    return operand.kind == Operand::Kind::Memory && kernel_.instructions[i].space == Space::Global &&
           a_.origins[operand.index].kind == Origin::Kind::Parameter;
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

  bool can_be_loaded_at_reader(uint32_t reg) const {
    const uint32_t load = facts_.definition(reg);
    if (load >= kSeveral || effect_of(kernel_.instructions[load]) != Effect::Load || facts_.uses(reg).size() != 1)
      return false;
    const Instruction& in = kernel_.instructions[load];
    const uint32_t reader = facts_.uses(reg).front().instruction;
    const bool on_chip = in.space == Space::Shared || in.space == Space::Const || in.space == Space::Local;
    if (!on_chip || in.vector != 1 || in.mods.has(Mod::Volatile) || reader < load ||
        facts_.block(reader) != facts_.block(load))
      return false;
    for (uint32_t i = load + 1; i < reader; ++i) {
      const Instruction& between = kernel_.instructions[i];
      const Changes changes = info(effect_of(between)).changes;
      if (changes == Changes::SeenOfOthers) return false;
      if (changes == Changes::OwnSpace && between.space != Space::Global && in.space != Space::Const) return false;
    }
    for (const Operand& operand : kernel_.operands_of(in))
      if (operand.kind == Operand::Kind::Memory && operand.base == Operand::Base::Register &&
          facts_.write_before(operand.index, reader) != facts_.write_before(operand.index, load))
        return false;
    return true;
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
  bool apart_ = false;  // parameters that are addresses of g[] are not counted by instruction, but as addresses_of_g
  std::vector<bool> operand_;           // filled by a load that is the operand of its readers
  std::vector<bool> loaded_at_reader_;  // filled by a load that stands at its only reader
};

}  // namespace

uint32_t native_registers(const Kernel& kernel, const NativeAnalysis& analysis) {
  return NativeRegisters(kernel, analysis).scanned();
}
uint32_t live_native_registers(const Kernel& kernel, const NativeAnalysis& analysis) {
  return NativeRegisters(kernel, analysis).live();
}

}  // namespace warptime::ptx
