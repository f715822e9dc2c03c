// The rules, in the order in which they are tried: the first that knows the instruction gives its cost, and what no
// rule knows goes by the recipe table. A new rule is a function of NativeSelector and an entry in kRules.
#include "ptx/native/native_code.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "ptx/analysis/register_uses.h"
#include "ptx/isa/cards.h"
#include "ptx/native/code_bytes.h"
#include "ptx/native/fold_operands.h"
#include "ptx/native/narrow_addresses.h"
#include "ptx/native/native_anchors.h"
#include "ptx/native/native_registers.h"
#include "ptx/native/recipe_table.h"
#include "ptx/native/sign_modifiers.h"
#include "ptx/native/small_numbers.h"

namespace warptime::ptx {

namespace {

constexpr uint64_t kLargestFactor = 0xffffff;  // mul24

class NativeSelector {
 public:
  explicit NativeSelector(const Kernel& kernel)
      : kernel_(kernel),
        facts_(kernel),
        narrow_(find_narrow(kernel, facts_)),
        largest_(find_largest(kernel)),
        origins_(kernel, facts_, narrow_),
        addresses_(assign_address_registers(kernel, facts_, origins_)),
        folding_(fold_operands(kernel, facts_, narrow_, origins_)) {}

  NativeCode run() {
    NativeCode out;
    for (uint32_t i = 0; i < kernel_.instructions.size(); ++i) out.instructions.push_back(select(i));
    const std::vector<uint16_t> shorts = find_short_instructions(kernel_, out.instructions, facts_, origins_);
    for (size_t i = 0; i < shorts.size(); ++i) out.instructions[i].in_4_bytes = shorts[i];
    out.registers = native_registers(kernel_, {facts_, narrow_, origins_, addresses_, folding_, out});
    return out;
  }

  /// Each by following the parts to an instruction with steps; copies that only read each other have none.
  std::vector<uint32_t> anchors() const {
    const std::vector<NativeInstruction>& all = kernel_.native.instructions;
    std::vector<uint32_t> out(all.size(), kNoIndex), path;
    std::vector<bool> is_seen(all.size());
    for (uint32_t i = 0; i < all.size(); ++i) {
      path.clear();
      uint32_t whole = i;
      for (; whole != kNoIndex && all[whole].slots() == 0 && !is_seen[whole]; whole = part_of(whole, all[whole].rule)) {
        is_seen[whole] = true;
        path.push_back(whole);
      }
      if (whole != kNoIndex && all[whole].slots() == 0) whole = out[whole];
      for (uint32_t part : path) out[part] = whole;
    }
    return out;
  }

 private:
  using Selected = std::optional<NativeInstruction>;
  using Rule = Selected (NativeSelector::*)(uint32_t) const;

  NativeInstruction select(uint32_t i) const {
    static constexpr std::array<Rule, 11> kRules{
        &NativeSelector::without_code,   &NativeSelector::dropped_move,     &NativeSelector::post_increment,
        &NativeSelector::on_chip_access, &NativeSelector::memory_access,    &NativeSelector::flags,
        &NativeSelector::modifier,       &NativeSelector::common_reduction, &NativeSelector::product_by_power_of_two,
        &NativeSelector::small_product,  &NativeSelector::rotation};
    for (Rule rule : kRules)
      if (Selected selected = (this->*rule)(i)) return into_address_register(i, *selected);
    return into_address_register(i, by_recipe(i));
  }

  const Instruction& at(uint32_t i) const { return kernel_.instructions[i]; }
  std::span<const Operand> operands(uint32_t i) const { return kernel_.operands_of(at(i)); }
  uint32_t result(uint32_t i) const { return result_of(kernel_, at(i)); }
  bool is_narrow(uint32_t i) const { return result(i) != kNoIndex && narrow_[result(i)]; }

  NativeInstruction steps(uint32_t i, std::string_view text, NativeRule rule) const {
    NativeInstruction out;
    StepCount count = count_steps(text);
    out.sp = count.sp;
    out.sfu = count.sfu;
    out.chain_sp = count.chain_sp;
    out.chain_sfu = count.chain_sfu;
    out.parallel = count.parallel;
    out.steps = text;
    out.rule = rule;
    out.latency = latency_of(*at(i).card->card, *at(i).form);
    return out;
  }
  NativeInstruction nothing(uint32_t i, NativeRule rule) const { return steps(i, "", rule); }

  Selected without_code(uint32_t i) const {
    switch (info(effect_of(at(i))).native) {
      case NativeForm::ExitBit: return nothing(i, NativeRule::ExitBit);
      case NativeForm::ReturnBit: return kernel_.is_entry ? Selected(nothing(i, NativeRule::ExitBit)) : Selected();
      case NativeForm::NoCode: return nothing(i, NativeRule::NoCode);
      case NativeForm::OneAccess:
      case NativeForm::ByRecipe: break;
    }
    return {};
  }

  /// Copies between registers of which one is enough, and constants.
  Selected dropped_move(uint32_t i) const {
    uint32_t to = result(i);
    if (to == kNoIndex || is_set_address(to)) return {};
    bool once = facts_.definition(to) == i;
    if (is<Mov>(at(i)) && once && origins_[to].kind == Origin::Kind::Immediate)
      return nothing(i, NativeRule::Immediate);
    bool unpacks = is<Mov>(at(i)) && operands(i)[0].kind == Operand::Kind::Vector;
    if (unpacks) return nothing(i, NativeRule::SameRegister);
    if (!origins_.is_copy(at(i))) return {};
    uint32_t from = operands(i)[1].index;
    bool one = once && facts_.definition(from) != kSeveral;
    if (!one && !takes_over(i, from, to)) return {};
    bool widens = bits(kernel_.registers[to].type) != bits(kernel_.registers[from].type) || is<Cvta>(at(i));
    return nothing(i, widens ? NativeRule::AddressIs32Bits : NativeRule::SameRegister);
  }

  /// Whether `from` ends at the copy `i`, was written in the same block, and `to` was not needed since.
  bool takes_over(uint32_t i, uint32_t from, uint32_t to) const {
    uint32_t written = facts_.definition(from);
    if (written >= i || facts_.block(written) != facts_.block(i)) return false;
    bool lives_on = facts_.uses(from).back().instruction > i || facts_.uses(from).front().instruction < written;
    return !lives_on && !facts_.is_touched_between(to, written, i);
  }

  /// An access steps its address register by the constant that stands in place of its offset (envytools), so only one
  /// without an offset can, and only the last one through the register.
  Selected post_increment(uint32_t i) const {
    uint32_t reg = result(i);
    if (reg == kNoIndex || !is_set_address(reg) || !steps_itself(kernel_, at(i))) return {};
    const std::optional<Use> last = last_access(i, reg);
    if (!last || operands(last->instruction)[last->position].bits != 0) return {};
    return addresses_.only_address[reg] ? nothing(i, NativeRule::PostIncrement) : by_recipe(i);
  }

  /// The last one through the register in the block of `i`.
  std::optional<Use> last_access(uint32_t i, uint32_t reg) const {
    std::optional<Use> last;
    for (const Use& use : facts_.uses(reg)) {
      bool accesses = operands(use.instruction)[use.position].kind == Operand::Kind::Memory;
      if (accesses && facts_.block(use.instruction) == facts_.block(i)) last = use;
    }
    return last;
  }

  /// s[] and c[]: a load is nothing where it is an operand of its readers, else a move; a store is a move.
  Selected on_chip_access(uint32_t i) const {
    bool parameter = origins_.loads_fixed(at(i), Space::Param);
    if (!accesses_on_chip(at(i)) && !parameter) return {};
    uint32_t words = at(i).vector * std::max(1u, bits(at(i).type) / 32);
    NativeInstruction out = steps(i, "mov", NativeRule::Recipe);
    if (effect_of(at(i)) == Effect::Load) {
      words = folding_.in_registers[i];
      if (words == 0) out = nothing(i, parameter ? NativeRule::OperandOfReaders : NativeRule::OperandOfReader);
      else if (parameter) out.rule = NativeRule::NeededInRegister;
    }
    if (words > 1) out.rule = NativeRule::OneEach;
    if (effect_of(at(i)) == Effect::Atomic) words = 1;
    out.on_chip = true;
    out.words = out.sp = static_cast<uint16_t>(words);
    uint32_t base = base_register(i);
    if (base != kNoIndex && !addresses_.assigned[base] && origins_[base].kind != Origin::Kind::Immediate) {
      ++out.sp;
      ++out.address_steps;
      out.rule = NativeRule::NoAddressRegisterFree;
      if (words == 0) out.steps = "";
    }
    return out;
  }

  uint32_t base_register(uint32_t i) const {
    const Operand* address = memory_operand(i);
    return address != nullptr && address->base == Operand::Base::Register ? address->index : kNoIndex;
  }

  /// Global and local memory: one instruction for up to 16 bytes per lane.
  Selected memory_access(uint32_t i) const {
    if (info(effect_of(at(i))).native != NativeForm::OneAccess) return {};
    NativeInstruction out = steps(i, at(i).card->card->name, NativeRule::Recipe);
    if (at(i).space == Space::Global && requires_sum(i)) {
      ++out.sp;
      ++out.address_steps;
      out.rule = NativeRule::GlobalOffset;
    }
    return out;
  }
  const Operand* memory_operand(uint32_t i) const {
    auto found = std::find_if(operands(i).begin(), operands(i).end(),
                              [](const Operand& o) { return o.kind == Operand::Kind::Memory; });
    return found == operands(i).end() ? nullptr : &*found;
  }
  /// g[] is addressed by a register alone (envytools; nouveau's nv50 target), so that an offset is added to it first;
  /// once for the accesses of a block to the same place.
  bool requires_sum(uint32_t i) const {
    const Operand* address = memory_operand(i);
    if (address == nullptr || address->base != Operand::Base::Register || address->bits == 0) return false;
    uint32_t written = facts_.write_before(address->index, i);
    for (const Use& use : facts_.uses(address->index)) {
      if (use.instruction >= i) break;
      bool same_block = facts_.block(use.instruction) == facts_.block(i);
      if (!same_block || (written != kNoIndex && use.instruction <= written)) continue;
      const Operand* other = memory_operand(use.instruction);
      const bool same_place = other != nullptr && other->index == address->index && other->bits == address->bits;
      if (same_place && at(use.instruction).space == Space::Global) return false;
    }
    return true;
  }

  /// Integer instructions can set a condition register by their result: zero or not, and its sign (envytools). So a
  /// comparison with zero of what the block has just computed needs no instruction.
  Selected flags(uint32_t i) const {
    if (!is<Setp>(at(i)) || operands(i).size() != 4 || operands(i)[1].kind == Operand::Kind::Register) return {};
    bool by_sign =
        at(i).mods.has(Mod::Lt) || at(i).mods.has(Mod::Le) || at(i).mods.has(Mod::Gt) || at(i).mods.has(Mod::Ge);
    bool word = bits(at(i).type) == 32 && at(i).type != Type::F32 && (at(i).type == Type::S32 || !by_sign);
    const Operand &value = operands(i)[2], &zero = operands(i)[3];
    if (!word || value.kind != Operand::Kind::Register || zero.kind != Operand::Kind::Immediate || zero.bits != 0)
      return {};
    uint32_t computes = facts_.write_before(value.index, i);
    if (computes == kNoIndex || at(computes).guard != kNoIndex || result(computes) != value.index) return {};
    if (!is<Add, Sub, And, Or, Xor, Shl, Shr, Mul, Mad, Mul24, Mad24, Sad, Min, Max>(at(computes))) return {};
    NativeInstruction native = select(computes);
    bool in_register = native.sp > native.address_steps && native.steps != "movsh";
    return in_register && native.sfu == 0 ? Selected(nothing(i, NativeRule::Flags)) : Selected();
  }

  Selected modifier(uint32_t i) const {
    return is_sign_of_readers(kernel_, facts_, i) ? Selected(nothing(i, NativeRule::Modifier)) : Selected();
  }

  /// The range reduction of a sine is that of a cosine (envytools), so that one serves both.
  Selected common_reduction(uint32_t i) const {
    if (!is<Sin, Cos>(at(i)) || operands(i)[1].kind != Operand::Kind::Register) return {};
    const uint32_t angle = operands(i)[1].index, written = facts_.write_before(angle, i);
    for (const Use& use : facts_.uses(angle)) {
      if (use.instruction >= i) break;
      const bool behind = written == kNoIndex || use.instruction > written;
      if (behind && is<Sin, Cos>(at(use.instruction)) && at(use.instruction).guard == kNoIndex &&
          facts_.block(use.instruction) == facts_.block(i))
        return steps(i, is<Sin>(at(i)) ? "sin" : "cos", NativeRule::CommonReduction);
    }
    return {};
  }

  /// mul and mad of integers whose result needs 32 bits.
  bool is_product(uint32_t i) const {
    if (!is<Mul, Mad>(at(i)) || at(i).type == Type::F32 || at(i).type == Type::F64) return false;
    if (at(i).mods.has(Mod::Wide)) return bits(at(i).type) == 32 && is_narrow(i);
    return at(i).mods.has(Mod::Lo) && (bits(at(i).type) == 32 || (is_long(at(i).type) && is_narrow(i)));
  }

  Selected product_by_power_of_two(uint32_t i) const {
    if (!is_product(i)) return {};
    const Operand& factor = operands(i)[2];
    if (factor.kind != Operand::Kind::Immediate || !std::has_single_bit(factor.bits)) return {};
    NativeInstruction out =
        is<Mul>(at(i)) ? steps(i, "shl", NativeRule::PowerOfTwo) : steps(i, "shl add", NativeRule::ShiftAndAdd);
    out.latency = Latency::IntAlu;
    return out;
  }

  Selected small_product(uint32_t i) const {
    if (!is_product(i)) return {};
    uint64_t most = std::max(largest(largest_, operands(i)[1]), largest(largest_, operands(i)[2]));
    if (most > kLargestFactor) return {};
    NativeInstruction out = steps(i, is<Mul>(at(i)) ? "mul24" : "mad24", NativeRule::SmallNumbers);
    out.latency = Latency::IntMul24;
    return out;
  }

  /// Nothing rotates (Ryoo 2008, 5.1), and shifts clamp their amount (PTX ISA, shl): one that is not a constant is cut
  /// to 5 bits and taken from 32 before.
  Selected rotation(uint32_t i) const {
    if (!is<Shf>(at(i)) || !at(i).mods.has(Mod::Wrap)) return {};
    const Operand &low = operands(i)[1], &high = operands(i)[2], &amount = operands(i)[3];
    bool one_register = low.kind == Operand::Kind::Register && high.kind == low.kind && high.index == low.index;
    if (!one_register) return {};
    return steps(i, is_constant(amount) ? "shl +shr or" : "and sub shl +shr or", NativeRule::Rotation);
  }
  bool is_constant(const Operand& operand) const {
    bool known = operand.kind == Operand::Kind::Register && !operand.destination &&
                 origins_[operand.index].kind == Origin::Kind::Immediate;
    return known || operand.kind == Operand::Kind::Immediate || operand.kind == Operand::Kind::SymbolAddress;
  }

  NativeInstruction by_recipe(uint32_t i) const {
    bool low_only = is_narrow(i) && (is_long(at(i).type) || at(i).mods.has(Mod::Wide));
    Instruction instruction = at(i);
    if (low_only && instruction.mods.has(Mod::Wide))
      instruction.mods = instruction.mods.without(mods(Mod::Wide)) | mods(Mod::Lo);
    Recipe recipe = find_recipe(instruction, low_only ? narrowed(at(i).type) : recipe_type(i));
    NativeInstruction out = steps(i, recipe.steps, low_only ? NativeRule::AddressIs32Bits : NativeRule::Recipe);
    if (low_only && is_product(i)) out.latency = Latency::IntMul;
    out.shared = folding_.reads[i].shared;
    out.constant = folding_.reads[i].constant;
    return out;
  }
  /// The wider of its types, where a recipe goes by the width.
  Type recipe_type(uint32_t i) const {
    bool by_second = (is<Cvt, Set>(at(i))) && is_long(at(i).type2);
    Type type = by_second && at(i).type != Type::F32 ? at(i).type2 : at(i).type;
    return type == Type::F64 ? Type::F32 : type;  // mapped to f32; double-precision units count for themselves
  }

  bool is_set_address(uint32_t reg) const { return addresses_.is_base[reg] && addresses_.assigned[reg]; }

  /// What computes an address of s[] or c[] may itself be what sets the address register, which takes a shifted or
  /// unshifted register and a constant (decuda: movsh); else that comes in addition.
  NativeInstruction into_address_register(uint32_t i, NativeInstruction selected) const {
    uint32_t reg = result(i);
    if (reg == kNoIndex || !is_set_address(reg) || selected.rule == NativeRule::PostIncrement) return selected;
    if (steps_itself(kernel_, at(i))) return selected;  // the access steps it
    auto list = operands(i);
    bool by_constant =
        list.size() == 3 && std::any_of(list.begin(), list.end(), [&](const Operand& o) { return is_constant(o); });
    bool sets = is<Mov>(at(i)) || origins_.is_copy(at(i)) || (by_constant && (is<Shl, Add, Sub>(at(i))));
    if (sets && addresses_.only_address[reg]) {
      selected.steps = "movsh";
      selected.sp = 1;
      return selected;
    }
    ++selected.sp;
    ++selected.address_steps;
    if (selected.rule == NativeRule::Recipe) selected.rule = NativeRule::SetsAddressRegister;
    return selected;
  }

  /// The instruction that an instruction without steps is a part of. That may itself have none.
  uint32_t part_of(uint32_t i, NativeRule rule) const {
    if (rule == NativeRule::NoCode) return kNoIndex;
    if (rule == NativeRule::ExitBit) return i > 0 ? i - 1 : kNoIndex;
    if (rule == NativeRule::PostIncrement) return last_access(i, result(i))->instruction;
    if (rule == NativeRule::Flags) return facts_.write_before(operands(i)[2].index, i);
    return reader_of(i);
  }

  /// The next instruction that reads a result of it; in a loop that may be one before it.
  uint32_t reader_of(uint32_t i) const {
    uint32_t behind = kNoIndex, before = kNoIndex;
    for_each_register(kernel_, at(i), [&](uint32_t reg, bool written) {
      if (!written || facts_.uses(reg).empty()) return;
      auto uses = facts_.uses(reg);
      auto next = std::upper_bound(uses.begin(), uses.end(), i,
                                   [](uint32_t number, const Use& use) { return number < use.instruction; });
      if (next != uses.end()) behind = std::min(behind, next->instruction);
      else if (uses.front().instruction < i) before = std::min(before, uses.front().instruction);
    });
    return behind != kNoIndex ? behind : before;
  }

  const Kernel& kernel_;
  RegisterFacts facts_;
  std::vector<bool> narrow_;
  std::vector<uint64_t> largest_;
  Origins origins_;
  AddressRegisters addresses_;
  Folding folding_;
};

}  // namespace

std::string_view text_of(NativeRule rule) {
  static constexpr std::array kTexts {
#define X(name, text) std::string_view(text),
    PTX_NATIVE_RULES(X)
#undef X
  };
  return kTexts[static_cast<size_t>(rule)];
}

NativeInstruction with_rotation(NativeInstruction native) {
  if (native.rule != NativeRule::Rotation) return native;
  native.sp = static_cast<uint16_t>(1 + native.address_steps);
  native.steps = "rotate";
  native.chain_sp = 1;
  native.parallel = 0;
  native.in_4_bytes = 0;
  return native;
}

std::vector<uint32_t> find_native_anchors(const Kernel& kernel) { return NativeSelector(kernel).anchors(); }

NativeCode find_native_code(const Kernel& kernel) { return NativeSelector(kernel).run(); }

}  // namespace warptime::ptx
