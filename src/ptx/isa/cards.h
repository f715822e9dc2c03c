// All cards: the lists at the ends of the chapters, one after the other, and a card's number. A new instruction is a
// struct in a chapter and a word in the list at its end; only a new chapter is named here.
#pragma once

#include <type_traits>

#include "ptx/isa/arithmetic.h"
#include "ptx/isa/async.h"
#include "ptx/isa/atomics.h"
#include "ptx/isa/bit_field.h"
#include "ptx/isa/carry.h"
#include "ptx/isa/comparison.h"
#include "ptx/isa/control.h"
#include "ptx/isa/conversion.h"
#include "ptx/isa/division.h"
#include "ptx/isa/logic_shift.h"
#include "ptx/isa/matrix.h"
#include "ptx/isa/movement.h"
#include "ptx/isa/sign_min_max.h"
#include "ptx/isa/special_functions.h"
#include "ptx/isa/texture.h"
#include "ptx/isa/video.h"
#include "ptx/isa/warp.h"
#include "ptx/isa/wgmma.h"
#include "ptx/isa/wmma.h"

namespace warptime::ptx::inline WARPTIME_ISA {

template <class... A, class... B>
CardList<A..., B...> operator+(CardList<A...>, CardList<B...>);

using AllCards = decltype(ArithmeticCards{} + AsyncCards{} + AtomicCards{} + BitFieldCards{} + CarryCards{} +
                          ComparisonCards{} + ControlCards{} + ConversionCards{} + DivisionCards{} + LogicShiftCards{} +
                          MatrixCards{} + MovementCards{} + SignMinMaxCards{} + SpecialFunctionCards{} +
                          TextureCards{} + VideoCards{} + WarpCards{} + WgmmaCards{} + WmmaCards{});

template <class Card, class... Cards>
constexpr CardId card_id(CardList<Cards...>) {
  static_assert((std::is_same_v<Card, Cards> || ...), "the card is in no chapter's list");
  return static_cast<CardId>(((Cards::card.name < Card::card.name ? 1 : 0) + ...));
}
/// How many cards come before this one by name: its row in cards().
template <class Card>
inline constexpr CardId kCardId = card_id<Card>(AllCards{});

/// Whether an instruction is one of this card's, or of one of these.
template <class... Cards, class Instruction>
constexpr bool is(const Instruction& instruction) {
  return ((instruction.card->id == kCardId<Cards>) || ...);
}

}  // namespace warptime::ptx::inline WARPTIME_ISA
