// The rules for what an assembler makes of neighbours: an instruction that only prepares an operand of others becomes a
// part of them. Each rule is a function of LaterSelector and a line in run().
#include "ptx/native/later_code.h"

#include <algorithm>
#include <utility>

#include "ptx/analysis/register_uses.h"
#include "ptx/isa/cards.h"
#include "ptx/native/constant_operands.h"
#include "ptx/native/later_recipes.h"
#include "ptx/native/scaled_addresses.h"
#include "ptx/native/sign_modifiers.h"
#include "ptx/native/value_origin.h"
#include "ptx/native/warp_uniform.h"

namespace warptime::ptx {

namespace {

constexpr uint32_t kMostInputs = 3;  // of a logic operation and of a sum
// The first compute capabilities, times ten, with:
constexpr uint32_t kUniformDatapath = 75, kDescriptors = 80, kConstantLoads = 90, kClusterAddresses = 90;

bool is_rounded(const Instruction& in) {
  return in.mods.has(Mod::Rn) || in.mods.has(Mod::Rz) || in.mods.has(Mod::Rm) || in.mods.has(Mod::Rp);
}
bool is_word(Type type) { return type != Type::None && bits(type) == 32 && type != Type::F32; }

class LaterSelector {
 public:
  LaterSelector(const Kernel& kernel, uint32_t capability)
      : kernel_(kernel),
        capability_(capability),
        facts_(kernel),
        narrow_(kernel.registers.size(), false),
        origins_(kernel, facts_, narrow_, OperandWidth::Any),
        varies_(find_varying(kernel)),
        inputs_(kernel.instructions.size(), 0) {}

  LaterCode run() {
    for (const Instruction& in : kernel_.instructions)
      out_.push_back(counted_steps(later_steps(kernel_, in, capability_)));
    if (capability_ < kConstantLoads) take_constants();
    for (uint32_t i = 0; i < size(); ++i) drop_move(i);
    for (uint32_t i = 0; i < size(); ++i) take_sign(i);
    for (uint32_t i = 0; i < size(); ++i) share_reduction(i);
    if (capability_ < kClusterAddresses) take_addresses();
    for (uint32_t i = 0; i < size(); ++i) take_product(i);
    for (uint32_t i = 0; i < size(); ++i) take_offset(i);
    for (uint32_t i = 0; i < size(); ++i) take_operand(i);
    for (uint32_t i = 0; i < size(); ++i) take_comparison(i);
    for (uint32_t i = 0; i < size(); ++i) converge(i);
    for (uint32_t i = 0; i < size(); ++i) make_uniform(i);
    balance();
    begin();
    return std::move(out_);
  }

 private:
  uint32_t size() const { return static_cast<uint32_t>(kernel_.instructions.size()); }
  const Instruction& at(uint32_t i) const { return kernel_.instructions[i]; }
  std::span<const Operand> operands(uint32_t i) const { return kernel_.operands_of(at(i)); }
  uint32_t result(uint32_t i) const { return result_of(kernel_, at(i)); }
  bool is_folded(uint32_t i) const { return out_[i].slots() == 0; }

  void become(uint32_t i, std::string_view steps, NativeRule rule) {
    out_[i] = counted_steps(steps);
    out_[i].rule = rule;
  }
  void fold(uint32_t i, uint32_t into, NativeRule rule) {
    become(i, "", rule);
    out_[i].part_of = into;
  }

  /// The instructions that read what only `i` writes, all in its block, behind it, unconditional, while its sources are
  /// what they were. Empty: not so.
  std::vector<uint32_t> readers(uint32_t i) const {
    const uint32_t reg = result(i);
    if (reg == kNoIndex || at(i).guard != kNoIndex || facts_.definition(reg) != i) return {};
    std::vector<uint32_t> out;
    for (const Use& use : facts_.uses(reg)) {
      const uint32_t reader = use.instruction;
      if (reader <= i || facts_.block(reader) != facts_.block(i) || at(reader).guard != kNoIndex) return {};
      if (!keeps_sources(i, reader)) return {};
      out.push_back(reader);
    }
    return out;
  }
  bool keeps_sources(uint32_t i, uint32_t until) const {
    bool keeps = true;
    for_each_register(kernel_, at(i), [&](uint32_t reg, bool written) {
      if (written) return;
      const uint32_t last = facts_.write_before(reg, until);
      keeps = keeps && (last == kNoIndex || last < i);
    });
    return keeps;
  }
  /// The only reader, or kNoIndex.
  uint32_t reader(uint32_t i) const {
    const std::vector<uint32_t> all = readers(i);
    return all.size() == 1 ? all[0] : kNoIndex;
  }

  // --- Parameters and sizes are operands in constant memory.
  void take_constants() {
    constants_ = find_constant_operands(kernel_, facts_, origins_);
    const std::vector<ConstantFetch>& fetches = constants_.fetches;
    for (uint32_t i = 0; i < size(); ++i) {
      if (fetches[i] == ConstantFetch::Register)
        become(i, bits(at(i).type) == 64 ? "mov +mov" : "mov", NativeRule::Recipe);
      const bool is_read = fetches[i] == ConstantFetch::Operand && !facts_.uses(result(i)).empty();
      if (is_read) fold(i, facts_.uses(result(i)).front().instruction, NativeRule::OperandOfReaders);
    }
  }

  // --- Moves.
  void drop_move(uint32_t i) {
    const uint32_t to = result(i);
    if (to == kNoIndex || is_folded(i)) return;
    const bool once = facts_.definition(to) == i;
    if (is<Mov>(at(i)) && once && origins_[to].kind == Origin::Kind::Immediate)
      return fold(i, kNoIndex, NativeRule::Immediate);
    if (widens(i)) return fold(i, facts_.uses(to).front().instruction, NativeRule::OperandOfReaders);
    if (!origins_.is_copy(at(i))) return;
    const uint32_t from = operands(i)[1].index;
    const bool one = once && facts_.definition(from) != kSeveral;
    if (one || takes_over(i, from, to)) fold(i, kNoIndex, NativeRule::SameRegister);
  }
  /// Whether `from` ends at the copy `i`, was written in the same block, and `to` was not needed since.
  bool takes_over(uint32_t i, uint32_t from, uint32_t to) const {
    const uint32_t written = facts_.write_before(from, i);
    if (written == kNoIndex || at(written).guard != kNoIndex) return false;
    const bool lives_on = facts_.uses(from).empty() || facts_.uses(from).back().instruction > i ||
                          facts_.uses(from).front().instruction < written;
    return !lives_on && !facts_.is_touched_between(to, written, i);
  }
  /// A sum of 64 bits takes the 32 bits that are to be widened.
  bool widens(uint32_t i) const {
    if (!is<Cvt>(at(i)) || !is_long(at(i).type) || bits(at(i).type2) != 32) return false;
    if (info(at(i).type2).kind == TypeKind::Float) return false;
    const std::vector<uint32_t> all = readers(i);
    return !all.empty() && std::all_of(all.begin(), all.end(), [&](uint32_t r) { return is<Add>(at(r)); });
  }
  void take_sign(uint32_t i) {
    if (!is_folded(i) && is_sign_of_readers(kernel_, facts_, i))
      fold(i, facts_.uses(result(i)).front().instruction, NativeRule::Modifier);
  }

  /// A sine and a cosine of one angle have one range reduction.
  void share_reduction(uint32_t i) {
    if (is_folded(i) || !is<Sin, Cos>(at(i)) || operands(i)[1].kind != Operand::Kind::Register) return;
    const uint32_t angle = operands(i)[1].index, written = facts_.write_before(angle, i);
    for (const Use& use : facts_.uses(angle)) {
      const uint32_t other = use.instruction;
      if (other >= i) return;
      const bool behind = written == kNoIndex || other > written;
      if (behind && is<Sin, Cos>(at(other)) && at(other).guard == kNoIndex && facts_.block(other) == facts_.block(i))
        return become(i, "mufu", NativeRule::CommonReduction);
    }
  }

  // --- Products become parts of the sums that read them.
  void take_product(uint32_t i) {
    if (is_folded(i) || !is<Mul, Shl>(at(i))) return;
    const std::vector<uint32_t> all = readers(i);
    if (all.empty()) return;
    for (uint32_t sum : all)
      if (is_folded(sum) || !adds(i, sum)) return;
    for (uint32_t sum : all) {
      become(sum, needs_factor(i, sum) ? "+mov imad.wide" : sum_with(i), NativeRule::ProductAndSum);
      inputs_[sum] = kMostInputs;
    }
    fold(i, all.front(), NativeRule::OperandOfReader);
  }
  /// A constant factor needs a register where the sum has an operand in constant memory; the kernel keeps it there.
  bool needs_factor(uint32_t product, uint32_t sum) {
    if (constants_.taken.empty() || !constants_.taken[sum] || !at(product).mods.has(Mod::Wide)) return false;
    const Operand& factor = operands(product)[2];
    if (factor.kind != Operand::Kind::Immediate) return false;
    const bool is_new = std::find(factors_.begin(), factors_.end(), factor.bits) == factors_.end();
    if (is_new) factors_.push_back(factor.bits);
    return is_new;
  }
  /// Whether `sum` has room for the product, and the assembler may add it so.
  bool adds(uint32_t product, uint32_t sum) const {
    if (!is<Add, Sub>(at(sum)) || inputs_[sum] == kMostInputs) return false;
    const Instruction &p = at(product), &s = at(sum);
    const bool is_float = info(p.type).kind == TypeKind::Float || info(p.type).kind == TypeKind::Packed;
    if (is_float) return p.type == s.type && !is_rounded(p) && !is_rounded(s) && !p.mods.has(Mod::Sat);
    if (is<Shl>(p)) {
      const bool fixed = operands(product)[2].kind == Operand::Kind::Immediate;
      return fixed && is<Add>(s) && bits(p.type) == bits(s.type) && readers(product).size() == 1;
    }
    if (p.mods.has(Mod::Wide)) return is<Add>(s) && is_long(s.type) && bits(p.type) == 32;
    return p.mods.has(Mod::Lo) && is_word(p.type) && is_word(s.type) && readers(product).size() == 1;
  }
  std::string_view sum_with(uint32_t product) const {
    const Instruction& p = at(product);
    if (is<Shl>(p)) return is_long(p.type) ? "lea lea.hi" : "lea";
    if (p.type == Type::F32) return "ffma";
    if (p.type == Type::F64) return "dfma";
    if (info(p.type).kind == TypeKind::Float || info(p.type).kind == TypeKind::Packed) return "hfma2";
    return p.mods.has(Mod::Wide) ? "imad.wide" : "imad";
  }

  // --- Addresses in shared memory are a register, times 4, 8 or 16, and a constant.
  void take_addresses() {
    const std::vector<bool> scaled = find_scaled_addresses(kernel_, facts_, origins_);
    for (uint32_t i = 0; i < size(); ++i)
      if (scaled[i] && !is_folded(i)) fold(i, facts_.uses(result(i)).front().instruction, NativeRule::OperandOfReaders);
  }

  // --- Addresses have an offset of 24 bits.
  void take_offset(uint32_t i) {
    if (is_folded(i) || !is<Add>(at(i)) || at(i).guard != kNoIndex) return;
    if (operands(i)[2].kind != Operand::Kind::Immediate || operands(i)[1].kind != Operand::Kind::Register) return;
    const uint32_t reg = result(i), base = operands(i)[1].index;
    if (facts_.definition(reg) != i || facts_.definition(base) == kSeveral || facts_.uses(reg).empty()) return;
    const auto offset = static_cast<int64_t>(operands(i)[2].bits);
    if (offset < -(1 << 23) || offset >= 1 << 23) return;
    for (const Use& use : facts_.uses(reg))
      if (operands(use.instruction)[use.position].kind != Operand::Kind::Memory) return;
    fold(i, facts_.uses(reg).front().instruction, NativeRule::OperandOfReaders);
  }

  // --- Three inputs: IADD3 and LOP3.
  bool is_logic(uint32_t i) const { return is<And, Or, Xor, Not>(at(i)) && at(i).type != Type::Pred; }
  bool is_sum(uint32_t i) const { return is<Add, Sub>(at(i)) && is_word(at(i).type) && !at(i).mods.has(Mod::Sat); }
  uint32_t inputs(uint32_t i) const { return inputs_[i] != 0 ? inputs_[i] : is<Not>(at(i)) ? 1 : 2; }
  void take_operand(uint32_t i) {
    if (is_folded(i) || !(is_logic(i) || is_sum(i))) return;
    const uint32_t into = reader(i);
    if (into == kNoIndex || is_folded(into)) return;
    const bool same =
        (is_logic(i) && is_logic(into) && bits(at(i).type) == bits(at(into).type)) || (is_sum(i) && is_sum(into));
    const uint32_t all = inputs(i) + inputs(into) - 1;
    if (!same || all > kMostInputs) return;
    inputs_[into] = all;
    if (is_sum(into)) become(into, "iadd3", NativeRule::Recipe);
    fold(i, into, NativeRule::OperandOfReader);
  }

  // --- A comparison takes a predicate with it.
  void take_comparison(uint32_t i) {
    if (is_folded(i) || !is<Setp>(at(i)) || operands(i)[1].kind == Operand::Kind::Register) return;
    const uint32_t into = reader(i);
    if (into == kNoIndex || is_folded(into) || at(into).type != Type::Pred) return;
    if (!is<And, Or, Xor>(at(into)) || inputs_[into] != 0) return;
    inputs_[into] = kMostInputs;
    become(into, out_[i].steps, NativeRule::Recipe);
    fold(i, into, NativeRule::OperandOfReader);
  }

  // --- Lanes that part meet again where a barrier register says so.
  void converge(uint32_t i) {
    const Instruction& in = at(i);
    if (effect_of(in) != Effect::Branch || in.guard == kNoIndex || !varies_[in.guard]) return;
    const uint32_t target = operands(i)[0].index;
    const bool meets = in.reconvergence != kNoIndex && in.reconvergence < size() && !ends(in.reconvergence);
    if (target <= i || !meets || is_short(i, in.reconvergence) || leaves_loop(i, target)) return;
    become(i, capability_ < kDescriptors ? "bmov bssy +bra +bsync" : "bssy +bra +bsync", NativeRule::Recipe);
  }
  /// Those that leave a loop wait at a barrier register that was set before it.
  bool leaves_loop(uint32_t i, uint32_t target) const {
    for (uint32_t back = i + 1; back < target && back < size(); ++back)
      if (effect_of(at(back)) == Effect::Branch && operands(back)[0].index <= i) return true;
    return false;
  }
  bool ends(uint32_t i) const { return info(effect_of(at(i))).flow == Flow::EndsThread; }
  /// So few instructions that each gets the predicate instead.
  bool is_short(uint32_t from, uint32_t to) const {
    constexpr uint32_t kPredicated = 8;
    uint32_t count = 0;
    for (uint32_t i = from + 1; i < to && i < size(); ++i) {
      count += out_[i].slots();
      if (branches(effect_of(at(i))) || effect_of(at(i)) == Effect::Barrier || count > kPredicated) return false;
    }
    return true;
  }

  // --- The uniform datapath computes integers that are the same for all lanes.
  void make_uniform(uint32_t i) {
    if (capability_ < kUniformDatapath || effect_of(at(i)) != Effect::None || is_folded(i)) return;
    bool varies = at(i).guard != kNoIndex;
    for_each_register(kernel_, at(i), [&](uint32_t reg, bool) { varies |= varies_[reg]; });
    LaterInstruction& own = out_[i];
    const uint32_t integer = own.of(NativePipe::Product) + own.of(NativePipe::Alu) + own.of(NativePipe::Either);
    if (varies || integer != own.slots()) return;
    const auto uniform = static_cast<size_t>(NativePipe::Uniform);
    for (NativePipe pipe : {NativePipe::Product, NativePipe::Alu, NativePipe::Either}) {
      const auto from = static_cast<size_t>(pipe);
      own.count[uniform] = static_cast<uint16_t>(own.count[uniform] + std::exchange(own.count[from], 0));
      own.chain[uniform] = static_cast<uint16_t>(own.chain[uniform] + std::exchange(own.chain[from], 0));
    }
    own.wide = own.wide_in_chain = 0;
  }

  /// A kernel begins with its stack pointer, the descriptor of global memory, and the address of its shared memory.
  void begin() {
    if (!kernel_.is_entry) return;
    auto any = [&](auto&& is) { return std::any_of(kernel_.instructions.begin(), kernel_.instructions.end(), is); };
    const bool global = any([](const Instruction& in) {
      return info(effect_of(in)).memory == MemoryUse::LaneAddresses &&
             (in.space == Space::Global || in.space == Space::Generic || in.space == Space::None);
    });
    const bool shared = any([&](const Instruction& in) {
      const auto list = kernel_.operands_of(in);
      return is<Mov>(in) && list[1].kind == Operand::Kind::SymbolAddress && list[1].scope == Operand::Scope::Kernel &&
             kernel_.symbols[list[1].index].space == Space::Shared;
    });
    const auto first =
        std::find_if(out_.begin(), out_.end(), [](const LaterInstruction& own) { return own.slots() != 0; });
    if (first == out_.end()) return;
    const uint32_t address = capability_ < kClusterAddresses ? 0 : 3, descriptor = capability_ < kDescriptors ? 0 : 1;
    first->at(NativePipe::Uniform) =
        static_cast<uint16_t>(first->of(NativePipe::Uniform) + 1 + (global ? descriptor : 0) + (shared ? address : 0));
    first->rule = NativeRule::Prologue;
  }

  /// What either integer pipe can do goes to the one that has less work in its block.
  void balance() {
    for (const BasicBlock& block : kernel_.blocks) balance(block.begin, block.end);
    for (LaterInstruction& own : out_) move(own, NativePipe::Alu, own.at(NativePipe::Either));  // of no block
  }
  void balance(uint32_t begin, uint32_t end) {
    uint32_t products = 0, alu = 0;
    for (uint32_t i = begin; i < end; ++i) {
      products += out_[i].of(NativePipe::Product) + out_[i].wide;
      alu += out_[i].of(NativePipe::Alu);
    }
    for (uint32_t i = begin; i < end; ++i) {
      LaterInstruction& own = out_[i];
      while (own.of(NativePipe::Either) != 0) {
        const bool to_products = products < alu;
        ++(to_products ? products : alu);
        move(own, to_products ? NativePipe::Product : NativePipe::Alu, 1);
      }
    }
  }
  static void move(LaterInstruction& own, NativePipe to, uint16_t count) {
    auto either = static_cast<size_t>(NativePipe::Either), there = static_cast<size_t>(to);
    own.count[either] = static_cast<uint16_t>(own.count[either] - count);
    own.count[there] = static_cast<uint16_t>(own.count[there] + count);
    const uint16_t chained = std::min(count, own.chain[either]);
    own.chain[either] = static_cast<uint16_t>(own.chain[either] - chained);
    own.chain[there] = static_cast<uint16_t>(own.chain[there] + chained);
  }

  const Kernel& kernel_;
  uint32_t capability_;
  RegisterFacts facts_;
  std::vector<bool> narrow_;
  Origins origins_;
  std::vector<bool> varies_;
  std::vector<uint32_t> inputs_;   // of a sum or logic operation with what is folded into it; 0: its own
  ConstantOperands constants_;     // empty where constants are loaded
  std::vector<uint64_t> factors_;  // constant factors in registers
  LaterCode out_;
};

}  // namespace

LaterCode find_later_code(const Kernel& kernel, uint32_t capability) { return LaterSelector(kernel, capability).run(); }

}  // namespace warptime::ptx
