#include "reference.h"

#include <bit>
#include <cfenv>

namespace warptime::sim {

using ptx::Mod, ptx::Type, ptx::TypeKind;

namespace {

/// Two numbers in a register, each by itself.
std::optional<Result> packed_reference(const Spelled& s, Sources v) {
  Type element = element_type(s.type);
  if (element == Type::None || is_half(s.type)) return std::nullopt;
  Spelled alone = s;
  alone.type = element;
  Result out;
  for (uint32_t shift = 0; shift < ptx::bits(s.type); shift += ptx::bits(element)) {
    std::vector<uint64_t> elements;
    for (uint64_t bits : v) elements.push_back(bits_as(element, Wide{bits >> shift}));
    auto result = reference(alone, elements);
    if (!result) return std::nullopt;
    out.bits |= result->bits << shift;
  }
  return out;
}

/// min and max of three: of two, and then of the third.
std::optional<Result> reference_of_three(const Spelled& s, Sources v) {
  if ((s.name != "min" && s.name != "max") || v.size() != 3) return std::nullopt;
  Spelled two = s;
  two.mods = s.mods.without(ptx::mods(Mod::Abs));
  std::vector<uint64_t> sizes;
  for (uint64_t bits : v) sizes.push_back(s.has(Mod::Abs) ? bits & 0x7fffffff : bits);
  std::vector<uint64_t> last{reference(two, Sources(sizes).first(2))->bits, sizes[2]};
  return reference(two, last);
}

}  // namespace

std::optional<Result> reference(const Spelled& spelled, Sources sources) {
  for (auto family : {packed_reference, reference_of_three, half_reference, convert_reference, compare_reference,
                      bit_reference, float_reference, double_reference, integer_reference}) {
    if (auto result = family(spelled, sources)) return result;
  }
  return std::nullopt;
}

Wide number(Type type, uint64_t bits) {
  uint32_t width = ptx::bits(type);
  if (width < 64) bits &= (uint64_t{1} << width) - 1;
  bool negative = info(type).kind == TypeKind::Signed && (bits >> (width - 1) & 1) != 0;
  return Wide{bits} - (negative ? Wide{1} << width : Wide{0});
}

uint64_t bits_as(Type type, Wide value) {
  uint32_t width = ptx::bits(type);
  auto low = static_cast<uint64_t>(value);
  return width == 64 ? low : low & ((uint64_t{1} << width) - 1);
}

float to_f32(uint64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }
uint64_t from_f32(float value) { return std::bit_cast<uint32_t>(value); }

double to_f64(uint64_t bits) { return std::bit_cast<double>(bits); }
uint64_t from_f64(double value) { return std::bit_cast<uint64_t>(value); }

int host_rounding(const Spelled& s) {
  if (s.has(Mod::Rz)) return FE_TOWARDZERO;
  if (s.has(Mod::Rm)) return FE_DOWNWARD;
  return s.has(Mod::Rp) ? FE_UPWARD : FE_TONEAREST;
}

uint64_t flushed(const Spelled& spelled, uint64_t bits) {
  // PTX 1.4, which the tests of sm_1x are written in: cvt to 64 bits does not flush.
  bool to_64 = spelled.name == "cvt" && ptx::bits(spelled.type) == 64;
  bool flush = spelled.has(Mod::Ftz) || (spelled.legacy && spelled.name != "tanh" && !to_64);
  bool subnormal = (bits & 0x7f800000) == 0 && (bits & 0x007fffff) != 0;
  return flush && subnormal ? bits & 0x80000000 : bits;
}

Result finished(const Spelled& spelled, uint64_t bits, uint32_t ulps) {
  bits = flushed(spelled, bits);
  float x = to_f32(bits);
  if (spelled.has(Mod::Sat)) {
    if (!(x > 0)) return {0, false, ulps};
    return {x > 1 ? from_f32(1.0f) : bits, false, ulps};
  }
  return {x != x ? 0x7fffffff : bits, false, ulps};
}

}  // namespace warptime::sim
