#include "sim/native/wide_loads.h"

#include <algorithm>
#include <map>

#include "ptx/analysis/register_uses.h"
#include "ptx/isa/cards.h"
#include "sim/native/known_alignment.h"
#include "sim/native/memory_conflicts.h"

namespace warptime::sim {

using ptx::Effect, ptx::Mod, ptx::Operand, ptx::Space;

namespace {

class WideLoads {
 public:
  WideLoads(const ptx::Module& module, ptx::Kernel& kernel)
      : module_(module), kernel_(kernel), zeros_(find_known_zeros(module, kernel)) {}

  void run() {
    for (const ptx::BasicBlock& block : kernel_.blocks)
      for (uint32_t i = block.begin; i < block.end; ++i)
        if (is_candidate(i)) widen(i, block.end);
  }

 private:
  const ptx::Instruction& at(uint32_t i) const { return kernel_.instructions[i]; }
  const Operand& place(uint32_t i) const { return kernel_.operands_of(at(i))[1]; }
  uint32_t result(uint32_t i) const { return kernel_.operands_of(at(i))[0].index; }
  uint32_t bytes(uint32_t i) const { return ptx::bytes(at(i).type); }

  bool is_candidate(uint32_t i) const {
    const ptx::Instruction& in = at(i);
    return ptx::is<ptx::Ld>(in) && in.space == Space::Shared && in.vector == 1 && in.guard == ptx::kNoIndex &&
           (bytes(i) == 4 || bytes(i) == 8) && !is_fixed(kernel_, in) &&
           kernel_.operands_of(in)[0].kind == Operand::Kind::Register && place(i).base != Operand::Base::None;
  }
  bool is_like(uint32_t i, uint32_t j) const {
    const Operand &a = place(i), &b = place(j);
    return at(i).type == at(j).type && at(i).form == at(j).form && at(i).mods == at(j).mods && a.base == b.base &&
           a.scope == b.scope && a.index == b.index;
  }

  /// Joins those loads behind `first` that could as well happen there.
  void widen(uint32_t first, uint32_t end) {
    std::map<uint64_t, uint32_t> by_offset{{place(first).bits, first}};
    std::vector<uint32_t> stores;  // behind it
    for (uint32_t i = first + 1; i < end && !is_fixed(kernel_, at(i)); ++i) {
      if (is_candidate(i) && is_like(first, i) && moves_up(first, i) && is_free_of(stores, i))
        by_offset.try_emplace(place(i).bits, i);
      if (changes_base(first, i)) break;
      const Effect effect = effect_of(*at(i).card->card, *at(i).form);
      if (effect == Effect::Store || effect == Effect::Atomic) stores.push_back(i);
    }
    for (uint32_t width : {16u, 8u})
      if (width > bytes(first) && is_aligned(first, width) && join(first, width, by_offset)) return;
  }
  bool is_free_of(const std::vector<uint32_t>& stores, uint32_t load) const {
    return std::none_of(stores.begin(), stores.end(),
                        [&](uint32_t store) { return may_conflict(module_, kernel_, at(store), at(load)); });
  }
  bool changes_base(uint32_t first, uint32_t i) const {
    bool changes = false;
    ptx::for_each_register(kernel_, at(i), [&](uint32_t reg, bool written) {
      changes |= written && place(first).base == Operand::Base::Register && reg == place(first).index;
    });
    return changes;
  }
  /// Whether nothing from `first` on reads or writes the result of `i` before it.
  bool moves_up(uint32_t first, uint32_t i) const {
    bool is_free = true;
    for (uint32_t between = first; between < i; ++between)
      ptx::for_each_register(kernel_, at(between), [&](uint32_t reg, bool) { is_free &= reg != result(i); });
    return is_free;
  }
  bool is_aligned(uint32_t first, uint32_t width) const {
    const Operand& from = place(first);
    if (from.base == Operand::Base::Symbol) return symbol_of(module_, kernel_, from).offset % width == 0;
    return (uint64_t{1} << zeros_[from.index]) % width == 0;
  }

  bool join(uint32_t first, uint32_t width, const std::map<uint64_t, uint32_t>& by_offset) {
    const uint32_t count = width / bytes(first);
    const uint64_t low = place(first).bits / width * width;
    std::vector<uint32_t> loads;
    for (uint32_t i = 0; i < count; ++i) {
      const auto found = by_offset.find(low + uint64_t{i} * bytes(first));
      if (found == by_offset.end()) return false;
      loads.push_back(found->second);
    }
    std::vector<Operand> results;
    for (uint32_t load : loads) results.push_back(kernel_.operands_of(at(load))[0]);
    Operand list;
    list.kind = Operand::Kind::Vector;
    list.destination = true;
    list.type = at(first).type;
    list.count = static_cast<uint8_t>(count);
    list.index = append(results);
    Operand address = place(first);
    address.bits = low;
    ptx::Instruction& in = kernel_.instructions[first];
    in.first_operand = append({list, address});
    in.operand_count = 2;
    in.vector = static_cast<uint8_t>(count);
    in.mods = in.mods | ptx::ModSet::of(count == 4 ? Mod::V4 : Mod::V2);
    for (uint32_t load : loads)
      if (load != first) drop(kernel_.instructions[load]);
    return true;
  }
  uint32_t append(const std::vector<Operand>& operands) {
    const auto index = static_cast<uint32_t>(kernel_.operands.size());
    kernel_.operands.insert(kernel_.operands.end(), operands.begin(), operands.end());
    return index;
  }
  /// Into one that does nothing (memory_conflicts.h).
  static void drop(ptx::Instruction& in) {
    in.operand_count = 0;
    in.card = &ptx::cards()[ptx::kCardId<ptx::Pmevent>];
    in.form = in.card->forms.data();
    in.mods = {};
    in.type = ptx::Type::None;
    in.space = Space::None;
  }

  const ptx::Module& module_;
  ptx::Kernel& kernel_;
  std::vector<uint8_t> zeros_;
};

}  // namespace

void widen_loads(const ptx::Module& module, ptx::Kernel& kernel) { WideLoads(module, kernel).run(); }

}  // namespace warptime::sim
