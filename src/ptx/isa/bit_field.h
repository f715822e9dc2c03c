// Counting, finding and moving bits inside a word. PTX ISA 9.0, sections 9.7.1.14-22.
#pragma once

#include "ptx/isa/integer_lanes.h"

namespace warptime::ptx::inline WARPTIME_ISA {

/// popc: number of one bits.
struct Popc {
  static constexpr Card card{
      .name = "popc", .operands = "d:u32, a", .summary = "number of one bits", .manual = "9.7.1.14"};
  static constexpr std::array forms{Form{.types = types(Type::B32, Type::B64)}.from(20, 20)};
  template <ModSet M, class D, class V>
  static D lanes(V a) {
    return each<uint32_t>([](auto x) { return static_cast<uint32_t>(std::popcount(x)); }, a);
  }
};

/// clz: number of zero bits above the highest one.
struct Clz {
  static constexpr Card card{
      .name = "clz", .operands = "d:u32, a", .summary = "number of leading zeros", .manual = "9.7.1.15"};
  static constexpr std::array forms{Form{.types = types(Type::B32, Type::B64)}.from(20, 20)};
  template <ModSet M, class D, class V>
  static D lanes(V a) {
    return each<uint32_t>([](auto x) { return static_cast<uint32_t>(std::countl_zero(x)); }, a);
  }
};

/// bfind: position of the highest bit that is not a sign bit, all ones if there is none; .shiftamt: how far to shift
/// left to bring it to the top.
struct Bfind {
  static constexpr Card card{
      .name = "bfind", .operands = "d:u32, a", .summary = "position of the highest bit", .manual = "9.7.1.16"};
  static constexpr std::array forms{
      Form{.types = kInteger32 | kInteger64, .slots = slots(opt(Mod::ShiftAmt))}.from(20, 20)};
  template <ModSet M, class D, class V>
  static D lanes(V a) {
    return each<uint32_t>(
        [](auto x) {
          using U = Uint<decltype(x)>;
          U bits = static_cast<U>(x < 0 ? ~x : x);
          uint32_t above = static_cast<uint32_t>(std::countl_zero(bits));
          if (bits == 0) return ~0u;
          return M.has(Mod::ShiftAmt) ? above : static_cast<uint32_t>(8 * sizeof(U)) - 1 - above;
        },
        a);
  }
};

/// brev: bits in reverse order.
struct Brev {
  static constexpr Card card{
      .name = "brev", .operands = "d, a", .summary = "bits in reverse order", .manual = "9.7.1.18"};
  static constexpr std::array forms{Form{.types = types(Type::B32, Type::B64)}.from(20, 20)};
  template <ModSet M, class V>
  static V lanes(V a) {
    using T = Lane<V>;
    constexpr T k1 = static_cast<T>(0x5555555555555555), k2 = static_cast<T>(0x3333333333333333);
    constexpr T k4 = static_cast<T>(0x0f0f0f0f0f0f0f0f), k8 = static_cast<T>(0x00ff00ff00ff00ff);
    constexpr T k16 = static_cast<T>(0x0000ffff0000ffff);
    a = ((a >> 1) & splat<V>(k1)) | ((a & splat<V>(k1)) << 1);
    a = ((a >> 2) & splat<V>(k2)) | ((a & splat<V>(k2)) << 2);
    a = ((a >> 4) & splat<V>(k4)) | ((a & splat<V>(k4)) << 4);
    a = ((a >> 8) & splat<V>(k8)) | ((a & splat<V>(k8)) << 8);
    a = ((a >> 16) & splat<V>(k16)) | ((a & splat<V>(k16)) << 16);
    if constexpr (sizeof(T) == 8) a = (a >> 32) | (a << 32);
    return a;
  }
};

/// fns: the position of the c-th set bit of a from bit b on, upward or downward; all ones if there is none.
struct Fns {
  static constexpr Card card{.name = "fns",
                             .operands = "d, a, b:u32, c:s32",
                             .effect = Effect::Collective,
                             .summary = "find the n-th set bit",
                             .manual = "9.7.1.18"};
  static constexpr std::array forms{Form{.types = types(Type::B32)}.from(60, 30)};
};

/// Position or length of a bit field. The manual restricts them to 0..255; beyond that hardware counts modulo 256 for
/// fields of 32 bits and clamps for those of 64.
template <class V, class N>
inline N field_count(N n) {
  if constexpr (sizeof(Lane<V>) == 4) return n & splat<N>(255);
  return select(mask_of<N>(n < splat<N>(255)), n, splat<N>(255));
}

/// bfe: c bits of a from bit b on, zero- or sign-extended.
struct Bfe {
  static constexpr Card card{
      .name = "bfe", .operands = "d, a, b:u32, c:u32", .summary = "extract a bit field", .manual = "9.7.1.19"};
  static constexpr std::array forms{Form{.types = kInteger32 | kInteger64}.from(20, 20)};
  template <ModSet M, class V, class N>
  static V lanes(V a, N b, N c) {
    using U = Like<V, Uint<Lane<V>>>;
    constexpr uint32_t kWidth = 8 * sizeof(Lane<V>);
    N first = field_count<V>(b), length = field_count<V>(c);
    U field = shift_right(bits_of(a), first) & low_bits<U>(length);
    if constexpr (!kIsSigned<V>) return field;
    // The sign is the field's last bit, or the word's if the field goes beyond it.
    N last = first + length - splat<N>(1);
    last = select(mask_of<N>(last < splat<N>(kWidth - 1)), last, splat<N>(kWidth - 1));
    U sign = shift_right(bits_of(a), last) & splat<U>(1);
    N inside = select(mask_of<N>(first < splat<N>(kWidth)), splat<N>(kWidth) - first, N{});
    inside = select(mask_of<N>(length < inside), length, inside);
    U filled = field | ((U{} - sign) & ~low_bits<U>(inside));
    return as<Lane<V>>(select(to<Sint<Lane<V>>>(mask_of<N>(length == N{})), U{}, filled));
  }
};

/// bfi: b with e bits of a put in from bit c on.
struct Bfi {
  static constexpr Card card{
      .name = "bfi", .operands = "d, a, b, c:u32, e:u32", .summary = "insert a bit field", .manual = "9.7.1.20"};
  static constexpr std::array forms{Form{.types = types(Type::B32, Type::B64)}.from(20, 20)};
  template <ModSet M, class V, class N>
  static V lanes(V a, V b, N c, N e) {
    N first = field_count<V>(c), length = field_count<V>(e);
    V field = shift_left(low_bits<V>(length), first);
    return (b & ~field) | (shift_left(a, first) & field);
  }
};

/// szext: the low b bits of a, zero- or sign-extended; b is clamped at 32 or taken modulo 32.
struct Szext {
  static constexpr Card card{
      .name = "szext", .operands = "d, a, b:u32", .summary = "extend from a given width", .manual = "9.7.1.21"};
  static constexpr std::array forms{
      Form{.types = kInteger32, .slots = slots(one(mods(Mod::Wrap, Mod::Clamp)))}.from(76, 70)};
  template <ModSet M, class V, class N>
  static V lanes(V a, N b) {
    using U = Like<V, uint32_t>;
    N count = M.has(Mod::Wrap) ? b & splat<N>(31) : b;
    U low = bits_of(a) & low_bits<U>(count);
    if constexpr (!kIsSigned<V>) return low;
    N last = select(mask_of<N>(count < splat<N>(32)), count, splat<N>(32)) - splat<N>(1);
    U sign = shift_right(bits_of(a), last) & splat<U>(1);
    U filled = low | ((U{} - sign) & ~low_bits<U>(count));
    return as<Lane<V>>(select(mask_of<N>(count == N{}), U{}, filled));
  }
};

/// bmsk: b one bits from bit a on.
struct Bmsk {
  static constexpr Card card{
      .name = "bmsk", .operands = "d, a:u32, b:u32", .summary = "make a bit mask", .manual = "9.7.1.22"};
  static constexpr std::array forms{
      Form{.types = types(Type::B32), .slots = slots(one(mods(Mod::Wrap, Mod::Clamp)))}.from(76, 70)};
  template <ModSet M, class V>
  static V lanes(V a, V b) {
    V first = M.has(Mod::Wrap) ? a & splat<V>(31) : a, count = M.has(Mod::Wrap) ? b & splat<V>(31) : b;
    return shift_left(low_bits<V>(count), first);
  }
};

using BitFieldCards = CardList<Popc, Clz, Bfind, Brev, Fns, Bfe, Bfi, Szext, Bmsk>;

}  // namespace warptime::ptx::inline WARPTIME_ISA
