// Vectors of lanes for the cards' lane code: the compiler's own vector types, as wide as the host's registers, and the
// few operations that they lack. Everything gives the same bits on every host: no rounding mode, no fused operation
// that the source does not ask for, no library function.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "ptx/isa/card_sets.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace warptime::ptx::inline WARPTIME_ISA {

#if defined(__AVX512F__)
inline constexpr size_t kNativeBytes = 64;
#elif defined(__AVX2__)
inline constexpr size_t kNativeBytes = 32;
#else
inline constexpr size_t kNativeBytes = 16;
#endif

template <class T, size_t N>
struct VecOf {
  using type [[gnu::vector_size(N * sizeof(T))]] = T;
};
template <class T, size_t N>
using Vec = typename VecOf<T, N>::type;

template <class V>
using Lane = std::remove_cvref_t<decltype(std::declval<V>()[0])>;
template <class V>
inline constexpr size_t kLanes = sizeof(V) / sizeof(Lane<V>);
/// A vector of T with as many lanes as V has.
template <class V, class T>
using Like = Vec<T, kLanes<V>>;

template <size_t bytes>
struct UintOf;
template <>
struct UintOf<1> {
  using type = uint8_t;
};
template <>
struct UintOf<2> {
  using type = uint16_t;
};
template <>
struct UintOf<4> {
  using type = uint32_t;
};
template <>
struct UintOf<8> {
  using type = uint64_t;
};
template <class T>
using Uint = typename UintOf<sizeof(T)>::type;
template <class T>
using Sint = std::make_signed_t<Uint<T>>;
/// The result of comparing two V: all ones or zero in each lane.
template <class V>
using Mask = Like<V, Sint<Lane<V>>>;

template <class V>
inline constexpr bool kIsFloat = std::is_floating_point_v<Lane<V>>;
template <class V>
inline constexpr bool kIsSigned = std::is_signed_v<Lane<V>>;

/// x in each lane (also -0 and NaN: x - 0 is x).
template <class V>
inline V splat(Lane<V> x) {
  return x - V{};
}
/// Converts each lane's number, as static_cast does.
template <class T, class V>
inline Like<V, T> to(V v) {
  if constexpr (std::is_same_v<T, Lane<V>>) {
    return v;
  } else {
    return __builtin_convertvector(v, Like<V, T>);
  }
}
/// Reinterprets the bits as another type of the same width.
template <class T, class V>
inline Like<V, T> as(V v) {
  static_assert(sizeof(T) == sizeof(Lane<V>));
  return (Like<V, T>)v;
}
template <class V>
inline Like<V, Uint<Lane<V>>> bits_of(V v) {
  return as<Uint<Lane<V>>>(v);
}
template <class V>
inline V select(Mask<V> mask, V a, V b) {
  using U = Uint<Lane<V>>;
  auto m = as<U>(mask);
  return as<Lane<V>>((as<U>(a) & m) | (as<U>(b) & ~m));
}
/// For what has no vector form: f of each lane.
template <class T, class F, class V, class... Vs>
inline Like<V, T> each(F f, V v, Vs... more) {
  Like<V, T> out{};
  for (size_t i = 0; i < kLanes<V>; ++i) out[i] = f(v[i], more[i]...);
  return out;
}
/// Comparisons give the mask type of V, whatever integer type the compiler chose.
template <class V>
inline Mask<V> mask_of(auto comparison) {
  return (Mask<V>)comparison;
}

template <class V>
inline V load(const std::byte* from) {
  V v;
  __builtin_memcpy(&v, from, sizeof(V));
  return v;
}
template <class V>
inline void store(std::byte* to, V v) {
  __builtin_memcpy(to, &v, sizeof(V));
}

/// Lane i is bit i.
template <class V, size_t... I>
inline V lane_bits(std::index_sequence<I...>) {
  return V{static_cast<Lane<V>>(Lane<V>{1} << I)...};
}
/// Bit i of `bits` as the mask of lane i. A lane must have at least as many bits as there are lanes.
template <class V>
inline Mask<V> expand(uint32_t bits) {
  using U = Like<V, Uint<Lane<V>>>;
  static_assert(kLanes<V> <= 8 * sizeof(Lane<V>));
  U one = lane_bits<U>(std::make_index_sequence<kLanes<V>>{});
  return mask_of<V>((splat<U>(static_cast<Lane<U>>(bits)) & one) != U{});
}

/// The inverse: bit i is set if lane i of the mask is.
template <class M>
inline uint32_t collect(M mask) {
#if defined(__AVX512F__)
  if constexpr (sizeof(M) == 64 && sizeof(Lane<M>) == 4) return _mm512_movepi32_mask((__m512i)mask);
  if constexpr (sizeof(M) == 64 && sizeof(Lane<M>) == 8) return _mm512_movepi64_mask((__m512i)mask);
  if constexpr (sizeof(M) == 32 && sizeof(Lane<M>) == 2) return _mm256_movepi16_mask((__m256i)mask);
#elif defined(__AVX2__)
  if constexpr (sizeof(M) == 32 && sizeof(Lane<M>) == 4) return static_cast<uint32_t>(_mm256_movemask_ps((__m256)mask));
  if constexpr (sizeof(M) == 32 && sizeof(Lane<M>) == 8)
    return static_cast<uint32_t>(_mm256_movemask_pd((__m256d)mask));
  if constexpr (sizeof(M) == 32 && sizeof(Lane<M>) == 2) {
    __m256i m = (__m256i)mask;
    __m128i packed = _mm_packs_epi16(_mm256_castsi256_si128(m), _mm256_extracti128_si256(m, 1));
    return static_cast<uint32_t>(_mm_movemask_epi8(packed));
  }
#elif defined(__x86_64__)
  if constexpr (sizeof(M) == 16 && sizeof(Lane<M>) == 4) return static_cast<uint32_t>(_mm_movemask_ps((__m128)mask));
  if constexpr (sizeof(M) == 16 && sizeof(Lane<M>) == 8) return static_cast<uint32_t>(_mm_movemask_pd((__m128d)mask));
  if constexpr (sizeof(M) == 16 && sizeof(Lane<M>) == 2)
    return static_cast<uint32_t>(_mm_movemask_epi8(_mm_packs_epi16((__m128i)mask, __m128i{})));
#endif
  uint32_t bits = 0;
  for (size_t i = 0; i < kLanes<M>; ++i) bits |= (mask[i] != 0 ? 1u : 0u) << i;
  return bits;
}

}  // namespace warptime::ptx::inline WARPTIME_ISA
