// Instantiates a card's lane code as handlers of its half-precision forms, for one host instruction set. Included only
// by *.isa.cc files.
//
// Lanes are widened to f32, the card's lane code for f32 runs (or its `halves`), and the result is rounded to the type
// once (ptx/isa/half_lanes.h says why that is exact). A row of .f16x2 or .bf16x2 registers is a row of 64 numbers.
#pragma once

#include "ptx/isa/half_lanes.h"
#include "sim/exec/lane_code.h"

namespace warptime::sim::inline WARPTIME_ISA {

/// The suffix words that the lane code itself sees; half_operand and half_result do what the others say.
constexpr ModSet inner_mods(ModSet m) {
  return m.without(ptx::mods(Mod::Ftz, Mod::Sat, Mod::Relu, Mod::Oob, Mod::Satfinite));
}

/// Numbers of type F, `kHalves` in each lane, into a row of the same type.
template <class Card, ModSet M, ptx::Type F, uint32_t kHalves, size_t kSources>
struct HalfValues {
  static constexpr size_t N = ptx::kNativeBytes / 8;
  using U = Vec<uint32_t, N>;
  using V = Vec<float, N>;

  static void run(const WarpValues& warp, const Insn& insn, uint32_t mask) {
    Output<2 * kHalves> output(warp, insn, mask);
    std::byte* out = output.bytes();
    std::array<const std::byte*, kSources> in;
    for (size_t i = 0; i < kSources; ++i) in[i] = insn.src[i].in(warp);
    for (size_t at = 0; at < kWarpSize * kHalves; at += N) run_at(in, out, at, std::make_index_sequence<kSources>{});
    output.done();
  }

 private:
  template <size_t... I>
  static void run_at(const std::array<const std::byte*, kSources>& in, std::byte* out, size_t at,
                     std::index_sequence<I...>) {
    const U bits[] = {ptx::to<uint32_t>(ptx::load<Vec<uint16_t, N>>(in[I] + 2 * at))...};
    U result = result_of(ptx::half_operand<F, M>(ptx::widened<F>(bits[I]))...);
    if constexpr (M.has(Mod::Oob)) result = ptx::select(is_outside(bits[0]) | is_outside(bits[1]), U{}, result);
    ptx::store(out + 2 * at, ptx::to<uint16_t>(result));
  }
  /// The NaN that stands for a tensor's element out of bounds (recorded on an H100: of 65,536 patterns these two).
  static auto is_outside(U bits) { return ptx::mask_of<U>((bits & ptx::splat<U>(0x7fff)) == ptx::splat<U>(0x7ff7)); }
  template <class... Vs>
  static U result_of(Vs... v) {
    if constexpr (requires { Card::template halves<inner_mods(M)>(v...); })
      return ptx::half_result<F, M>(Card::template halves<inner_mods(M)>(v...));
    else return ptx::half_result<F, M>(Card::template lanes<inner_mods(M), V>(v...));
  }
};

/// What a comparison of half-precision numbers gives in all 32 lanes; `upper`: of the upper ones of each lane.
struct HalfMasks {
  uint32_t lower = 0, upper = 0;
};
template <ModSet M, ptx::Type F, uint32_t kHalves>
[[gnu::noinline]] HalfMasks compare_halves(const WarpValues& warp, const Insn& insn) {
  constexpr size_t N = ptx::kNativeBytes / 4;
  using V = Vec<float, N>;
  HalfMasks out;
  const std::byte *a = insn.src[0].in(warp), *b = insn.src[1].in(warp);
  for (size_t lane = 0; lane < kWarpSize; lane += N) {
    auto word = [lane](const std::byte* row) {
      using T = typename ptx::UintOf<2 * kHalves>::type;
      return ptx::to<uint32_t>(ptx::load<Vec<T, N>>(row + lane * sizeof(T)));
    };
    auto x = word(a), y = word(b), low = ptx::splat<decltype(x)>(0xffff);
    auto number = [](auto bits) { return ptx::half_operand<F, M>(ptx::widened<F>(bits)); };
    constexpr ModSet kInner = inner_mods(M);
    out.lower |= ptx::collect(ptx::compare<kInner, V>(number(x & low), number(y & low))) << lane;
    if constexpr (kHalves == 2)
      out.upper |= ptx::collect(ptx::compare<kInner, V>(number(x >> 16), number(y >> 16))) << lane;
  }
  return out;
}

template <ModSet M, ptx::Type F, uint32_t kHalves>
struct HalfComparison {
  static HalfMasks masks(const WarpValues& warp, const Insn& insn) {
    HalfMasks is = compare_halves<M, F, kHalves>(warp, insn);
    return {combined_masks(warp, insn, is.lower), combined_masks(warp, insn, is.upper)};
  }
  static void run(const WarpValues& warp, const Insn& insn, uint32_t mask) {
    HalfMasks is = masks(warp, insn);
    write_mask(warp, insn.dst, mask, is.lower);
    write_mask(warp, insn.dst2, mask, is.upper);
  }
  /// set: D is a lane of the destination; kOne stands for true in it, or in each half of it.
  template <class D, uint32_t kOne>
  static void run_set(const WarpValues& warp, const Insn& insn, uint32_t mask) {
    HalfMasks is = masks(warp, insn);
    Output<sizeof(D)> output(warp, insn, mask);
    std::byte* out = output.bytes();
    for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
      uint32_t value = (is.lower >> lane & 1) * kOne;
      if constexpr (kHalves == 2) value |= (is.upper >> lane & 1) * (kOne << 16);
      auto narrow = static_cast<D>(value);
      std::memcpy(out + lane * sizeof(D), &narrow, sizeof(D));
    }
    output.done();
  }
};

/// What `set` writes for true into a register, or into each half of one, of a type.
constexpr uint32_t true_of(ptx::Type type, uint32_t halves) {
  if (ptx::is_half(type)) return ptx::half_one(type);
  return halves == 2 || ptx::bits(type) == 16 ? 0xffffu : 0xffffffffu;
}

/// The handler of one variant of a half-precision form.
template <class Card, size_t form, Variant v>
constexpr Handler half_handler_of() {
  constexpr OperandTypes types = operand_types(operands_of(Card::card, Card::forms[form]), v.type, v.type2);
  constexpr ptx::Type source = types.sources[0], element = ptx::half_element(source);
  constexpr uint32_t kHalves = ptx::bits(source) / 16;
  if constexpr (requires { Card::combines; }) {
    using Compare = HalfComparison<v.mods, element, kHalves>;
    if constexpr (types.destination == ptx::Type::Pred) return Compare::run;
    else
      return Compare::template run_set<typename ptx::UintOf<ptx::bytes(types.destination)>::type,
                                       true_of(types.destination, kHalves)>;
  } else {
    return HalfValues<Card, v.mods, element, kHalves, types.count>::run;
  }
}

template <class Card, size_t form, size_t... I>
void add_half_form(HandlerTable& table, ptx::CardId id, std::index_sequence<I...>) {
  constexpr auto& list = kVariants<Card, form>;
  (table.add({id, static_cast<uint8_t>(form), list[I].type, list[I].type2, list[I].mods},
             half_handler_of<Card, form, list[I]>()),
   ...);
}
template <class Card, size_t form>
void add_half_form(HandlerTable& table) {
  if constexpr (ptx::computes_halves(Card::forms[form])) {
    add_half_form<Card, form>(table, ptx::kCardId<Card>, std::make_index_sequence<kVariants<Card, form>.size()>{});
  }
}
template <class Card, size_t... F>
void add_half_forms(HandlerTable& table, std::index_sequence<F...>) {
  (add_half_form<Card, F>(table), ...);
}
/// Adds the half-precision forms of a chapter's cards.
template <class... Cards>
void add_half_cards(HandlerTable& table, ptx::CardList<Cards...>) {
  (add_half_forms<Cards>(table, std::make_index_sequence<Cards::forms.size()>{}), ...);
}

}  // namespace warptime::sim::inline WARPTIME_ISA
