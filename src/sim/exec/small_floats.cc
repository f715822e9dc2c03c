#include "sim/exec/small_floats.h"

#include <bit>
#include <cmath>

#include "ptx/isa/cards.h"
#include "sim/exec/lanes_of_mask.h"
#include "sim/exec/random_rounding.h"
#include "sim/exec/small_format.h"

namespace warptime::sim {

namespace {

using ptx::Mod, ptx::Type;

const SmallFormat& small_format_of(Type type) {
  if (type == Type::E5M2x2) return kE5M2;
  if (type == Type::E2M3x2) return kE2M3;
  if (type == Type::E3M2x2) return kE3M2;
  if (type == Type::E2M1x2) return kE2M1;
  return type == Type::F16x2 ? kF16 : kE4M3;
}

/// The number that the bits stand for.
double decoded(uint32_t code, const SmallFormat& format) {
  uint32_t sign = code >> (format.bits() - 1) & 1, size = code & ((1u << (format.bits() - 1)) - 1);
  if (format.infinity != 0 ? size > format.infinity : format.nan != 0 && size == format.nan) return NAN;
  double value = HUGE_VAL;
  if (format.infinity == 0 || size != format.infinity) {
    auto exponent = static_cast<int>(size >> format.fraction);
    uint32_t fraction = size & ((1u << format.fraction) - 1);
    if (exponent > 0) fraction |= 1u << format.fraction;
    value = std::ldexp(fraction, std::max(exponent, 1) - format.bias - format.fraction);
  }
  return sign != 0 ? -value : value;
}

/// The nearest number of a format, of two the even one; beyond the largest, that.
uint32_t encoded(double value, const SmallFormat& format, bool relu) {
  uint32_t sign = std::signbit(value) ? 1u << (format.bits() - 1) : 0;
  double size = std::fabs(value);
  bool is_nan = std::isnan(value);
  if (is_nan && format.nan != 0) return format.nan;
  if (is_nan) sign = 0;
  if (relu && sign != 0) return 0;
  if (std::isinf(value) && format.nan == kHalfNan) return sign | format.infinity;  // only f16 has room for it
  if (is_nan || size > format.most) size = format.most;
  int exponent = 1 - format.bias;
  if (size > 0) exponent = std::max(exponent, std::ilogb(size));
  double steps = std::ldexp(size, format.fraction - exponent), whole = std::floor(steps), rest = steps - whole;
  auto count = static_cast<uint32_t>(whole);
  if (rest > 0.5 || (rest == 0.5 && (count & 1) != 0)) ++count;
  return sign | ((static_cast<uint32_t>(exponent + format.bias - 1) << format.fraction) + count);
}

/// A power of two, rounded toward zero or up; the sign is dropped.
uint32_t scale_of(double value, bool up, bool limited) {
  if (std::isnan(value)) return 0xff;
  double size = std::fabs(value);
  if (std::isinf(size)) return limited ? 0xfe : 0xff;
  if (size <= 0x1p-127) return 0;
  int exponent = std::ilogb(size);
  if (up && std::ldexp(1.0, exponent) != size) ++exponent;
  int code = exponent + 127;
  return code < 0 ? 0 : code > 0xfe ? (limited ? 0xfe : 0xff) : static_cast<uint32_t>(code);
}

double f32_of(uint32_t bits) { return std::bit_cast<float>(bits); }

/// `kTo` and `kFrom`: what the instruction's first and second types are.
enum class Numbers { Single, Halves, Short, Small, Scales };

struct Two {
  double low, high;
};
template <Numbers kFrom>
Two numbers(const WarpValues& warp, const Insn& insn, const SmallFormat& format, uint32_t lane) {
  const std::byte* a = insn.src[0].in(warp);
  if constexpr (kFrom == Numbers::Single) {  // a is above
    return {f32_of(lane_of<uint32_t>(insn.src[1].in(warp), lane)), f32_of(lane_of<uint32_t>(a, lane))};
  } else if constexpr (kFrom == Numbers::Small) {
    uint32_t width = format.bits() == 4 ? 4 : 8;
    uint32_t both = width == 4 ? lane_of<uint8_t>(a, lane) : lane_of<uint16_t>(a, lane);
    return {decoded(both & ((1u << width) - 1), format), decoded(both >> width, format)};
  } else if constexpr (kFrom == Numbers::Halves) {
    auto both = lane_of<uint32_t>(a, lane);
    return {decoded(both & 0xffff, kF16), decoded(both >> 16, kF16)};
  } else {
    auto both = lane_of<uint32_t>(a, lane);
    return {f32_of(both << 16), f32_of(both & 0xffff0000)};
  }
}

template <Type kTo, Type kFrom, bool kRelu>
void run_small(const WarpValues& warp, const Insn& insn, uint32_t mask) {
  constexpr Numbers kSource = kFrom == Type::F32 ? Numbers::Single : is_small(kFrom) ? Numbers::Small : Numbers::Halves;
  const SmallFormat &to = small_format_of(kTo), &from = small_format_of(kFrom);
  for_lanes_of(mask, [&](uint32_t lane) {
    Two two = numbers<kSource>(warp, insn, from, lane);
    uint32_t low = encoded(two.low, to, kRelu), high = encoded(two.high, to, kRelu);
    if constexpr (kTo == Type::F16x2) set_lane(warp.rows() + insn.dst, lane, low | high << 16);
    else if constexpr (kTo == Type::E2M1x2)
      set_lane(warp.rows() + insn.dst, lane, static_cast<uint8_t>(low | high << 4));
    else set_lane(warp.rows() + insn.dst, lane, static_cast<uint16_t>(low | high << 8));
  });
}

template <bool kSingle, bool kUp, bool kLimited>
void run_scales(const WarpValues& warp, const Insn& insn, uint32_t mask) {
  for_lanes_of(mask, [&](uint32_t lane) {
    Two two = numbers < kSingle ? Numbers::Single : Numbers::Short > (warp, insn, kF16, lane);
    uint32_t low = scale_of(two.low, kUp, kLimited), high = scale_of(two.high, kUp, kLimited);
    set_lane(warp.rows() + insn.dst, lane, static_cast<uint16_t>(low | high << 8));
  });
}

void run_from_scales(const WarpValues& warp, const Insn& insn, uint32_t mask) {
  auto short_number = [](uint32_t code) {
    return code == 0xff ? 0x7fffu : code == 0 ? 0x40u : code << 7;
  };  // 2^-127 is subnormal
  for_lanes_of(mask, [&](uint32_t lane) {
    uint32_t both = lane_of<uint16_t>(insn.src[0].in(warp), lane);
    set_lane(warp.rows() + insn.dst, lane, short_number(both & 0xff) | short_number(both >> 8) << 16);
  });
}

template <Type kTo, Type kFrom>
Handler small(bool relu) {
  return relu ? run_small<kTo, kFrom, true> : run_small<kTo, kFrom, false>;
}
template <Type kTo>
Handler from_numbers(Type from, bool relu) {
  return from == Type::F32 ? small<kTo, Type::F32>(relu) : small<kTo, Type::F16x2>(relu);
}

template <bool kSingle>
Handler scales(bool up, bool limited) {
  if (up) return limited ? run_scales<kSingle, true, true> : run_scales<kSingle, true, false>;
  return limited ? run_scales<kSingle, false, true> : run_scales<kSingle, false, false>;
}

}  // namespace

Handler small_float_handler(const ptx::Instruction& in) {
  if (!ptx::is<ptx::Cvt>(in)) return nullptr;
  if (in.mods.has(Mod::Rs)) return random_rounding_handler(in);
  bool relu = in.mods.has(Mod::Relu), up = in.mods.has(Mod::Rp), limited = in.mods.has(Mod::Satfinite);
  if (in.type2 == Type::UE8M0x2) return run_from_scales;
  if (in.type == Type::UE8M0x2) return in.type2 == Type::F32 ? scales<true>(up, limited) : scales<false>(up, limited);
  if (in.type == Type::E4M3x2) return from_numbers<Type::E4M3x2>(in.type2, relu);
  if (in.type == Type::E5M2x2) return from_numbers<Type::E5M2x2>(in.type2, relu);
  if (in.type == Type::E2M3x2) return from_numbers<Type::E2M3x2>(in.type2, relu);
  if (in.type == Type::E3M2x2) return from_numbers<Type::E3M2x2>(in.type2, relu);
  if (in.type == Type::E2M1x2) return from_numbers<Type::E2M1x2>(in.type2, relu);
  if (in.type2 == Type::E4M3x2) return small<Type::F16x2, Type::E4M3x2>(relu);
  if (in.type2 == Type::E5M2x2) return small<Type::F16x2, Type::E5M2x2>(relu);
  if (in.type2 == Type::E2M3x2) return small<Type::F16x2, Type::E2M3x2>(relu);
  if (in.type2 == Type::E3M2x2) return small<Type::F16x2, Type::E3M2x2>(relu);
  return in.type2 == Type::E2M1x2 ? small<Type::F16x2, Type::E2M1x2>(relu) : nullptr;
}

}  // namespace warptime::sim
