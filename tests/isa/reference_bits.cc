// Logic, shifts, bit fields and moves, one bit at a time where that is how the manual says it.
#include "reference.h"

namespace warptime::sim {

using ptx::Mod, ptx::Type;

namespace {

bool bit(uint64_t x, uint32_t i) { return (x >> i & 1) != 0; }

/// 0 to 255, says the manual; what hardware makes of others.
uint32_t field_count(uint32_t width, uint32_t n) { return width == 32 ? n & 0xff : n < 255 ? n : 255; }

/// PTX ISA 9.7.1.19, the pseudo-code.
uint64_t bfe(bool is_signed, uint32_t width, uint64_t a, uint32_t b, uint32_t c) {
  uint32_t msb = width - 1, pos = field_count(width, b), len = field_count(width, c);
  bool sbit = false;
  if (is_signed && len != 0) sbit = bit(a, pos + len - 1 < msb ? pos + len - 1 : msb);
  uint64_t d = 0;
  for (uint32_t i = 0; i <= msb; ++i) {
    bool one = i < len && pos + i <= msb ? bit(a, pos + i) : sbit;
    d |= uint64_t{one} << i;
  }
  return d;
}

/// PTX ISA 9.7.1.20.
uint64_t bfi(uint32_t width, uint64_t a, uint64_t b, uint32_t c, uint32_t e) {
  uint32_t msb = width - 1, pos = field_count(width, c), len = field_count(width, e);
  uint64_t f = b;
  for (uint32_t i = 0; i < len && pos + i <= msb; ++i) {
    f &= ~(uint64_t{1} << (pos + i));
    f |= uint64_t{bit(a, i)} << (pos + i);
  }
  return f;
}

/// PTX ISA 9.7.1.16.
uint32_t bfind(const Spelled& s, uint64_t a) {
  Wide x = number(s.type, a);
  if (x < 0) x = -x - 1;
  int msb = static_cast<int>(ptx::bits(s.type)) - 1;
  for (int i = msb; i >= 0; --i)
    if ((x >> i & 1) != 0) return static_cast<uint32_t>(s.has(Mod::ShiftAmt) ? msb - i : i);
  return ~0u;
}

/// PTX ISA 9.7.9.7: the bytes that each mode picks, lowest result byte first.
uint32_t prmt(const Spelled& s, uint32_t a, uint32_t b, uint32_t c) {
  auto byte = [&](uint32_t i) { return (i < 4 ? a >> (8 * i) : b >> (8 * (i - 4))) & 0xff; };
  static constexpr uint32_t kF4e[4] = {0x3210, 0x4321, 0x5432, 0x6543}, kB4e[4] = {0x5670, 0x6701, 0x7012, 0x0123},
                            kRc8[4] = {0x0000, 0x1111, 0x2222, 0x3333}, kEcl[4] = {0x3210, 0x3211, 0x3222, 0x3333},
                            kEcr[4] = {0x0000, 0x1110, 0x2210, 0x3210}, kRc16[4] = {0x1010, 0x3232, 0x1010, 0x3232};
  uint32_t n = c & 3, selector = c & 0xffff;
  if (s.has(Mod::F4e)) selector = kF4e[n];
  if (s.has(Mod::B4e)) selector = kB4e[n];
  if (s.has(Mod::Rc8)) selector = kRc8[n];
  if (s.has(Mod::Ecl)) selector = kEcl[n];
  if (s.has(Mod::Ecr)) selector = kEcr[n];
  if (s.has(Mod::Rc16)) selector = kRc16[n];
  uint32_t d = 0;
  for (uint32_t i = 0; i < 4; ++i) {
    uint32_t nibble = selector >> (4 * i) & 15, value = byte(nibble & 7);
    if ((nibble & 8) != 0) value = (value & 0x80) != 0 ? 0xff : 0x00;
    d |= value << (8 * i);
  }
  return d;
}

uint64_t shift(bool left, const Spelled& s, uint64_t a, uint32_t count) {
  uint32_t width = ptx::bits(s.type);
  Wide x = number(s.type, a);
  if (count > width) count = width;
  return bits_as(s.type, left ? x * (Wide{1} << count) : x >> count);
}

uint64_t funnel(const Spelled& s, uint32_t a, uint32_t b, uint32_t c) {
  uint32_t n = s.has(Mod::Wrap) ? c & 31 : c < 32 ? c : 32;
  uint64_t both = uint64_t{b} << 32 | a;
  return s.has(Mod::Left) ? (both << n) >> 32 : both >> n & 0xffffffff;
}

}  // namespace

std::optional<Result> bit_reference(const Spelled& s, Sources v) {
  uint32_t width = ptx::bits(s.type);
  uint64_t all = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  auto u32 = [&](size_t i) { return static_cast<uint32_t>(v[i]); };
  auto is = [&](std::string_view name) { return s.name == name; };

  if (is("and")) return Result{v[0] & v[1]};
  if (is("or")) return Result{v[0] | v[1]};
  if (is("xor")) return Result{v[0] ^ v[1]};
  if (is("not")) return Result{~v[0] & all};
  if (is("cnot")) return Result{v[0] == 0 ? 1u : 0u};
  if (is("mov")) return Result{v[0]};
  if (is("lop3")) {
    uint64_t d = 0;
    for (uint32_t i = 0; i < 32; ++i) {
      uint32_t index = uint32_t{bit(v[0], i)} << 2 | uint32_t{bit(v[1], i)} << 1 | uint32_t{bit(v[2], i)};
      d |= uint64_t{bit(v[3], index)} << i;
    }
    return Result{d};
  }
  if (is("shl")) return Result{shift(true, s, v[0], u32(1))};
  if (is("shr")) return Result{shift(false, s, v[0], u32(1))};
  if (is("shf")) return Result{funnel(s, u32(0), u32(1), u32(2))};
  if (is("prmt")) return Result{prmt(s, u32(0), u32(1), u32(2))};
  if (is("popc") || is("clz")) {
    uint64_t ones = 0, zeros = width;
    for (uint32_t i = 0; i < width; ++i) {
      if (!bit(v[0], i)) continue;
      ++ones;
      zeros = width - 1 - i;
    }
    return Result{is("popc") ? ones : zeros};
  }
  if (is("bfind")) return Result{bfind(s, v[0])};
  if (is("brev")) {
    uint64_t d = 0;
    for (uint32_t i = 0; i < width; ++i) d |= uint64_t{bit(v[0], i)} << (width - 1 - i);
    return Result{d};
  }
  bool is_signed = info(s.type).kind == ptx::TypeKind::Signed;
  if (is("bfe")) return Result{bfe(is_signed, width, v[0], u32(1), u32(2))};
  if (is("bfi")) return Result{bfi(width, v[0], v[1], u32(2), u32(3))};
  if (is("szext")) {
    uint32_t n = s.has(Mod::Wrap) ? u32(1) & 31 : u32(1);
    return Result{bfe(is_signed, 32, v[0], 0, n < 32 ? n : 32)};
  }
  if (is("bmsk")) {
    uint32_t first = s.has(Mod::Wrap) ? u32(0) & 31 : u32(0), count = s.has(Mod::Wrap) ? u32(1) & 31 : u32(1);
    uint64_t d = 0;
    for (uint32_t i = 0; i < 32; ++i) d |= uint64_t{i >= first && i - first < count} << i;
    return Result{d};
  }
  return std::nullopt;
}

}  // namespace warptime::sim
