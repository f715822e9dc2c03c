#include "ptx/native/code_bytes.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "ptx/isa/cards.h"
#include "ptx/native/register_facts.h"
#include "ptx/native/value_origin.h"

namespace warptime::ptx {

namespace {

// Offsets that a short instruction has room for: 4 and 5 bits of words.
constexpr uint64_t kLastShared = 0x3c, kLastConstant = 0x7c;
constexpr uint64_t kFirstParameter = 0x10;  // in s[] (decuda README)

class CodePairs {
 public:
  CodePairs(const Kernel& kernel, const std::vector<NativeInstruction>& native, const RegisterFacts& facts,
            const Origins& origins)
      : kernel_(kernel), native_(native), facts_(facts), origins_(origins), sets_flags_(native.size()) {
    for (uint32_t i = 0; i < native.size(); ++i)
      if (native[i].rule == NativeRule::Flags) sets_flags_[facts.write_before(operands(i)[2].index, i)] = true;
  }

  std::vector<uint16_t> run() {
    std::vector<uint16_t> out(native_.size(), 0);
    uint32_t single = kNoIndex;  // the native instruction before this one might be short: the PTX instruction it is of
    for (uint32_t i = 0; i < native_.size(); ++i) {
      if (i > 0 && facts_.block(i) != facts_.block(i - 1)) single = kNoIndex;
      for_each_step(i, [&](bool may_be_short) {
        if (may_be_short && single != kNoIndex) {
          ++out[single];
          ++out[i];
          single = kNoIndex;
        } else {
          single = may_be_short ? i : kNoIndex;
        }
      });
    }
    return out;
  }

 private:
  std::span<const Operand> operands(uint32_t i) const { return kernel_.operands_of(kernel_.instructions[i]); }

  /// Calls f(may_be_short) for each native instruction of a PTX instruction.
  template <class F>
  void for_each_step(uint32_t i, const F& f) const {
    const NativeInstruction& native = native_[i];
    const bool plain = has_short_operands(i);
    for (uint32_t step = 0; step < native.address_steps; ++step) f(false);
    if (native.on_chip) {
      const bool is_load = effect_of(kernel_.instructions[i]) == Effect::Load;
      for (uint32_t word = 0; word < native.words; ++word) f(plain && is_load && is_near(i, 4 * word));
      return;
    }
    const uint32_t steps = native.slots() - native.address_steps;
    std::string_view first = native.steps.substr(0, native.steps.find(' '));
    for (uint32_t step = 0; step < steps; ++step) f(plain && step == 0 && has_short_form(i, first, steps));
  }

  /// A sequence has one short instruction at most, a product at its beginning.
  bool has_short_form(uint32_t i, std::string_view name, uint32_t steps) const {
    static constexpr std::array<std::string_view, 6> kShort{"mov", "add", "sub", "mul", "mul24", "rcp"};
    if (steps > 1) return name == "mul.u16";
    const bool moves = name != "mov" || operands(i)[1].kind == Operand::Kind::Register;
    return moves && std::find(kShort.begin(), kShort.end(), name) != kShort.end();
  }

  bool has_short_operands(uint32_t i) const {
    const Instruction& instruction = kernel_.instructions[i];
    const NativeInstruction& native = native_[i];
    const ModSet long_only = mods(Mod::Sat) | mods(Mod::Rz) | mods(Mod::Rm) | mods(Mod::Rp);
    if (instruction.guard != kNoIndex || sets_flags_[i] || (instruction.mods & long_only) != ModSet{}) return false;
    for (const Operand& operand : operands(i)) {
      if (operand.kind == Operand::Kind::Immediate || operand.kind == Operand::Kind::SymbolAddress) return false;
      const bool read = operand.kind == Operand::Kind::Register && !operand.destination;
      if (read && origins_[operand.index].kind == Origin::Kind::Immediate) return false;
    }
    const bool shared = native.shared.position != MemoryOperand::kNone;
    const bool constant = native.constant.position != MemoryOperand::kNone;
    if (shared && constant) return false;
    return (!shared || comes_from_near(i, native.shared)) && (!constant || comes_from_near(i, native.constant));
  }

  /// Whether the load that an operand in memory stands for has a small offset.
  bool comes_from_near(uint32_t i, const MemoryOperand& operand) const {
    const uint32_t load = facts_.definition(origins_[operands(i)[operand.position].index].reg);
    return load < kSeveral && effect_of(kernel_.instructions[load]) == Effect::Load && is_near(load, 0);
  }

  /// Whether s[] or c[] is accessed at a small offset, `more` bytes behind what the load names.
  bool is_near(uint32_t load, uint64_t more) const {
    const Space space = kernel_.instructions[load].space;
    for (const Operand& operand : operands(load)) {
      if (operand.kind != Operand::Kind::Memory) continue;
      if (space == Space::Const) return operand.bits + more <= kLastConstant;
      return operand.bits + more + (space == Space::Param ? kFirstParameter : 0) <= kLastShared;
    }
    return false;
  }

  const Kernel& kernel_;
  const std::vector<NativeInstruction>& native_;
  const RegisterFacts& facts_;
  const Origins& origins_;
  std::vector<bool> sets_flags_;
};

}  // namespace

std::vector<uint16_t> find_short_instructions(const Kernel& kernel, const std::vector<NativeInstruction>& native,
                                              const RegisterFacts& facts, const Origins& origins) {
  return CodePairs(kernel, native, facts, origins).run();
}

}  // namespace warptime::ptx
