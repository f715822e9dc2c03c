#include "sim/exec/atomic_operation.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/assert.h"
#include "ptx/isa/half_lanes.h"

namespace warptime::sim {

namespace {

using ptx::Mod, ptx::ModSet, ptx::Type;

template <class T, T (*kCombine)(T old, T b, T c)>
uint64_t on_word(uint64_t old, uint64_t b, uint64_t c) {
  using U = std::make_unsigned_t<T>;
  return static_cast<U>(kCombine(static_cast<T>(old), static_cast<T>(b), static_cast<T>(c)));
}

template <class T>
T conjunction(T old, T b, T) {
  return old & b;
}
template <class T>
T disjunction(T old, T b, T) {
  return old | b;
}
template <class T>
T difference(T old, T b, T) {
  return old ^ b;
}
template <class T>
T exchange(T, T b, T) {
  return b;
}
template <class T>
T compare_and_swap(T old, T b, T c) {
  return old == b ? c : old;
}
template <class T>
T sum(T old, T b, T) {
  using U = std::make_unsigned_t<T>;
  return static_cast<T>(static_cast<U>(old) + static_cast<U>(b));
}
template <class T>
T least(T old, T b, T) {
  return std::min(old, b);
}
template <class T>
T greatest(T old, T b, T) {
  return std::max(old, b);
}
template <class T>
T increment(T old, T b, T) {
  return old >= b ? T{0} : old + 1;
}
template <class T>
T decrement(T old, T b, T) {
  return old == 0 || old > b ? b : old - 1;
}

/// The operations that every integer type has.
template <class T>
AtomicOperation on(ModSet mods) {
  if (mods.has(Mod::And)) return on_word<T, conjunction<T>>;
  if (mods.has(Mod::Or)) return on_word<T, disjunction<T>>;
  if (mods.has(Mod::Xor)) return on_word<T, difference<T>>;
  if (mods.has(Mod::Exch)) return on_word<T, exchange<T>>;
  if (mods.has(Mod::Cas)) return on_word<T, compare_and_swap<T>>;
  if (mods.has(Mod::Add)) return on_word<T, sum<T>>;
  if (mods.has(Mod::Min)) return on_word<T, least<T>>;
  if (mods.has(Mod::Max)) return on_word<T, greatest<T>>;
  if (mods.has(Mod::Inc)) return on_word<T, increment<T>>;
  if (mods.has(Mod::Dec)) return on_word<T, decrement<T>>;
  return nullptr;
}

float flushed(float value) { return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value; }

template <bool kFlush>
uint64_t float_sum(uint64_t old, uint64_t b, uint64_t) {
  auto x = std::bit_cast<float>(static_cast<uint32_t>(old)), y = std::bit_cast<float>(static_cast<uint32_t>(b));
  if constexpr (kFlush) {
    x = flushed(x);
    y = flushed(y);
  }
  float z = x + y;
  if constexpr (kFlush) z = flushed(z);
  constexpr uint32_t kNan = 0x7fffffff;  // the one that f32 instructions give
  return std::isnan(z) ? kNan : std::bit_cast<uint32_t>(z);
}

/// IEEE 754 with subnormals. A NaN as an H100 gives it: in global memory that of b, else the word's, with its bits as
/// they are; in shared memory, where the sum is an add.f64 of the SM, the word's, else that of b, made quiet.
template <bool kGlobal>
uint64_t double_sum(uint64_t old, uint64_t b, uint64_t) {
  double x = std::bit_cast<double>(old), y = std::bit_cast<double>(b), z = x + y;
  constexpr uint64_t kQuiet = uint64_t{1} << 51, kInvalid = 0xfff8000000000000;
  if (!std::isnan(z)) return std::bit_cast<uint64_t>(z);
  if (kGlobal) return std::isnan(y) ? b : std::isnan(x) ? old : kInvalid;
  return std::isnan(x) ? old | kQuiet : std::isnan(y) ? b | kQuiet : kInvalid;
}

/// Sums of the half-precision numbers of type F in a word, each alone.
template <Type F, uint32_t kHalves>
uint64_t half_sum(uint64_t old, uint64_t b, uint64_t) {
  using U = ptx::Vec<uint32_t, 4>;  // as many lanes as every host has; two of them count
  U x{static_cast<uint32_t>(old & 0xffff), static_cast<uint32_t>(old >> 16 & 0xffff)};
  U y{static_cast<uint32_t>(b & 0xffff), static_cast<uint32_t>(b >> 16 & 0xffff)};
  U sum = ptx::half_result<F, ModSet{}>(ptx::widened<F>(x) + ptx::widened<F>(y));
  return kHalves == 1 ? sum[0] : sum[0] | sum[1] << 16;
}

/// The least or the greatest of two half-precision numbers; of a number and a NaN the number, and -0 is less than +0.
template <Type F, bool kLeast>
uint64_t half_order(uint64_t old, uint64_t b, uint64_t) {
  constexpr uint32_t kSign = 0x8000, kInfinity = F == Type::F16 ? 0x7c00 : 0x7f80, kNan = 0x7fff;
  const auto x = static_cast<uint32_t>(old & 0xffff), y = static_cast<uint32_t>(b & 0xffff);
  const bool x_nan = (x & ~kSign) > kInfinity, y_nan = (y & ~kSign) > kInfinity;
  if (x_nan || y_nan) return x_nan && y_nan ? kNan : x_nan ? y : x;
  auto rank = [](uint32_t bits) { return (bits & kSign) != 0 ? kSign - 1 - (bits & ~kSign) : bits | kSign; };
  return (rank(x) < rank(y)) == kLeast ? x : y;
}

/// Minimum or maximum of each of the two numbers of a word.
template <Type F, bool kLeast>
uint64_t half_orders(uint64_t old, uint64_t b, uint64_t) {
  return half_order<F, kLeast>(old, b, 0) | half_order<F, kLeast>(old >> 16, b >> 16, 0) << 16;
}

}  // namespace

AtomicOperation atomic_operation(ModSet mods, Type type, bool flush) {
  AtomicOperation found = nullptr;
  const bool is_least = mods.has(Mod::Min);
  if (is_least || mods.has(Mod::Max)) {
    if (type == Type::F16) return is_least ? half_order<Type::F16, true> : half_order<Type::F16, false>;
    if (type == Type::BF16) return is_least ? half_order<Type::BF16, true> : half_order<Type::BF16, false>;
    if (type == Type::F16x2) return is_least ? half_orders<Type::F16, true> : half_orders<Type::F16, false>;
    if (type == Type::BF16x2) return is_least ? half_orders<Type::BF16, true> : half_orders<Type::BF16, false>;
  }
  if (type == Type::F16) return half_sum<Type::F16, 1>;
  if (type == Type::BF16) return half_sum<Type::BF16, 1>;
  if (type == Type::F16x2) return half_sum<Type::F16, 2>;
  if (type == Type::BF16x2) return half_sum<Type::BF16, 2>;
  switch (info(type).kind) {
    case ptx::TypeKind::Signed: found = ptx::bits(type) == 64 ? on<int64_t>(mods) : on<int32_t>(mods); break;
    case ptx::TypeKind::Unsigned:
    case ptx::TypeKind::Bits: found = ptx::bits(type) == 64 ? on<uint64_t>(mods) : on<uint32_t>(mods); break;
    case ptx::TypeKind::Float:
      if (ptx::bits(type) == 64) found = flush ? double_sum<true> : double_sum<false>;
      else found = flush ? float_sum<true> : float_sum<false>;
      break;
    case ptx::TypeKind::Packed:
    case ptx::TypeKind::Element:
    case ptx::TypeKind::Predicate: break;
  }
  SIM_ASSERT(found != nullptr, "no atomic operation on {}", name(type));
  return found;
}

}  // namespace warptime::sim
