// Integer arithmetic on vectors of lanes that several cards share. Wrapping arithmetic is done in unsigned types.
#pragma once

#include "ptx/isa/float_lanes.h"

namespace warptime::ptx::inline WARPTIME_ISA {

__extension__ typedef unsigned __int128 Uint128;
__extension__ typedef __int128 Sint128;

template <class T>
struct TwiceAs;
template <>
struct TwiceAs<uint16_t> {
  using type = uint32_t;
};
template <>
struct TwiceAs<int16_t> {
  using type = int32_t;
};
template <>
struct TwiceAs<uint32_t> {
  using type = uint64_t;
};
template <>
struct TwiceAs<int32_t> {
  using type = int64_t;
};
template <class T>
using Twice = typename TwiceAs<T>::type;

// --- shifts: amounts of the lane's width and more are legal ---

/// Shifts by `count` (u32 lanes); beyond the width nothing is left.
template <class V, class N>
inline V shift_left(V a, N count) {
  using T = Lane<V>;
  constexpr uint32_t kWidth = 8 * sizeof(T);
  using U = Like<V, Uint<T>>;
  auto inside = to<Sint<T>>(mask_of<N>(count < splat<N>(kWidth)));
  return as<T>((bits_of(a) << to<Uint<T>>(count & splat<N>(kWidth - 1))) & as<Uint<T>>(inside) & ~U{});
}
/// Signed lanes fill with the sign.
template <class V, class N>
inline V shift_right(V a, N count) {
  using T = Lane<V>;
  constexpr uint32_t kWidth = 8 * sizeof(T);
  if constexpr (kIsSigned<V>) {
    N most = select(mask_of<N>(count < splat<N>(kWidth)), count, splat<N>(kWidth - 1));
    return a >> to<T>(most);
  } else {
    auto inside = to<Sint<T>>(mask_of<N>(count < splat<N>(kWidth)));
    return (a >> to<T>(count & splat<N>(kWidth - 1))) & as<T>(inside);
  }
}
/// The `count` lowest bits set; all of them beyond the width.
template <class V, class N>
inline V low_bits(N count) {
  return ~shift_left(~V{}, count);
}

// --- sums that clamp to the range of s32 ---

template <class V>
inline V saturated(V wrapped, V overflow, V sign_of) {
  using U = Like<V, uint32_t>;
  V limit = as<int32_t>((bits_of(sign_of) >> 31) + splat<U>(0x7fffffffu));
  return select(mask_of<V>(overflow < V{}), limit, wrapped);
}
template <class V>
inline V saturating_add(V a, V b) {
  V sum = as<int32_t>(bits_of(a) + bits_of(b));
  return saturated(sum, (a ^ sum) & (b ^ sum), a);
}
template <class V>
inline V saturating_sub(V a, V b) {
  V difference = as<int32_t>(bits_of(a) - bits_of(b));
  return saturated(difference, (a ^ b) & (a ^ difference), a);
}

// --- products ---

/// .lo, .hi or .wide (D is then twice as wide) of a product.
template <ModSet M, class D, class V>
inline D product(V a, V b) {
  using T = Lane<V>;
  if constexpr (M.has(Mod::Wide)) {
    using W = Uint<Lane<D>>;
    return as<Lane<D>>(as<W>(to<Lane<D>>(a)) * as<W>(to<Lane<D>>(b)));
  } else if constexpr (M.has(Mod::Lo)) {
    return as<T>(bits_of(a) * bits_of(b));
  } else if constexpr (sizeof(T) == 8) {
    using W = std::conditional_t<kIsSigned<V>, Sint128, Uint128>;
    return each<T>([](T x, T y) { return static_cast<T>((W{x} * W{y}) >> 64); }, a, b);
  } else {
    using W = Twice<T>;
    auto whole = to<W>(a) * to<W>(b);  // no overflow: at most 2^31 * 2^31, or unsigned
    return to<T>(whole >> static_cast<int>(8 * sizeof(T)));
  }
}
template <ModSet M, class T>
inline constexpr size_t kWidestProduct = std::is_floating_point_v<T>       ? kWidestFloat<M, T>
                                         : M.has(Mod::Hi) && sizeof(T) < 8 ? 2 * sizeof(T)
                                                                           : sizeof(T);

/// The product of the low 24 bits: .lo its low 32 bits, .hi its bits 47 to 16.
template <ModSet M, class V>
inline V product24(V a, V b) {
  using T = Lane<V>;
  auto cut = [](V x) { return as<T>(bits_of(x) << 8) >> 8; };
  if constexpr (M.has(Mod::Lo)) {
    return as<T>(bits_of(cut(a)) * bits_of(cut(b)));
  } else {
    using W = Twice<T>;
    return to<T>((to<W>(cut(a)) * to<W>(cut(b))) >> 16);
  }
}

/// The sum of a multiply-add.
template <ModSet M, class V>
inline V product_sum(V product, V c) {
  if constexpr (M.has(Mod::Sat)) {
    return saturating_add(product, c);
  } else {
    return as<Lane<V>>(bits_of(product) + bits_of(c));
  }
}

// --- quotients ---

/// Unsigned 32-bit quotient by a divisor that is not 0. In double precision the quotient of two 32-bit numbers is at
/// least 2^-32 (relative) away from the next integer unless it is one, so rounding cannot reach it.
template <class V>
inline V quotient32(V a, V b) {
  using W = Like<V, double>;
  using U = Like<V, uint64_t>;
  // 2^52 + x has x in its low bits: no conversion that older hosts lack.
  W two52 = splat<W>(4503599627370496.0);
  auto number = [two52](V x) { return as<double>(to<uint64_t>(x) | splat<U>(0x4330000000000000u)) - two52; };
  W exact = number(a) / number(b);
  W nearest = (exact + two52) - two52;
  W floor = nearest - select(mask_of<W>(nearest > exact), splat<W>(1.0), W{});
  return to<uint32_t>(bits_of(floor + two52));
}

/// a / b toward zero; all ones if b is 0.
template <class V>
inline V quotient(V a, V b) {
  using T = Lane<V>;
  using U = Like<V, Uint<T>>;
  auto by_zero = mask_of<V>(b == V{});
  auto size = [](V x) { return select(mask_of<V>(x < V{}), U{} - bits_of(x), bits_of(x)); };
  U n = size(a), d = select(by_zero, splat<U>(1), size(b));
  U q;
  if constexpr (sizeof(T) == 8) {
    q = each<uint64_t>([](uint64_t x, uint64_t y) { return x / y; }, n, d);
  } else {
    q = to<Uint<T>>(quotient32(to<uint32_t>(n), to<uint32_t>(d)));
  }
  auto negative = mask_of<V>((a ^ b) < V{});
  return as<T>(select(by_zero, ~U{}, select(negative, U{} - q, q)));
}

}  // namespace warptime::ptx::inline WARPTIME_ISA
