// cvt between integers, and between integers and f32 or f64. A register may be wider than the type of the conversion,
// so these handlers are made for the widths of the registers; the types' own widths and signs are numbers in the
// instruction.
#pragma once

#include <cmath>

#include "ptx/isa/conversion.h"
#include "ptx/isa/half_lanes.h"
#include "sim/exec/lane_code.h"

namespace warptime::sim::inline WARPTIME_ISA {

/// The low `bits` bits of each lane, extended by their sign or with zeros.
template <class V>
inline V extended(V v, uint32_t bits, bool is_signed) {
  using T = ptx::Lane<V>;
  int shift = static_cast<int>(8 * sizeof(T) - bits);
  if (shift == 0) return v;
  v = v << shift;
  if (!is_signed) return v >> shift;
  return ptx::as<T>(ptx::as<ptx::Sint<T>>(v) >> shift);
}

/// The range of an integer type as two's complement in 64 bits.
struct Limits {
  int64_t low;
  uint64_t high;
};
inline Limits limits_of(uint32_t bits, bool is_signed) {
  if (!is_signed) return {0, ~uint64_t{0} >> (64 - bits)};
  return {static_cast<int64_t>(~uint64_t{0} << (bits - 1)), ~uint64_t{0} >> (65 - bits)};
}

/// Clamps numbers of the source's type to the range of the destination's.
template <class V>
inline V clamped(V v, const ConversionPayload& conversion) {
  using T = ptx::Lane<V>;
  using S = ptx::Sint<T>;
  Limits to = limits_of(conversion.width[0], conversion.is_signed[0]);
  V high = ptx::splat<V>(static_cast<T>(to.high));
  if (conversion.is_signed[1]) {
    // A high limit beyond the lane's own sign bit cannot be exceeded.
    bool limited = to.high <= (~uint64_t{0} >> (65 - 8 * sizeof(T)));
    auto s = ptx::as<S>(v), l = ptx::splat<decltype(s)>(static_cast<S>(to.low)), h = ptx::as<S>(high);
    bool below = conversion.is_signed[0] ? conversion.width[0] < 8 * sizeof(T) : true;
    if (below) s = ptx::select(ptx::mask_of<decltype(s)>(s < l), l, s);
    if (limited) s = ptx::select(ptx::mask_of<decltype(s)>(s > h), h, s);
    return ptx::as<T>(s);
  }
  if (to.high >= (~uint64_t{0} >> (64 - 8 * sizeof(T)))) return v;
  return ptx::select(ptx::mask_of<V>(v > high), high, v);
}

/// Integer to integer; D and S are the registers' lanes (unsigned).
template <class D, class S>
struct IntegerToInteger {
  static void run(const WarpValues& warp, const Insn& insn, uint32_t mask) {
    const ConversionPayload& conversion = insn.conversion();
    using T = std::conditional_t<most({sizeof(D), sizeof(S)}) == 8, uint64_t, uint32_t>;
    constexpr size_t N = kChunk<sizeof(T), least({sizeof(D), sizeof(S)})>;
    Output<sizeof(D)> output(warp, insn, mask);
    std::byte* out = output.bytes();
    const std::byte* in = insn.src[0].in(warp);
    for (size_t lane = 0; lane < kWarpSize; lane += N) {
      auto v = ptx::to<T>(ptx::load<Vec<S, N>>(in + lane * sizeof(S)));
      v = extended(v, conversion.width[1], conversion.is_signed[1]);
      if (conversion.clamps) v = clamped(v, conversion);
      v = extended(v, conversion.width[0], conversion.is_signed[0]);
      ptx::store(out + lane * sizeof(D), ptx::to<D>(v));
    }
    output.done();
  }
};

/// f32, f64 (F) or a half-precision type (kHalf, as f32) to integer.
template <ModSet M, class D, class F, ptx::Type kHalf = ptx::Type::None>
struct FloatToInteger {
  static void run(const WarpValues& warp, const Insn& insn, uint32_t mask) {
    const ConversionPayload& conversion = insn.conversion();
    if constexpr (sizeof(D) == 4 && sizeof(F) == 4) {
      if (conversion.width[0] == 32 && conversion.is_signed[0]) return run_s32(warp, insn, mask);
    }
    constexpr size_t N = kChunk<8, least({sizeof(D), 4})>;
    using V = Vec<F, N>;
    Output<sizeof(D)> output(warp, insn, mask);
    std::byte* out = output.bytes();
    const std::byte* in = insn.src[0].in(warp);
    for (size_t lane = 0; lane < kWarpSize; lane += N) {
      V v = ptx::rounded_integer<M>(ptx::flush<M>(numbers<V>(in, lane)));
      auto bits = conversion.width[0] == 64 ? whole64(v, conversion.is_signed[0]) : whole32(v, conversion);
      ptx::store(out + lane * sizeof(D), ptx::to<D>(bits));
    }
    output.done();
  }

 private:
  template <class V>
  static V numbers(const std::byte* in, size_t lane) {
    if constexpr (kHalf == ptx::Type::None) return ptx::load<V>(in + lane * sizeof(F));
    else return ptx::widened<kHalf>(ptx::to<uint32_t>(ptx::load<ptx::Like<V, uint16_t>>(in + lane * 2)));
  }
  /// s32, by far the most frequent: every host has an instruction for what is in range.
  static void run_s32(const WarpValues& warp, const Insn& insn, uint32_t mask) {
    constexpr size_t N = kChunk<4, 4>;
    using V = Vec<float, N>;
    using I = Vec<int32_t, N>;
    Output<sizeof(D)> output(warp, insn, mask);
    std::byte* out = output.bytes();
    const std::byte* in = insn.src[0].in(warp);
    V limit = ptx::splat<V>(0x1p31f);
    for (size_t lane = 0; lane < kWarpSize; lane += N) {
      V v = ptx::flush<M>(numbers<V>(in, lane));
      if constexpr (!M.has(Mod::Rzi)) v = ptx::rounded_integer<M>(v);  // the conversion itself rounds toward zero
      auto above = ptx::mask_of<V>(v >= limit), inside = ptx::mask_of<V>(v < limit) & ptx::mask_of<V>(v >= -limit);
      auto below = ptx::mask_of<V>(v < -limit);
      I whole = ptx::to<int32_t>(ptx::select(inside, v, V{}));  // NaN: 0
      whole |= (above & ptx::splat<I>(0x7fffffff)) | (below & ptx::splat<I>(INT32_MIN));
      ptx::store(out + lane * sizeof(D), whole);
    }
    output.done();
  }

  /// Types up to 32 bits: clamped as doubles; a sum with 1.5 * 2^52 has the number in its low bits. A NaN becomes 0,
  /// from f64 the highest bit alone.
  template <class V>
  static auto whole32(V v, const ConversionPayload& conversion) {
    using W = ptx::Like<V, double>;
    Limits to = limits_of(conversion.width[0], conversion.is_signed[0]);
    W low = ptx::splat<W>(static_cast<double>(to.low)), high = ptx::splat<W>(static_cast<double>(to.high));
    W w = ptx::to<double>(v);
    W nan = sizeof(F) == 4            ? W{}
            : conversion.is_signed[0] ? low
                                      : ptx::splat<W>((static_cast<double>(to.high) + 1) / 2);
    w = ptx::select(ptx::mask_of<W>(w == w), w, nan);
    w = ptx::select(ptx::mask_of<W>(w < high), w, high);
    w = ptx::select(ptx::mask_of<W>(w > low), w, low);
    W magic = ptx::splat<W>(6755399441055744.0);
    auto bits = ptx::bits_of(w + magic) - ptx::bits_of(magic);
    return sizeof(D) == 8 || conversion.is_signed[0] ? bits : bits & ptx::splat<decltype(bits)>(0xffffffffu);
  }
  template <class V>
  static auto whole64(V v, bool is_signed) {
    return ptx::each<uint64_t>(
        [is_signed](F x) {
          constexpr uint64_t kTop = uint64_t{1} << 63;
          constexpr F kTwo63 = F(0x1p63), kTwo64 = F(0x1p64);
          if (x != x) return kTop;  // PTX ISA 9.7.9.21: NaN gives the highest bit
          if (is_signed) {
            if (x >= kTwo63) return kTop - 1;
            return x < -kTwo63 ? kTop : static_cast<uint64_t>(static_cast<int64_t>(x));
          }
          if (x >= kTwo64) return ~uint64_t{0};
          return x <= 0 ? uint64_t{0} : static_cast<uint64_t>(x);
        },
        v);
  }
};

/// Integers of up to 32 bits, exact as doubles: the number in the low bits of 1.5 * 2^52.
template <class V>
inline auto exact_double(V v, const ConversionPayload& conversion) {
  using W = ptx::Like<V, double>;
  v = extended(v, conversion.width[1], conversion.is_signed[1]);
  auto wide = conversion.is_signed[1] ? ptx::as<uint64_t>(ptx::to<int64_t>(ptx::as<int32_t>(v))) : ptx::to<uint64_t>(v);
  W magic = ptx::splat<W>(6755399441055744.0);
  return ptx::as<double>(wide + ptx::bits_of(magic)) - magic;
}

/// Integer to f32 or f64 (F).
template <ModSet M, class S, class F>
struct IntegerToFloat {
  static void run(const WarpValues& warp, const Insn& insn, uint32_t mask) {
    const ConversionPayload& conversion = insn.conversion();
    constexpr size_t N = kChunk<8, least({sizeof(S), 4})>;
    using V = Vec<F, N>;
    Output<sizeof(F)> output(warp, insn, mask);
    std::byte* out = output.bytes();
    const std::byte* in = insn.src[0].in(warp);
    for (size_t lane = 0; lane < kWarpSize; lane += N) {
      auto v = ptx::load<Vec<S, N>>(in + lane * sizeof(S));
      V f;
      if constexpr (sizeof(S) == 8) f = from64(v, conversion);
      else f = from32(ptx::to<uint32_t>(v), conversion);
      if (conversion.clamps) f = ptx::saturate<ModSet::of(Mod::Sat)>(f);
      ptx::store(out + lane * sizeof(F), f);
    }
    output.done();
  }

 private:
  template <class V>
  static auto from32(V v, const ConversionPayload& conversion) {
    auto exact = exact_double(v, conversion);
    if constexpr (sizeof(F) == 8) return exact;
    else return ptx::to_float<M>(exact);
  }
  template <class V>
  static auto from64(V v, const ConversionPayload& conversion) {
    bool is_signed = conversion.is_signed[1];
    v = extended(v, conversion.width[1], is_signed);
    return ptx::each<F>([is_signed](uint64_t x) { return rounded(x, is_signed); }, v);
  }
  static F rounded(uint64_t x, bool is_signed) {
    bool negative = is_signed && x >> 63 != 0;
    uint64_t size = negative ? uint64_t{0} - x : x;
    if constexpr (sizeof(F) == 8) return ptx::rounded<M>(ptx::Exact{negative, 0, size});
    else return rounded_f32(size, negative);
  }
  static float rounded_f32(uint64_t size, bool negative) {
    uint32_t above = static_cast<uint32_t>(std::countl_zero(size | 1));
    uint32_t dropped = above < 40 ? 40 - above : 0;  // bits beyond the 24 of an f32
    uint64_t kept = size >> dropped, rest = size - (kept << dropped);
    uint64_t half = dropped == 0 ? 1 : uint64_t{1} << (dropped - 1);
    bool up = false;
    if constexpr (ptx::rounds_to_nearest(M)) up = rest > half || (rest == half && dropped != 0 && (kept & 1) != 0);
    if constexpr (M.has(Mod::Rm)) up = rest != 0 && negative;
    if constexpr (M.has(Mod::Rp)) up = rest != 0 && !negative;
    float scale = std::bit_cast<float>((127u + dropped) << 23);
    float value = static_cast<float>(static_cast<uint32_t>(kept + (up ? 1 : 0))) * scale;  // exact
    return negative ? -value : value;
  }
};

template <class... T>
struct LaneTypes {};
using RegisterLanes = LaneTypes<uint8_t, uint16_t, uint32_t, uint64_t>;

/// The type that stands for a register of the lane's width in the key of a conversion.
template <class T>
inline constexpr ptx::Type kRegisterType = sizeof(T) == 1   ? ptx::Type::U8
                                           : sizeof(T) == 2 ? ptx::Type::U16
                                           : sizeof(T) == 4 ? ptx::Type::U32
                                                            : ptx::Type::U64;

template <class D, class... S>
void add_integer_conversions(HandlerTable& table, HandlerKey key, LaneTypes<S...>) {
  key.form = 0;
  key.type = kRegisterType<D>;
  ((key.type2 = kRegisterType<S>, table.add(key, IntegerToInteger<D, S>::run)), ...);
}

template <Mod rounding, class... R>
void add_float_to_integer(HandlerTable& table, HandlerKey key, LaneTypes<R...>) {
  constexpr ModSet kRounds = ModSet::of(rounding), kFlushing = kRounds | ModSet::of(Mod::Ftz);
  key.form = 1;
  key.type2 = ptx::Type::F32;
  key.mods = kRounds;
  ((key.type = kRegisterType<R>, table.add(key, FloatToInteger<kRounds, R, float>::run)), ...);
  key.mods = kFlushing;
  ((key.type = kRegisterType<R>, table.add(key, FloatToInteger<kFlushing, R, float>::run)), ...);
  key.form = 4;
  key.type2 = ptx::Type::F64;
  key.mods = kRounds;
  ((key.type = kRegisterType<R>, table.add(key, FloatToInteger<kRounds, R, double>::run)), ...);
}

template <Mod rounding, class... R>
void add_integer_to_float(HandlerTable& table, HandlerKey key, LaneTypes<R...>) {
  key.mods = ModSet::of(rounding);
  key.form = 2;
  key.type = ptx::Type::F32;
  ((key.type2 = kRegisterType<R>, table.add(key, IntegerToFloat<ModSet::of(rounding), R, float>::run)), ...);
  key.form = 5;
  key.type = ptx::Type::F64;
  ((key.type2 = kRegisterType<R>, table.add(key, IntegerToFloat<ModSet::of(rounding), R, double>::run)), ...);
}

inline void add_conversions(HandlerTable& table) {
  HandlerKey key;
  key.card = ptx::kCardId<ptx::Cvt>;
  RegisterLanes all;
  add_integer_conversions<uint8_t>(table, key, all);
  add_integer_conversions<uint16_t>(table, key, all);
  add_integer_conversions<uint32_t>(table, key, all);
  add_integer_conversions<uint64_t>(table, key, all);
  add_float_to_integer<Mod::Rni>(table, key, all);
  add_float_to_integer<Mod::Rzi>(table, key, all);
  add_float_to_integer<Mod::Rmi>(table, key, all);
  add_float_to_integer<Mod::Rpi>(table, key, all);
  add_integer_to_float<Mod::Rn>(table, key, all);
  add_integer_to_float<Mod::Rz>(table, key, all);
  add_integer_to_float<Mod::Rm>(table, key, all);
  add_integer_to_float<Mod::Rp>(table, key, all);
  add_form<ptx::Cvt, 3>(table);
  add_form<ptx::Cvt, 6>(table);
  add_form<ptx::Cvt, 7>(table);
  add_form<ptx::Cvt, 8>(table);
}

}  // namespace warptime::sim::inline WARPTIME_ISA
