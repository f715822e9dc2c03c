// f32 arithmetic on vectors of lanes, exactly as IEEE 754 and the PTX manual have it: four rounding modes, .ftz, .sat
// and the one NaN that NVIDIA hardware makes (0x7fffffff).
//
// Rounding other than to nearest uses no rounding mode of the host. A sum or product is formed in double precision, a
// sum with its error kept as an odd last bit (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", IEEE
// Trans. Computers 57(4), 2008); rounding that to f32 once is then exact in every mode.
#pragma once

#include <cmath>

#include "ptx/isa/vec.h"

namespace warptime::ptx::inline WARPTIME_ISA {

inline constexpr uint32_t kSignBit = 0x80000000u;
inline constexpr uint32_t kExponentBits = 0x7f800000u;
inline constexpr uint32_t kCanonicalNan = 0x7fffffffu;

template <class V>
inline V from_bits(uint32_t x) {
  return as<float>(splat<Like<V, uint32_t>>(x));
}
template <class V>
inline V magnitude(V x) {
  using T = Lane<V>;
  using U = Uint<T>;
  return as<T>(bits_of(x) & splat<Like<V, U>>(static_cast<U>(~U{0} >> 1)));
}
/// The sign of `sign` on the magnitude of `x`.
template <class V>
inline V with_sign(V x, V sign) {
  using T = Lane<V>;
  using U = Uint<T>;
  auto top = splat<Like<V, U>>(static_cast<U>(U{1} << (8 * sizeof(T) - 1)));
  return as<T>((bits_of(x) & ~top) | (bits_of(sign) & top));
}

/// .ftz: subnormal f32 become zero with their sign.
template <ModSet M, class V>
inline V flush(V x) {
  if constexpr (!M.has(Mod::Ftz) || sizeof(Lane<V>) != 4) {
    return x;
  } else {
    using U = Like<V, uint32_t>;
    U b = bits_of(x);
    return as<float>(select(mask_of<U>((b & splat<U>(kExponentBits)) == U{}), b & splat<U>(kSignBit), b));
  }
}

/// .ftz of a result: a number is too small if it still is below 2^-126 after rounding to 24 bits with an exponent
/// without limit (recorded on an H100), so just below that not all that rounds up to 2^-126 stays. `scaled` is the same
/// result times 2^24.
template <ModSet M, class V>
inline V flush_tiny(V x, V scaled) {
  return select(mask_of<V>(magnitude(scaled) < splat<V>(0x1p-102f)), with_sign(V{}, x), x);
}
/// An f32 times 2^24, for that.
template <class V>
inline V scaled_up(V x) {
  return x * splat<V>(static_cast<Lane<V>>(0x1p24));
}
constexpr ModSet without_ftz(ModSet m) { return m.without(ModSet::of(Mod::Ftz)); }

/// .sat: to [0, 1]; NaN gives 0.
template <ModSet M, class V>
inline V saturate(V x) {
  if constexpr (!M.has(Mod::Sat)) return x;
  V zero{}, one = splat<V>(1.0f);
  x = select(mask_of<V>(x > zero), x, zero);  // false for NaN and for -0
  return select(mask_of<V>(x < one), x, one);
}

/// What happens to every f32 result: .ftz, then one NaN for all, or .sat.
template <ModSet M, class V>
inline V finish(V x) {
  x = flush<M>(x);
  if constexpr (M.has(Mod::Sat)) return saturate<M>(x);
  return select(mask_of<V>(x == x), x, from_bits<V>(kCanonicalNan));
}

constexpr bool rounds_to_nearest(ModSet m) { return !m.has(Mod::Rz) && !m.has(Mod::Rm) && !m.has(Mod::Rp); }

/// One step of the last place toward or away from zero, where `where` says so.
template <class V>
inline V step(V x, Mask<V> where, Mask<V> away) {
  using T = Lane<V>;
  using U = Like<V, Uint<T>>;
  U one = splat<U>(1), delta = select(away, one, U{} - one);
  return as<T>(bits_of(x) + (delta & as<Uint<T>>(where)));
}

/// `x`, which is the exact value rounded to nearest, rounded as M says instead. `above` and `below`: where x is greater
/// or less than the exact value.
template <ModSet M, class V>
inline V redirect(V x, Mask<V> above, Mask<V> below) {
  auto negative = mask_of<V>(as<int32_t>(x) < Like<V, int32_t>{});
  auto none = Mask<V>{};
  if constexpr (M.has(Mod::Rz)) return step(x, (above & ~negative) | (below & negative), none);
  if constexpr (M.has(Mod::Rm)) return step(x, above, negative);
  if constexpr (M.has(Mod::Rp)) return step(x, below, ~negative);
  return x;
}

/// A double (exact, or with an odd last bit) to f32 as M rounds.
template <ModSet M, class W>
inline Like<W, float> to_float(W exact) {
  using V = Like<W, float>;
  V x = to<float>(exact);
  if constexpr (rounds_to_nearest(M)) {
    return x;
  } else {
    W back = to<double>(x);
    return redirect<M>(x, to<int32_t>(mask_of<W>(back > exact)), to<int32_t>(mask_of<W>(back < exact)));
  }
}

/// a + b in double precision; if that is not exact, the last bit is odd. The zero that a - a gives is -0 if M rounds
/// down.
template <ModSet M, class W>
inline W add_odd(W a, W b) {
  using U = Like<W, uint64_t>;
  W sum = a + b;
  W t = sum - a;
  W error = (a - (sum - t)) + (b - t);
  U last = bits_of(sum) & splat<U>(1);
  auto inexact = mask_of<W>(error < W{}) | mask_of<W>(error > W{});
  auto away = mask_of<W>((error < W{}) == (sum < W{}));
  W odd = step(sum, inexact & mask_of<W>(last == U{}), away);
  if constexpr (M.has(Mod::Rm)) {
    auto differ = mask_of<W>(as<int64_t>(as<uint64_t>(a) ^ as<uint64_t>(b)) < Like<W, int64_t>{});
    return select(mask_of<W>(sum == W{}) & differ, splat<W>(-0.0), odd);
  }
  return odd;
}

/// A double as an f32: cut off, and if that is not exact, the last bit is odd.
template <class W>
inline Like<W, float> to_odd_float(W exact) {
  using V = Like<W, float>;
  using U = Like<W, uint32_t>;
  V x = to<float>(exact);
  W back = to<double>(x);
  auto inexact = to<int32_t>(mask_of<W>(back < exact) | mask_of<W>(back > exact));
  auto beyond = to<int32_t>(mask_of<W>(magnitude(back) > magnitude(exact)));
  U cut = bits_of(x) + as<uint32_t>(beyond);  // one less where the nearest f32 is further from zero
  return as<float>(cut | (as<uint32_t>(inexact) & splat<U>(1)));
}

template <ModSet M, class V>
inline V rounded_add(V a, V b) {
  if constexpr (rounds_to_nearest(M)) {
    return a + b;
  } else {
    return to_float<M>(add_odd<M>(to<double>(a), to<double>(b)));
  }
}
template <ModSet M, class V>
inline V rounded_mul(V a, V b) {
  if constexpr (M.has(Mod::Ftz)) {
    constexpr ModSet kPlain = without_ftz(M);
    return flush_tiny<M>(rounded_mul<kPlain>(a, b), rounded_mul<kPlain>(scaled_up(a), b));
  } else if constexpr (rounds_to_nearest(M)) {
    return a * b;
  } else {
    return to_float<M>(to<double>(a) * to<double>(b));  // 48 bits: exact
  }
}

template <ModSet M, class V>
inline V rounded_fma(V a, V b, V c) {
  if constexpr (M.has(Mod::Ftz)) {
    constexpr ModSet kPlain = without_ftz(M);
    return flush_tiny<M>(rounded_fma<kPlain>(a, b, c), rounded_fma<kPlain>(scaled_up(a), b, scaled_up(c)));
  }
#if defined(__AVX512F__)
  if constexpr (rounds_to_nearest(M) && sizeof(V) == 64) return (V)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__FMA__)
  if constexpr (rounds_to_nearest(M) && sizeof(V) == 32) return (V)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#endif
  return to_float<M>(add_odd<M>(to<double>(a) * to<double>(b), to<double>(c)));
}
/// Whether rounded_fma has an instruction of the host for it: vectors of f32 may then fill a register.
constexpr bool has_fma(ModSet m) {
#if defined(__FMA__)
  return rounds_to_nearest(m);
#else
  (void)m;
  return false;
#endif
}

template <ModSet M, class V>
inline V rounded_div(V a, V b) {
  V q = a / b;
  if constexpr (M.has(Mod::Ftz)) {
    constexpr ModSet kPlain = without_ftz(M);
    return flush_tiny<M>(rounded_div<kPlain>(a, b), rounded_div<kPlain>(scaled_up(a), b));
  } else if constexpr (rounds_to_nearest(M)) {
    return q;
  } else {
    // The sign of the remainder says on which side of a / b the quotient lies.
    using W = Like<V, double>;
    W rest = to<double>(a) - to<double>(q) * to<double>(b);
    auto negative_b = mask_of<W>(to<double>(b) < W{});
    auto above = mask_of<W>(rest < W{}), below = mask_of<W>(rest > W{});
    return redirect<M>(q, to<int32_t>((above & ~negative_b) | (below & negative_b)),
                       to<int32_t>((below & ~negative_b) | (above & negative_b)));
  }
}

/// Square root to nearest, f32 or f64.
template <class V>
inline V square_root(V x) {
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 64 && sizeof(Lane<V>) == 4) return (V)_mm512_maskz_sqrt_ps(0xffff, (__m512)x);
  if constexpr (sizeof(V) == 64 && sizeof(Lane<V>) == 8) return (V)_mm512_maskz_sqrt_pd(0xff, (__m512d)x);
#endif
#if defined(__AVX2__)
  if constexpr (sizeof(V) == 32 && sizeof(Lane<V>) == 4) return (V)_mm256_sqrt_ps((__m256)x);
  if constexpr (sizeof(V) == 32 && sizeof(Lane<V>) == 8) return (V)_mm256_sqrt_pd((__m256d)x);
#endif
#if defined(__x86_64__)
  if constexpr (sizeof(V) == 16 && sizeof(Lane<V>) == 4) return (V)_mm_sqrt_ps((__m128)x);
  if constexpr (sizeof(V) == 16 && sizeof(Lane<V>) == 8) return (V)_mm_sqrt_pd((__m128d)x);
#endif
  return each<Lane<V>>([](auto lane) { return __builtin_sqrt(lane); }, x);
}
template <ModSet M, class V>
inline V rounded_sqrt(V x) {
  V s = square_root(x);
  if constexpr (rounds_to_nearest(M)) {
    return s;
  } else {
    using W = Like<V, double>;
    W rest = to<double>(x) - to<double>(s) * to<double>(s);
    return redirect<M>(s, to<int32_t>(mask_of<W>(rest < W{})), to<int32_t>(mask_of<W>(rest > W{})));
  }
}

/// The nearest integer as M's .rni, .rzi, .rmi or .rpi has it, keeping the sign of zero.
template <ModSet M, class V>
inline V rounded_integer(V x) {
  using T = Lane<V>;
  constexpr T kAllInteger = sizeof(T) == 4 ? T(8388608.0) : T(4503599627370496.0);  // from here on no fraction
  V one = splat<V>(T{1}), big = with_sign(splat<V>(kAllInteger), x);
  V r = (x + big) - big;
  if constexpr (M.has(Mod::Rmi)) r = r - select(mask_of<V>(r > x), one, V{});
  if constexpr (M.has(Mod::Rpi)) r = r + select(mask_of<V>(r < x), one, V{});
  if constexpr (M.has(Mod::Rzi)) {
    V size = magnitude(r);
    r = size - select(mask_of<V>(size > magnitude(x)), one, V{});
  }
  return select(mask_of<V>(magnitude(x) < splat<V>(kAllInteger)), with_sign(r, x), x);
}

/// For cards: lanes are 8 bytes wide somewhere inside unless rounding is to nearest.
template <ModSet M, class T>
inline constexpr size_t kWidestFloat = std::is_same_v<T, float> && !rounds_to_nearest(M) ? 8 : sizeof(T);

}  // namespace warptime::ptx::inline WARPTIME_ISA
