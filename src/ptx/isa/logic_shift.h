// Logic and shifts. PTX ISA 9.0, sections 9.7.8 and 9.7.9.7 (prmt). The predicate forms of and, or, xor, not work on
// whole masks and have no lanes.
#pragma once

#include "ptx/isa/integer_lanes.h"

namespace warptime::ptx::inline WARPTIME_ISA {

/// A form on bits and one on predicates, whose sources may have a '!'.
inline constexpr std::array kLogicForms{Form{.types = kBits}, Form{.types = types(Type::Pred)}.with("d, !a, !b")};

struct And {
  static constexpr Card card{
      .name = "and", .operands = "d:bits, a:bits, b:bits", .summary = "bitwise and", .manual = "9.7.8.1"};
  static constexpr std::array forms = kLogicForms;
  static constexpr LaneKind kind(ModSet) { return LaneKind::Bits; }
  template <ModSet M, class V>
  static V lanes(V a, V b) {
    return a & b;
  }
};

struct Or {
  static constexpr Card card{
      .name = "or", .operands = "d:bits, a:bits, b:bits", .summary = "bitwise or", .manual = "9.7.8.2"};
  static constexpr std::array forms = kLogicForms;
  static constexpr LaneKind kind(ModSet) { return LaneKind::Bits; }
  template <ModSet M, class V>
  static V lanes(V a, V b) {
    return a | b;
  }
};

struct Xor {
  static constexpr Card card{
      .name = "xor", .operands = "d:bits, a:bits, b:bits", .summary = "bitwise exclusive or", .manual = "9.7.8.3"};
  static constexpr std::array forms = kLogicForms;
  static constexpr LaneKind kind(ModSet) { return LaneKind::Bits; }
  template <ModSet M, class V>
  static V lanes(V a, V b) {
    return a ^ b;
  }
};

struct Not {
  static constexpr Card card{
      .name = "not", .operands = "d:bits, a:bits", .summary = "bitwise complement", .manual = "9.7.8.4"};
  static constexpr std::array forms{Form{.types = kBits}, Form{.types = types(Type::Pred)}.with("d, !a")};
  static constexpr LaneKind kind(ModSet) { return LaneKind::Bits; }
  template <ModSet M, class V>
  static V lanes(V a) {
    return ~a;
  }
};

/// cnot: d = a == 0 ? 1 : 0.
struct Cnot {
  static constexpr Card card{
      .name = "cnot", .operands = "d:bits, a:bits", .summary = "logical negation", .manual = "9.7.8.5"};
  static constexpr std::array forms{Form{.types = kBits}};
  static constexpr LaneKind kind(ModSet) { return LaneKind::Bits; }
  template <ModSet M, class V>
  static V lanes(V a) {
    return select(mask_of<V>(a == V{}), splat<V>(1), V{});
  }
};

/// lop3: any function of three bits; bit (a << 2 | b << 1 | c) of the table is the result. .and, .or: also q = (d != 0)
/// combined with the predicate f.
struct Lop3 {
  static constexpr Card card{.name = "lop3",
                             .operands = "d:bits, a:bits, b:bits, c:bits, e:imm",
                             .summary = "any logic function of three operands",
                             .manual = "9.7.8.6"};
  static constexpr std::array forms{Form{.types = types(Type::B32)}.from(43, 50),
                                    Form{.types = types(Type::B32), .slots = slots(one(mods(Mod::And, Mod::Or)))}
                                        .with("d:bits|q:pred, a:bits, b:bits, c:bits, e:imm, !f:pred")
                                        .does(Effect::Collective)
                                        .from(82, 70)};
  template <ModSet M, class V>
  static V lanes(V a, V b, V c, V table) {
    // Row i of the table as a word, then chosen by c, b, a in turn.
    auto row = [table](int i) { return V{} - ((table >> i) & splat<V>(1)); };
    auto pick = [](V by, V one, V zero) { return zero ^ ((zero ^ one) & by); };
    V c0 = pick(c, row(1), row(0)), c1 = pick(c, row(3), row(2));
    V c2 = pick(c, row(5), row(4)), c3 = pick(c, row(7), row(6));
    return pick(a, pick(b, c3, c2), pick(b, c1, c0));
  }
};

/// shf: a funnel shift of b:a by c, clamped at 32 or taken modulo 32.
struct Shf {
  static constexpr Card card{
      .name = "shf", .operands = "d:bits, a:bits, b:bits, c:u32", .summary = "funnel shift", .manual = "9.7.8.7"};
  static constexpr std::array forms{Form{
      .types = types(Type::B32), .slots = slots(one(mods(Mod::Left, Mod::Right)), one(mods(Mod::Clamp, Mod::Wrap)))}
                                        .from(31, 32)};
  template <ModSet M, class T>
  static constexpr size_t widest = 8;
  template <ModSet M, class V>
  static V lanes(V a, V b, V c) {
    V count = M.has(Mod::Wrap) ? c & splat<V>(31) : select(mask_of<V>(c < splat<V>(32)), c, splat<V>(32));
    auto both = (to<uint64_t>(b) << 32) | to<uint64_t>(a);
    if constexpr (M.has(Mod::Left)) return to<uint32_t>((both << to<uint64_t>(count)) >> 32);
    return to<uint32_t>(both >> to<uint64_t>(count));
  }
};

/// shl: amounts beyond the width give zero.
struct Shl {
  static constexpr Card card{
      .name = "shl", .operands = "d:bits, a:bits, b:u32", .summary = "shift left", .manual = "9.7.8.8"};
  static constexpr std::array forms{Form{.types = kBits}};
  template <ModSet M, class V, class N>
  static V lanes(V a, N b) {
    return shift_left(a, b);
  }
};

/// shr: signed types fill with the sign; amounts beyond the width give zero or the sign.
struct Shr {
  static constexpr Card card{
      .name = "shr", .operands = "d:bits, a:bits, b:u32", .summary = "shift right", .manual = "9.7.8.9"};
  static constexpr std::array forms{Form{.types = kBits | kInteger}};
  template <ModSet M, class V, class N>
  static V lanes(V a, N b) {
    return shift_right(a, b);
  }
};

/// prmt: picks four bytes out of b:a; the mode follows the type.
struct Prmt {
  static constexpr Card card{
      .name = "prmt", .operands = "d:bits, a:bits, b:bits, c:bits", .summary = "permute bytes", .manual = "9.7.9.7"};
  static constexpr std::array forms{Form{
      .types = types(Type::B32), .slots = slots(opt(mods(Mod::F4e, Mod::B4e, Mod::Rc8, Mod::Ecl, Mod::Ecr, Mod::Rc16)))}
                                        .type_after(0)
                                        .from(20, 20)};
  template <ModSet M, class V>
  static V lanes(V a, V b, V c) {
    return each<uint32_t>(permute<M>, a, b, c);
  }
  template <ModSet M>
  static uint32_t permute(uint32_t a, uint32_t b, uint32_t c) {
    uint64_t both = uint64_t{b} << 32 | a;
    uint32_t n = c & 3, result = 0;
    for (uint32_t i = 0; i < 4; ++i) {
      uint32_t byte = (c >> (4 * i)) & 7;
      bool replicate_sign = false;
      if constexpr (M.has(Mod::F4e)) byte = n + i;
      else if constexpr (M.has(Mod::B4e)) byte = (n - i) & 7;
      else if constexpr (M.has(Mod::Rc8)) byte = n;
      else if constexpr (M.has(Mod::Ecl)) byte = i > n ? i : n;
      else if constexpr (M.has(Mod::Ecr)) byte = i < n ? i : n;
      else if constexpr (M.has(Mod::Rc16)) byte = 2 * (n & 1) + (i & 1);
      else replicate_sign = (c >> (4 * i) & 8) != 0;
      uint32_t value = static_cast<uint32_t>(both >> (8 * byte)) & 0xff;
      if (replicate_sign) value = (value & 0x80) != 0 ? 0xff : 0;
      result |= value << (8 * i);
    }
    return result;
  }
};

using LogicShiftCards = CardList<And, Or, Xor, Not, Cnot, Lop3, Shf, Shl, Shr, Prmt>;

}  // namespace warptime::ptx::inline WARPTIME_ISA
