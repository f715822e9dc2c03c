#include "sim/native/counted_loops.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>

#include "ptx/analysis/register_uses.h"
#include "ptx/isa/cards.h"
#include "ptx/native/warp_uniform.h"
#include "sim/exec/carry_handlers.h"

namespace warptime::sim {

using ptx::Effect, ptx::Instruction, ptx::Kernel, ptx::kNoIndex, ptx::Mod, ptx::Operand, ptx::Space, ptx::Type;

namespace {

// What the instructions of a loop may cost together, without its step, its test and its branch (docs/native-cost.md).
constexpr uint32_t kMostCost = 18;                            // without a load
constexpr uint32_t kMostCostFar = 46;                         // with one from global or local memory
constexpr uint32_t kMoreForShared = 5, kMostWithShared = 96;  // for each load from shared memory, and with them
constexpr int64_t kLargestStep = 1 << 24;                     // of those tried; four of them are far from 2^31

Effect effect_in_loop(const Instruction& in) { return ptx::effect_of(*in.card->card, *in.form); }
bool has_fraction(Type type) { return type != Type::None && ptx::info(type).kind == ptx::TypeKind::Float; }
bool is_counter(Type type) {
  return type != Type::None && !has_fraction(type) && (bits(type) == 32 || bits(type) == 64);
}

/// Cost of an instruction of a loop, as ptxas was seen to count it; nullopt: a loop with it is never unrolled.
std::optional<uint32_t> own_cost(const Kernel& kernel, const Instruction& in) {
  const Effect effect = effect_in_loop(in);
  // Sums and the like that a warp may make one of, by a loop over its lanes.
  if (effect == Effect::Atomic)
    return has_fraction(in.type) || in.mods.has(Mod::Cas) || in.mods.has(Mod::Exch) ? 1 : 10;
  if (ptx::accesses(effect) && effect != Effect::AsyncCopy) {
    uint32_t cost = 1;
    for (const Operand& operand : kernel.operands_of(in)) {
      if (operand.kind != Operand::Kind::Memory) continue;
      if (operand.base == Operand::Base::Register && operand.bits != 0) ++cost;
      if (operand.base == Operand::Base::Symbol && in.space == Space::Shared) cost += 4;  // where the block has it
    }
    return cost;
  }
  if (effect == Effect::Nop) return 0;
  const bool known = effect == Effect::None || effect == Effect::Collective || effect == Effect::Matrix ||
                     effect == Effect::Barrier || effect == Effect::Texture;
  if (!known) return std::nullopt;
  if (ptx::is<ptx::Mov, ptx::Cvta>(in)) {
    const auto operands = kernel.operands_of(in);
    return operands.size() > 1 && operands[1].kind == Operand::Kind::Special ? 1 : 0;
  }
  if (ptx::is<ptx::Mad>(in) && in.mods.has(Mod::Wide)) return 4;
  if (ptx::is<ptx::Div, ptx::Rem>(in) && !has_fraction(in.type)) {
    if (bits(in.type) == 64) return std::nullopt;  // a call
    return kMostCost;
  }
  // Without a modifier for approximation f32 calls a function for extreme values, as f64 does.
  const bool approximates = in.mods.has(Mod::Approx) || in.mods.has(Mod::Full);
  if (ptx::is<ptx::Div, ptx::Sqrt, ptx::Rcp>(in) && !approximates) return std::nullopt;
  if (ptx::is<ptx::Div>(in) && in.mods.has(Mod::Full)) return 12;
  if (in.type != Type::F32 || in.mods.has(Mod::Ftz)) return 1;
  if (ptx::is<ptx::Div, ptx::Rcp>(in)) return 7;
  if (ptx::is<ptx::Sqrt, ptx::Rsqrt, ptx::Ex2, ptx::Lg2>(in)) return 6;
  return 1;
}

/// Lanes execute it together: where they leave the loop at different times, ptxas keeps it.
bool meets_lanes(const Instruction& in) {
  const Effect effect = effect_in_loop(in);
  const bool collective = effect == Effect::Collective && !reads_carry(in) && !writes_carry(in);
  return collective || effect == Effect::Matrix || ptx::is<ptx::Bar, ptx::BarrierCard>(in);
}

class LoopFinder {
 public:
  explicit LoopFinder(const Kernel& kernel) : kernel_(kernel) {}

  std::vector<CountedLoop> run() {
    std::vector<CountedLoop> out;
    for (uint32_t b = 0; b < kernel_.blocks.size(); ++b)
      if (auto loop = loop_of(b)) out.push_back(*loop);
    return out;
  }

 private:
  const Instruction& at(uint32_t i) const { return kernel_.instructions[i]; }

  std::optional<CountedLoop> loop_of(uint32_t b) {
    const ptx::BasicBlock& block = kernel_.blocks[b];
    const uint32_t back = block.end - 1;
    const Instruction& branch = at(back);
    if (effect_in_loop(branch) != Effect::Branch || branch.guard == kNoIndex || branch.guard_negated)
      return std::nullopt;
    if (kernel_.operands_of(branch)[0].index != block.begin || at(block.begin).begins_rolled_loop) return std::nullopt;
    CountedLoop loop;
    loop.block = b;
    if (!find_test(block, branch.guard, loop) || !find_step(block, loop) || !reaches_bound(loop)) return std::nullopt;
    return is_worth_it(block, loop) ? std::optional(loop) : std::nullopt;
  }

  /// The one instruction of the block that writes the register; kNoIndex: there is none, or there are several.
  uint32_t only_write(const ptx::BasicBlock& block, uint32_t reg) const {
    uint32_t found = kNoIndex, count = 0;
    for (uint32_t i = block.begin; i < block.end; ++i)
      ptx::for_each_register(kernel_, at(i), [&](uint32_t r, bool written) {
        if (!written || r != reg) return;
        found = i;
        ++count;
      });
    return count == 1 ? found : kNoIndex;
  }
  bool is_read_within(const ptx::BasicBlock& block, uint32_t reg) const {
    bool read = false;
    for (uint32_t i = block.begin; i + 1 < block.end; ++i)
      ptx::for_each_register(kernel_, at(i), [&](uint32_t r, bool written) { read |= r == reg && !written; });
    return read;
  }
  bool is_of_module(uint32_t reg) const { return kernel_.registers[reg].module_register != 0; }

  /// The comparison of two numbers that alone says whether the loop goes on.
  bool find_test(const ptx::BasicBlock& block, uint32_t guard, CountedLoop& loop) const {
    loop.test_at = only_write(block, guard);
    if (loop.test_at == kNoIndex || is_read_within(block, guard) || is_of_module(guard)) return false;
    const Instruction& test = at(loop.test_at);
    if (!ptx::is<ptx::Setp>(test) || test.guard != kNoIndex || !is_counter(test.type)) return false;
    const auto operands = kernel_.operands_of(test);
    return operands.size() == 4 && operands[0].kind == Operand::Kind::Register &&
           operands[1].kind == Operand::Kind::None;
  }

  bool find_step(const ptx::BasicBlock& block, CountedLoop& loop) const {
    const auto operands = kernel_.operands_of(at(loop.test_at));
    for (uint8_t o : {uint8_t{2}, uint8_t{3}}) {
      const Operand &counter = operands[o], &bound = operands[o == 2 ? 3 : 2];
      if (counter.kind != Operand::Kind::Register || counter.negated) continue;
      const uint32_t step = only_write(block, counter.index);
      if (step == kNoIndex || step > loop.test_at || is_of_module(counter.index)) continue;
      const int64_t by = constant_step(kernel_, at(step));
      if (by == 0 || by > kLargestStep || by < -kLargestStep) continue;
      if (bits(at(step).type) != bits(at(loop.test_at).type)) continue;
      const bool is_fixed = bound.kind == Operand::Kind::Immediate ||
                            (bound.kind == Operand::Kind::Register && !bound.negated && !writes(block, bound.index));
      if (!is_fixed) continue;
      loop.step_at = step;
      loop.counter = counter.index;
      loop.counter_operand = o;
      loop.step = by;
      return true;
    }
    return false;
  }
  bool writes(const ptx::BasicBlock& block, uint32_t reg) const {
    bool found = false;
    for (uint32_t i = block.begin; i < block.end; ++i)
      ptx::for_each_register(kernel_, at(i), [&](uint32_t r, bool written) { found |= written && r == reg; });
    return found;
  }

  /// Whether the step leads to where the comparison fails.
  bool reaches_bound(const CountedLoop& loop) const {
    const ptx::ModSet& mods = at(loop.test_at).mods;
    if (mods.has(Mod::Ne)) return true;
    auto any = [&](std::initializer_list<Mod> list) {
      return std::any_of(list.begin(), list.end(), [&](Mod mod) { return mods.has(mod); });
    };
    const bool less = any({Mod::Lt, Mod::Le, Mod::Lo_, Mod::Ls}), more = any({Mod::Gt, Mod::Ge, Mod::Hi_, Mod::Hs});
    const bool up = loop.counter_operand == 2 ? less : more, down = loop.counter_operand == 2 ? more : less;
    return loop.step > 0 ? up : down;
  }

  /// What the instructions of a loop say about it together.
  struct Sum {
    uint32_t cost = 0, shared_loads = 0;
    bool meets = false;                                   // lanes execute some together
    bool loads_far = false;                               // from global or local memory
    bool loads = false, stores = false, indexes = false;  // global memory; at an address that no step gives
  };

  bool is_worth_it(const ptx::BasicBlock& block, const CountedLoop& loop) {
    Sum sum;
    for (uint32_t i = block.begin; i + 1 < block.end; ++i)
      if (i != loop.step_at && i != loop.test_at && !add(block, at(i), sum)) return false;
    const uint32_t guard = at(block.end - 1).guard;
    if (sum.meets && varies(guard, true)) return false;
    if (sum.loads && sum.stores && sum.indexes && varies(guard, false)) return false;
    const uint32_t most = std::min(kMostCost + kMoreForShared * sum.shared_loads, kMostWithShared);
    return sum.cost <= (sum.loads_far ? std::max(kMostCostFar, most) : most);
  }
  bool add(const ptx::BasicBlock& block, const Instruction& in, Sum& sum) const {
    const std::optional<uint32_t> own = own_cost(kernel_, in);
    if (!own || uses_module_register(in)) return false;
    sum.cost += *own * (in.guard == kNoIndex ? 1 : 2);
    sum.meets |= meets_lanes(in);
    const Effect effect = effect_in_loop(in);
    if (effect == Effect::Load && in.space == Space::Shared) ++sum.shared_loads;
    if (effect == Effect::Load && in.space == Space::Local) sum.loads_far = true;
    if (in.space != Space::Global && in.space != Space::Generic && in.space != Space::None) return true;
    sum.loads_far |= effect == Effect::Load;
    sum.loads |= effect == Effect::Load;
    sum.stores |= effect == Effect::Store;
    sum.indexes |= (effect == Effect::Load || effect == Effect::Store) && !is_stepped(block, in);
    return true;
  }
  /// Whether each round adds a constant to the address.
  bool is_stepped(const ptx::BasicBlock& block, const Instruction& in) const {
    const auto operands = kernel_.operands_of(in);
    return std::all_of(operands.begin(), operands.end(), [&](const Operand& operand) {
      if (operand.kind != Operand::Kind::Memory || operand.base != Operand::Base::Register) return true;
      const uint32_t write = only_write(block, operand.index);
      return write != kNoIndex && constant_step(kernel_, at(write)) != 0;
    });
  }
  bool uses_module_register(const Instruction& in) const {
    bool uses = false;
    ptx::for_each_register(kernel_, in, [&](uint32_t reg, bool) { uses |= is_of_module(reg); });
    return uses;
  }
  /// Whether lanes of a warp may have different values in the register; without `parted`, where none of them took
  /// another way there.
  bool varies(uint32_t reg, bool parted) {
    std::vector<bool>& known = varying_[parted ? 1 : 0];
    if (known.empty()) known = ptx::find_varying(kernel_, parted);
    return known[reg];
  }

  const Kernel& kernel_;
  std::array<std::vector<bool>, 2> varying_;  // empty: not known yet
};

}  // namespace

int64_t constant_step(const Kernel& kernel, const Instruction& in) {
  if (!ptx::is<ptx::Add, ptx::Sub>(in) || in.guard != kNoIndex || !in.mods.empty() || !is_counter(in.type)) return 0;
  const auto operands = kernel.operands_of(in);
  const bool fits = operands.size() == 3 && operands[0].kind == Operand::Kind::Register &&
                    operands[1].kind == Operand::Kind::Register && !operands[1].negated &&
                    operands[0].index == operands[1].index && operands[2].kind == Operand::Kind::Immediate;
  if (!fits || bits(kernel.registers[operands[0].index].type) != bits(in.type)) return 0;
  const uint32_t unused = 64 - bits(in.type);
  const auto by = static_cast<int64_t>(operands[2].bits << unused) >> unused;
  return ptx::is<ptx::Add>(in) ? by : by == INT64_MIN ? 0 : -by;
}

std::vector<CountedLoop> find_counted_loops(const Kernel& kernel) { return LoopFinder(kernel).run(); }

}  // namespace warptime::sim
