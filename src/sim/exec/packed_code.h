// Instantiates a card's lane code as handlers of its forms on two numbers in a register, for one host instruction set.
// A row of .u16x2 or .s16x2 registers is a row of 64 numbers of 16 bits, one of .f32x2 a row of 64 f32. Included only
// by
// *.isa.cc files.
#pragma once

#include "sim/exec/lane_code.h"

namespace warptime::sim::inline WARPTIME_ISA {

template <class Card, ModSet M, class T, size_t kSources>
struct PackedValues {
  static constexpr size_t N = kChunk<most({sizeof(T), inner_bytes<Card, M, T>()}), sizeof(T)>;

  static void run(const WarpValues& warp, const Insn& insn, uint32_t mask) {
    run_with(warp, insn, mask, std::make_index_sequence<kSources>{});
  }

 private:
  template <size_t... I>
  static void run_with(const WarpValues& warp, const Insn& insn, uint32_t mask, std::index_sequence<I...>) {
    using V = Vec<T, N>;
    Output<2 * sizeof(T)> output(warp, insn, mask);
    std::byte* out = output.bytes();
    for (size_t at = 0; at < 2 * kWarpSize; at += N)
      ptx::store(out + at * sizeof(T),
                 Card::template lanes<M, V>(ptx::load<V>(insn.src[I].in(warp) + at * sizeof(T))...));
    output.done();
  }
};

/// Integers whose sign does not matter are unsigned.
template <class Card, Variant v>
constexpr bool kIsExact = [] {
  if constexpr (requires { Card::kind(v.mods); }) return Card::kind(v.mods) == ptx::LaneKind::Exact;
  else return true;
}();
template <ptx::Type type, bool kExact>
using PackedLane = std::conditional_t<type == ptx::Type::F32x2, float,
                                      std::conditional_t<type == ptx::Type::S16x2 && kExact, int16_t, uint16_t>>;

template <class Card, size_t form, size_t... I>
void add_packed_form(HandlerTable& table, std::index_sequence<I...>) {
  constexpr auto& list = kVariants<Card, form>;
  constexpr size_t kSources = operand_types(operands_of(Card::card, Card::forms[form]), list[0].type, {}).count;
  (table.add({ptx::kCardId<Card>, static_cast<uint8_t>(form), list[I].type, list[I].type2, list[I].mods},
             PackedValues<Card, list[I].mods, PackedLane<list[I].type, kIsExact<Card, list[I]>>, kSources>::run),
   ...);
}
template <class Card, size_t form>
void add_packed_form(HandlerTable& table) {
  if constexpr (ptx::computes_packed(Card::forms[form]))
    add_packed_form<Card, form>(table, std::make_index_sequence<kVariants<Card, form>.size()>{});
}
template <class Card, size_t... F>
void add_packed_forms(HandlerTable& table, std::index_sequence<F...>) {
  (add_packed_form<Card, F>(table), ...);
}
/// Adds such forms of a chapter's cards.
template <class... Cards>
void add_packed_cards(HandlerTable& table, ptx::CardList<Cards...>) {
  (add_packed_forms<Cards>(table, std::make_index_sequence<Cards::forms.size()>{}), ...);
}

}  // namespace warptime::sim::inline WARPTIME_ISA
