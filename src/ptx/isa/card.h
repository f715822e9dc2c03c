// What an instruction card says. One struct per mnemonic in the headers of this folder (one header a chapter of the PTX
// manual, with a list of its cards at its end); `cards.h` joins the lists and the compiler turns them into one table.
// The parser, the checker, `warptime list instructions`, the decoder and the golden-vector test all read that table and
// nothing else.
//
//   /// add: d = a + b.  PTX ISA 9.7.1.1.  Integers wrap; .sat clamps to the range of s32.
//   struct Add {
//     static constexpr Card card{.name = "add", .operands = "d, a, b", .latency = Latency::IntAlu};
//     static constexpr std::array forms{
//         Form{.types = types(Type::U16, Type::U32, Type::U64, Type::S16, Type::S64)},
//         Form{.types = types(Type::S32), .slots = slots(opt(Mod::Sat))},
//         Form{.types = types(Type::F32), .slots = slots(opt(kRounding), opt(Mod::Ftz), opt(Mod::Sat)),
//              .latency = Latency::FloatAlu, .flops = 1}};
//     template <ModSet M, class V> static V lanes(V a, V b);   // V: a vector of lanes; called as lanes<M, destination>
//   };
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "ptx/isa/effect.h"
#include "ptx/isa/feature.h"
#include "ptx/isa/latency.h"
#include "ptx/isa/types.h"
#include "ptx/isa/unit.h"

namespace warptime::ptx {

inline constexpr uint32_t kBarriers = 16;     // of a block, PTX ISA 9.7.13.1
inline constexpr uint32_t kWarpThreads = 32;  // WARP_SZ

/// One position in an instruction's suffix: one word of `choices`, or none of them if optional. The words' order in the
/// PTX text follows the order of the slots; a type comes where `type_slot` says (default: after all slots).
struct Slot {
  ModSet choices;
  bool optional = false;
  constexpr bool operator==(const Slot&) const = default;
};
constexpr Slot opt(Mod mod) { return {ModSet::of(mod), true}; }
constexpr Slot opt(ModSet set) { return {set, true}; }
constexpr Slot one(Mod mod) { return {ModSet::of(mod), false}; }
constexpr Slot one(ModSet set) { return {set, false}; }

inline constexpr size_t kMaxSlots = 11;
struct Slots {
  std::array<Slot, kMaxSlots> list{};
  size_t count = 0;
};
template <class... S>
constexpr Slots slots(S... list) {
  Slots out;
  ((out.list[out.count++] = list), ...);
  return out;
}

inline constexpr ModSet kRounding = mods(Mod::Rn, Mod::Rz, Mod::Rm, Mod::Rp);
inline constexpr ModSet kIntRounding = mods(Mod::Rni, Mod::Rzi, Mod::Rmi, Mod::Rpi);

/// First PTX ISA version that has a form, times ten, and the first target (sm_10 = 10). With a variant no other target
/// has it ('a' of sm_90a), but perhaps `also` (103 of sm_103a).
struct Since {
  uint16_t ptx = 10;
  uint16_t target = 10;
  char variant = 0;
  uint16_t also = 0;
};

/// How the front end writes a form in other instructions.
enum class Rewrite : uint8_t {
  None,
  Elements,  // an atomic operation on a vector: one on each of its elements, as the manual has it
  Pair,      // values of 128 bits: pairs of 64
  Stack,     // memory of a thread that is claimed while it runs: a place in a variable
};

/// `type_slot` of a form whose type comes after all slots.
inline constexpr uint8_t kTypeLast = 0xff;

/// A legal spelling: mnemonic, slots, `.type`, and for conversions and `set` a second `.type`.
struct Form {
  TypeSet types{};   // the first type word; empty: the form has no type
  TypeSet types2{};  // the second type word (source type of cvt, set, slct); empty: none
  TypeSet types3{};  // the third and fourth, of products of matrices
  TypeSet types4{};
  Slots slots{};
  std::string_view operands{};  // empty: the card's
  Unit unit = Unit::Control;    // used when has_unit
  bool has_unit = false;
  Latency latency = Latency::IntAlu;  // used when has_latency
  bool has_latency = false;
  uint8_t type_slot = kTypeLast;  // how many slots come before the type
  Effect effect = Effect::None;   // used when has_effect
  bool has_effect = false;
  uint8_t flops = 0;  // floating-point operations per lane
  Since since{};
  Feature feature = Feature::None;  // that the machine must have
  Rewrite rewrite = Rewrite::None;

  constexpr Form in(Unit u) const {
    Form f = *this;
    f.unit = u;
    f.has_unit = true;
    return f;
  }
  constexpr Form takes(Latency l) const {
    Form f = *this;
    f.latency = l;
    f.has_latency = true;
    return f;
  }
  constexpr Form with(std::string_view spec) const {
    Form f = *this;
    f.operands = spec;
    return f;
  }
  constexpr Form counts(uint8_t n) const {
    Form f = *this;
    f.flops = n;
    return f;
  }
  constexpr Form does(Effect e) const {
    Form f = *this;
    f.effect = e;
    f.has_effect = true;
    return f;
  }
  constexpr Form type_after(uint8_t slots_before) const {
    Form f = *this;
    f.type_slot = slots_before;
    return f;
  }
  constexpr Form from(uint16_t ptx, uint16_t target, char variant = 0, uint16_t also = 0) const {
    Form f = *this;
    f.since = {ptx, target, variant, also};
    return f;
  }
  constexpr Form typed(TypeSet first, TypeSet second) const {
    Form f = *this;
    f.types = first;
    f.types2 = second;
    return f;
  }
  constexpr Form written_as(Rewrite r) const {
    Form f = *this;
    f.rewrite = r;
    return f;
  }
  /// The sets of its type words, in their order; those that it does not have are empty.
  static constexpr size_t kTypeWords = 4;
  constexpr std::array<TypeSet, kTypeWords> type_words() const { return {types, types2, types3, types4}; }
  constexpr Form needs(Feature f_) const {
    Form f = *this;
    f.feature = f_;
    return f;
  }
};

/// The part of a card that is not per form.
///
/// `operands` is the operand list in the manual's letters. Each entry is a role with an optional `:rule`:
///   d a b c      registers, immediates, symbols (d: destination) of the instruction's first type
///   x:u32        of a fixed type;  x:2  of the second type;  x:wide  twice the width;  x:pred  a predicate
///   x:bits       any type of the same width (logic, selp, mov)
///   !c:pred      a predicate that may be negated with '!'
///   d|q:pred     a second predicate destination may follow after '|'; d:bits|q:pred  d has a rule of its own
///   x:pack       a register, or a brace list of registers whose widths add up to the type (mov)
///   x:part       a register, or one of its bytes or half words (video instructions); a destination: that part of it
///   x:halves, x:bytes  a register's half words or bytes, in the order of a selector; a destination: those of a mask
///   x:register   a register of 32 bits, no constant;  -c  it may be negated
///   x:imm        an integer constant;  x:address  a 32- or 64-bit address
///   x:box        coordinates in a tensor, in the brackets of its tensor map
///   x:offsets    offsets of an im2col copy: a brace list, one for each dimension between the first and the last
///   x:places     coordinates that are integers, of a surface;  x:query  a register for what txq tells
///   x:newcount   a number of registers (setmaxnreg);  x:pair  a register of 128 bits
///   x:barrier    the number of a barrier;  x:threads, x:arrivals  how many threads take part in it (u32)
///   x:coords     a texture's coordinates, in the brackets of the operand before: a register, or a brace list
///   [a]          a memory address;  v:vec  a register or, with .v2/.v4/.v8, a brace list of that many
///   x:4f32       a brace list of so many registers of a fixed type (fragments of matrices)
///   x:nf32       registers of N columns by 64 rows, shared by 128 threads (wgmma)
///   x:sign, x:bit, x:zero  an integer constant: 1 or -1; 0 or 1; 0;  x:addend  a predicate, or 0 or 1
///   x:descriptor  64 bits that say where a matrix is;  x:metadata  a register of 32 bits;  x:groups  how many groups
///   x:bitsvec    a brace list whose elements have any type of the same width (mov)
///   target       a label;  targets  a list of labels (.branchtargets);  function  a function's name
///   {, x}        optional
struct Card {
  std::string_view name;
  std::string_view operands;
  Unit unit = Unit::Sp;
  Latency latency = Latency::IntAlu;
  Effect effect = Effect::None;
  bool truncates_on_sm_1x = false;  // .f32 without a rounding is not that of .rn there
  std::string_view summary{};       // one line for `warptime list instructions`
  std::string_view manual{};        // section of the PTX ISA, "9.7.1.1"
};

/// A card without its C++ type: what the front end sees.
using CardId = uint16_t;
struct CardRow {
  const Card* card;
  std::span<const Form> forms;
  CardId id;  // its row; of a card by its C++ type: kCardId (cards.h)
};

/// All cards, sorted by name.
std::span<const CardRow> cards();
/// The card of a mnemonic, or nullptr.
const CardRow* find_card(std::string_view name);

constexpr Unit unit_of(const Card& card, const Form& form) { return form.has_unit ? form.unit : card.unit; }
constexpr Latency latency_of(const Card& card, const Form& form) {
  return form.has_latency ? form.latency : card.latency;
}
constexpr Effect effect_of(const Card& card, const Form& form) { return form.has_effect ? form.effect : card.effect; }
constexpr std::string_view operands_of(const Card& card, const Form& form) {
  return form.operands.empty() ? card.operands : form.operands;
}

}  // namespace warptime::ptx
