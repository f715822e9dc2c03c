// Integer arithmetic, in 128 bits.
#include <algorithm>

#include "reference.h"

namespace warptime::sim {

using ptx::Mod, ptx::Type;

namespace {

Wide clamp_s32(Wide x) {
  if (x > 0x7fffffff) return 0x7fffffff;
  return x < -Wide{0x80000000} ? -Wide{0x80000000} : x;
}

Wide magnitude(Wide x) { return x < 0 ? -x : x; }

/// The part of a product that .lo, .hi or .wide asks for, as a number.
Wide part(const Spelled& s, Wide product) {
  uint32_t width = ptx::bits(s.type);
  if (s.has(Mod::Hi)) product >>= width;
  return s.has(Mod::Wide) ? product : number(s.type, bits_as(s.type, product));
}

Wide cut24(const Spelled& s, uint64_t bits) {
  Wide low = static_cast<Wide>(bits & 0xffffff);
  return s.type == Type::S32 && (bits & 0x800000) != 0 ? low - 0x1000000 : low;
}
/// A product of 24-bit numbers has 48 bits: .lo its low 32, .hi its high 32.
Wide part24(const Spelled& s, Sources v) {
  Wide product = cut24(s, v[0]) * cut24(s, v[1]);
  return number(s.type, bits_as(s.type, s.has(Mod::Hi) ? product >> 16 : product));
}

Type twice(Type type) {
  if (type == Type::U16) return Type::U32;
  if (type == Type::S16) return Type::S32;
  return type == Type::U32 ? Type::U64 : Type::S64;
}

/// dp4a, dp2a: c and products of parts of a (bytes or halves) with bytes of b.
Wide dot_product(const Spelled& s, Sources v, uint32_t width) {
  auto part = [](Type type, uint64_t bits, uint32_t from, uint32_t count) {
    Wide low = static_cast<Wide>(bits >> from & ((uint64_t{1} << count) - 1));
    return type == Type::S32 && (low >> (count - 1)) != 0 ? low - (Wide{1} << count) : low;
  };
  Wide sum = static_cast<Wide>(v[2]);
  uint32_t first = s.has(Mod::Hi) ? 16 : 0;
  for (uint32_t i = 0; i < 32 / width; ++i)
    sum += part(s.type, v[0], width * i, width) * part(s.type2, v[1], first + 8 * i, 8);
  return sum;
}

/// a * b modulo 2^128: the full product of two u64 does not fit a Wide, but its bits do.
__extension__ typedef unsigned __int128 UnsignedWide;
Wide product(Wide a, Wide b) { return static_cast<Wide>(static_cast<UnsignedWide>(a) * static_cast<UnsignedWide>(b)); }

}  // namespace

std::optional<Result> integer_reference(const Spelled& s, Sources v) {
  if (s.type == Type::F32) return std::nullopt;
  Type out = s.has(Mod::Wide) ? twice(s.type) : s.type;
  bool sat = s.has(Mod::Sat);
  Wide a = number(s.type, v[0]), b = v.size() > 1 ? number(s.type, v[1]) : 0;
  auto result = [out](Wide x) { return Result{bits_as(out, x)}; };
  auto is = [&](std::string_view name) { return s.name == name; };

  if (is("add")) return result(sat ? clamp_s32(a + b) : a + b);
  if (is("sub")) return result(sat ? clamp_s32(a - b) : a - b);
  if (is("mul")) return result(part(s, product(a, b)));
  if (is("mad")) {
    Wide sum = part(s, product(a, b)) + number(out, v[2]);
    return result(sat ? clamp_s32(sum) : sum);
  }
  if (is("mul24")) return result(part24(s, v));
  if (is("mad24")) {
    Wide sum = part24(s, v) + number(s.type, v[2]);
    return result(sat ? clamp_s32(sum) : sum);
  }
  if (is("sad")) return result(number(s.type, v[2]) + magnitude(a - b));
  if (is("div")) return result(b == 0 ? -1 : a / b);
  if (is("rem")) return result(b == 0 ? -1 : a % b);
  if (is("abs")) return result(magnitude(a));
  if (is("neg")) return result(-a);
  Wide least = s.has(Mod::Relu) ? 0 : a < b ? a : b;
  if (is("min")) return result(std::max(least, a < b ? a : b));
  if (is("max")) return result(std::max(least, a > b ? a : b));
  if (is("dp4a")) return result(dot_product(s, v, 8));
  if (is("dp2a")) return result(dot_product(s, v, 16));
  if (is("cvta")) return std::nullopt;  // addresses of windows, which depend on the space
  return std::nullopt;
}

}  // namespace warptime::sim
