// What an instruction card says. One struct per mnemonic in the headers of this folder (one header a chapter of the PTX
// manual); `cards.h` lists them all and the compiler turns the list into one table. The parser, the checker, `warptime
// list instructions`, the decoder and the golden-vector test all read that table and nothing else.
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

#include "ptx/isa/types.h"

namespace warptime::ptx {

inline constexpr uint32_t kBarriers = 16;     // of a block, PTX ISA 9.7.13.1
inline constexpr uint32_t kWarpThreads = 32;  // WARP_SZ

/// The pipe that executes an instruction.
enum class Unit : uint8_t {
  Sp,       // streaming processors: integer, f32, logic, moves
  Sfu,      // special functions
  Dp,       // double precision
  Memory,   // the load/store unit
  Control,  // branches, barriers, exit: the warp scheduler alone
};

// Result latency classes; the machine file gives each its cycles under the same name (`latency:`).
//        enumerator  key           what it covers
#define PTX_LATENCIES(X)                                                                      \
  X(IntAlu, int_alu, "integer add, logic, shift, compare, select, move")                      \
  X(IntMul, int_mul, "32-bit integer multiply and multiply-add (lo)")                         \
  X(IntMul24, int_mul24, "16-bit and 24-bit multiply and multiply-add")                       \
  X(IntMulHi, int_mul_hi, "high half of a 32-bit product and 64-bit products")                \
  X(IntDiv, int_div, "integer divide and remainder")                                          \
  X(FloatAlu, float_alu, "f32 add, multiply, compare, min, max")                              \
  X(FloatMad, float_mad, "f32 multiply-add and fused multiply-add")                           \
  X(FloatDiv, float_div, "f32 divide")                                                        \
  X(Convert, convert, "conversion between types")                                             \
  X(Special, special, "reciprocal, reciprocal square root, logarithm")                        \
  X(SpecialRange, special_range, "sine, cosine, exponential, square root (two native steps)") \
  X(Double, double_alu, "f64 arithmetic, comparison and conversion")                          \
  X(DoubleDiv, double_div, "f64 divide, reciprocal and square root")                          \
  X(Branch, branch, "branch, call, return: until the next instruction of the warp may issue") \
  X(Memory, memory, "loads and atomics: the memory system says when, this class has no number")

enum class Latency : uint8_t {
#define X(name, key, what) name,
  PTX_LATENCIES(X)
#undef X
};

/// What an instruction does besides (or instead of) computing lanes. `None` means its values are exactly `lanes`.
enum class Effect : uint8_t {
  None,
  Load,           // ld: reads memory into registers
  Store,          // st
  Atomic,         // atom, red: the memory changes where it lies
  Texture,        // tex
  Collective,     // shfl, vote, addc ...: values that take more than the lane's own operands
  Branch,         // bra
  IndexedBranch,  // brx.idx
  Call,           // call
  Barrier,        // bar.sync
  Exit,           // exit, and ret in an entry
  Return,         // ret in a device function
  Trap,           // trap, brkpt
  Fence,          // membar, fence
  Nop,            // pragma-like instructions that occupy a slot and do nothing
  Clock,          // of no card: computes lanes, and reads a special register that tells the time
  RuntimeCall,    // of no card: a call of a function that the runtime supplies (runtime_functions.h)
};

/// One position in an instruction's suffix: one word of `choices`, or none of them if optional. The words' order in the
/// PTX text follows the order of the slots; a type comes where `type_slot` says (default: after all slots).
struct Slot {
  ModSet choices;
  bool optional = false;
};
constexpr Slot opt(Mod mod) { return {ModSet::of(mod), true}; }
constexpr Slot opt(ModSet set) { return {set, true}; }
constexpr Slot one(Mod mod) { return {ModSet::of(mod), false}; }
constexpr Slot one(ModSet set) { return {set, false}; }

inline constexpr size_t kMaxSlots = 10;
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

/// First PTX ISA version that has a form, times ten, and the first target (sm_10 = 10).
struct Since {
  uint16_t ptx = 10;
  uint16_t target = 10;
};

/// `type_slot` of a form whose type comes after all slots.
inline constexpr uint8_t kTypeLast = 0xff;

/// A legal spelling: mnemonic, slots, `.type`, and for conversions and `set` a second `.type`.
struct Form {
  TypeSet types{};   // the first type word; empty: the form has no type
  TypeSet types2{};  // the second type word (source type of cvt, set, slct); empty: none
  Slots slots{};
  std::string_view operands{};  // empty: the card's
  Unit unit = Unit::Control;    // used when has_unit
  bool has_unit = false;
  Latency latency = Latency::IntAlu;  // used when has_latency
  bool has_latency = false;
  uint8_t type_slot = kTypeLast;  // how many slots come before the type
  Effect effect = Effect::None;   // used when has_effect
  bool has_effect = false;
  uint8_t flops = 0;  // floating-point operations a lane
  Since since{};
  std::string_view feature{};  // name in the machine's `features:` list that this form needs; empty: none

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
  constexpr Form from(uint16_t ptx, uint16_t target) const {
    Form f = *this;
    f.since = {ptx, target};
    return f;
  }
  constexpr Form typed(TypeSet first, TypeSet second) const {
    Form f = *this;
    f.types = first;
    f.types2 = second;
    return f;
  }
  constexpr Form needs(std::string_view f_) const {
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
///   x:imm        an integer constant;  x:address  a 32- or 64-bit address
///   x:barrier    the number of a barrier;  x:threads, x:arrivals  how many threads take part in it (u32)
///   x:coords     a texture's coordinates, in the brackets of the operand before: a register, or a brace list
///   [a]          a memory address;  v:vec  a register or, with .v2/.v4/.v8, a brace list of that many
///   x:bitsvec    a brace list whose elements have any type of the same width (mov)
///   target       a label;  targets  a list of labels (.branchtargets);  function  a function's name
///   {, x}        optional
struct Card {
  std::string_view name;
  std::string_view operands;
  Unit unit = Unit::Sp;
  Latency latency = Latency::IntAlu;
  Effect effect = Effect::None;
  std::string_view summary{};  // one line for `warptime list instructions`
  std::string_view manual{};   // section of the PTX ISA, "9.7.1.1"
};

/// A card without its C++ type: what the front end sees. Rows are sorted by name.
struct CardRow {
  const Card* card;
  std::span<const Form> forms;
};

/// All cards, sorted by name; a row's index is its CardId.
using CardId = uint16_t;
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
