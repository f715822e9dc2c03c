#include <bit>
#include <cmath>

#include "reference.h"

namespace warptime::sim {

using ptx::Type;

namespace {

std::vector<uint32_t> half_magnitudes(Type type) {
  if (type == Type::F16)
    return {0x0000, 0x0001, 0x0002, 0x01ff, 0x0200, 0x03fe, 0x03ff,           // zero, subnormal
            0x0400, 0x0401, 0x07ff, 0x0800, 0x0c00, 0x1000, 0x1400, 0x1401,   // smallest normal ones, 2^-12 to 2^-10
            0x3c00, 0x3c01, 0x3bff, 0x37ff, 0x3800, 0x4000, 0x3e00, 0x4100,   // around 1 and 1/2; 2, 1.5, 2.5
            0x4248, 0x3555, 0x2e66, 0x4900, 0x5640, 0x57f8, 0x5800, 0x5bfc,   // pi, 1/3, 0.1, 10, 100; 8 bits
            0x5c00, 0x63ff, 0x6400, 0x6800, 0x6801, 0x77ff, 0x7800, 0x7801,   // 2^10, 2^11, 2^15
            0x7bfe, 0x7bff, 0x7c00, 0x7c01, 0x7dff, 0x7e00, 0x7ff7, 0x7fff};  // largest, infinity, NaNs
  return {0x0000, 0x0001, 0x0002, 0x003f, 0x0040, 0x007e, 0x007f,             // zero, subnormal
          0x0080, 0x0081, 0x00ff, 0x0100, 0x1f80, 0x1f81, 0x2000, 0x2001,     // smallest normal ones, around 2^-64
          0x3f80, 0x3f81, 0x3f7f, 0x3eff, 0x3f00, 0x4000, 0x3fc0, 0x4020,     // around 1 and 1/2; 2, 1.5, 2.5
          0x4049, 0x3eab, 0x3dcd, 0x4120, 0x42c8, 0x42ff, 0x4300, 0x437f,     // pi, 1/3, 0.1, 10, 100; 8 bits
          0x4380, 0x4700, 0x477f, 0x4780, 0x4b00, 0x4eff, 0x4f00, 0x4f80,     // limits of 16, 24 and 32 bits
          0x5eff, 0x5f00, 0x5f80, 0x7e80, 0x7f00, 0x7f7e, 0x7f7f, 0x7f80,     // 64 bits, largest, infinity
          0x7f81, 0x7fbf, 0x7fc0, 0x7ff7, 0x7fff, 0x3400, 0x3380, 0x3c00};    // NaNs, 2^-23, 2^-24
}

/// Each value as the lower half, with others as the upper one.
std::vector<uint64_t> side_by_side(const std::vector<uint64_t>& halves, uint32_t bits) {
  std::vector<uint64_t> out;
  for (size_t i = 0; i < halves.size(); ++i)
    for (size_t other : {i, i * 31 + 7, i * 17 + 3}) out.push_back(halves[i] | halves[other % halves.size()] << bits);
  return out;
}

/// f32 and f64 that are, or are halfway between, numbers of a narrower type, and their neighbours.
std::vector<uint64_t> values_to_round(Type type, Type narrow) {
  std::vector<uint64_t> out;
  std::vector<uint32_t> sizes = half_magnitudes(narrow == Type::F16 ? Type::F16 : Type::BF16);
  for (uint32_t size : sizes) {
    uint32_t next = size + 1;
    if (narrow == Type::TF32) {
      size <<= 16;
      next = size + 0x2000;
    }
    double x = narrow_value(narrow, size), y = narrow_value(narrow, next), middle = x + (y - x) / 2;
    if (!std::isfinite(x)) continue;
    if (!std::isfinite(y)) middle = x + (x - narrow_value(narrow, size - (next - size))) / 2;  // halfway to infinity
    uint64_t sign = 0;
    for (double value : {x, middle}) {
      bool wide = type == Type::F64;
      uint64_t bits = wide ? std::bit_cast<uint64_t>(value) : std::bit_cast<uint32_t>(static_cast<float>(value)),
               top = wide ? 63 : 31;
      for (uint64_t near : {bits, bits + 1, bits - 1}) {
        if (near == bits - 1 && bits == 0) continue;
        out.push_back(near | (sign ^= 1) << top);
        if (value == middle && near == bits) out.push_back(near | (sign ^ 1) << top);
      }
    }
  }
  return out;
}

}  // namespace

double narrow_value(Type type, uint64_t bits) {
  if (type != Type::F16) {
    auto word = static_cast<uint32_t>(type == Type::TF32 ? bits : bits << 16);
    return static_cast<double>(std::bit_cast<float>(word));
  }
  double sign = (bits & 0x8000) != 0 ? -1 : 1;
  auto fraction = static_cast<double>(bits & 0x3ff);
  int exponent = static_cast<int>(bits >> 10 & 0x1f);
  if (exponent == 31) return fraction == 0 ? sign * HUGE_VAL : std::nan("");
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

std::vector<uint64_t> operand_values(const Spelled& spelled, Type type) {
  std::vector<uint64_t> out = edge_values(type);
  Type narrow = half_element(spelled.type) != Type::None ? half_element(spelled.type) : spelled.type;
  bool narrows = spelled.name == "cvt" && (narrow == Type::F16 || narrow == Type::BF16 || narrow == Type::TF32);
  if (!narrows || (type != Type::F32 && type != Type::F64)) return out;
  for (uint64_t bits : values_to_round(type, narrow)) out.push_back(bits);
  return out;
}

std::vector<uint64_t> edge_values(Type type) {
  std::vector<uint64_t> values;
  if (type == Type::Pred) return {0, 1};
  if (type == Type::F32) {
    for (uint32_t size : {0x00000000u, 0x00000001u, 0x00000002u, 0x00400000u, 0x007fffffu,  // zero, subnormal
                          0x00800000u, 0x00800001u, 0x00ffffffu, 0x01000000u,               // smallest normal ones
                          0x3f800000u, 0x3f800001u, 0x3f7fffffu, 0x3effffffu, 0x3f000000u,  // around 1 and 1/2
                          0x40000000u, 0x3fc00000u, 0x40200000u, 0x40490fdbu, 0x3fc90fdbu,  // 2, 1.5, 2.5, pi, pi/2
                          0x3eaaaaabu, 0x3dcccccdu, 0x41200000u, 0x42c80000u,               // 1/3, 0.1, 10, 100
                          0x437f0000u, 0x43800000u, 0x46fffe00u, 0x47000000u, 0x477fff00u,  // limits of 8 and 16 bits
                          0x4affffffu, 0x4b000000u, 0x4b7fffffu, 0x4b800000u, 0x4b800001u,  // around 2^23 and 2^24
                          0x4effffffu, 0x4f000000u, 0x4f7fffffu, 0x4f800000u,               // limits of 32 bits
                          0x5effffffu, 0x5f000000u, 0x5f7fffffu, 0x5f800000u,               // limits of 64 bits
                          0x7e800000u, 0x7f000000u, 0x7f7fffffu, 0x7f800000u,  // 2^126, 2^127, largest, infinity
                          0x7f800001u, 0x7fc00000u, 0x7fffffffu, 0x34000000u, 0x33800000u}) {  // NaNs; 2^-23, 2^-24
      values.push_back(size);
      values.push_back(size | 0x80000000u);
    }
    return values;
  }
  if (type == Type::F64) {
    for (uint64_t size : std::initializer_list<uint64_t>{
             0x0000000000000000u, 0x0000000000000001u, 0x0000000000000003u, 0x0008000000000000u,  // 0, subnormal
             0x000fffffffffffffu, 0x0010000000000000u, 0x0010000000000001u, 0x001fffffffffffffu,
             0x0360000000000000u, 0x1e60000000000001u, 0x1ff0000000000001u,  // products that underflow
             0x3690000000000000u, 0x3690000000000001u, 0x36a0000000000000u,  // around the least f32
             0x380fffffe0000000u, 0x380fffffefffffffu, 0x380ffffff0000000u, 0x380ffffff8000000u,
             0x3810000000000000u,                       // around its least normal
             0x3ca0000000000000u, 0x3cb0000000000001u,  // 2^-53, 2^-52
             0x3fefffffffffffffu, 0x3ff0000000000000u, 0x3ff0000000000001u, 0x3ff8000000000000u,  // around 1
             0x3fe0000000000000u, 0x3fd5555555555555u, 0x3fb999999999999au, 0x4000000000000000u,
             0x4004000000000000u, 0x400921fb54442d18u, 0x4024000000000000u,  // 2.5, pi, 10
             0x3ff0000010000000u, 0x3ff0000010000001u, 0x3ff0000030000000u,  // halfway between two f32
             0x405fe00000000000u, 0x4060100000000000u, 0x406fe00000000000u, 0x4070080000000000u,  // 8 bits
             0x40dfffe000000000u, 0x40e0000000000000u, 0x40efffefffffffffu,                       // limits of 16 bits
             0x41dfffffffc00000u, 0x41dfffffffe00000u, 0x41e0000000000000u, 0x41efffffffe00000u,
             0x41effffffff00000u, 0x41f0000000000000u,                                            // limits of 32 bits
             0x432fffffffffffffu, 0x4330000000000000u, 0x433fffffffffffffu, 0x4340000000000000u,  // 2^52, 2^53
             0x43dfffffffffffffu, 0x43e0000000000000u, 0x43efffffffffffffu, 0x43f0000000000000u,  // 64 bits
             0x47efffffe0000000u, 0x47efffffefffffffu, 0x47effffff0000000u, 0x47f0000000000000u,  // largest f32
             0x5fe0000000000001u, 0x7fd0000000000000u, 0x7fe0000000000000u, 0x7fefffffffffffffu,  // large
             0x7ff0000000000000u, 0x7ff0000000000001u, 0x7ff4000020000001u, 0x7ff8000000000000u,
             0x7ff8000000001234u, 0x7fffffffffffffffu}) {  // infinity, NaNs
      values.push_back(size);
      values.push_back(size | 0x8000000000000000u);
    }
    return values;
  }
  if (type == Type::F16 || type == Type::BF16) {
    for (uint32_t size : half_magnitudes(type)) {
      values.push_back(size);
      values.push_back(size | 0x8000);
    }
    return values;
  }
  if (info(type).kind == ptx::TypeKind::Packed)
    return side_by_side(edge_values(element_type(type)), ptx::bits(type) / 2);
  uint32_t width = ptx::bits(type);
  auto add = [&](uint64_t v) { values.push_back(width == 64 ? v : v & ((uint64_t{1} << width) - 1)); };
  for (uint64_t v : {0u, 1u, 2u, 3u, 5u, 7u, 10u, 15u, 16u, 17u, 31u, 32u, 33u, 63u, 64u, 65u, 127u, 128u, 255u, 256u})
    add(v);
  for (uint64_t v : {1u, 2u, 3u, 7u, 10u, 128u, 129u}) add(uint64_t{0} - v);
  for (uint32_t bit = 15; bit < width; bit += 8) {  // 15, 23, 31 ...: limits of narrower types
    add((uint64_t{1} << bit) - 1);
    add(uint64_t{1} << bit);
    add((uint64_t{1} << bit) + 1);
  }
  // Halfway between two f32, and between two f64.
  if (width >= 32) add((uint64_t{1} << 24) + 1), add((uint64_t{1} << 24) + 3);
  if (width == 64) add((uint64_t{1} << 54) + 2), add((uint64_t{1} << 54) + 6);
  for (uint64_t v : std::initializer_list<uint64_t>{0xaaaaaaaaaaaaaaaau, 0x5555555555555555u, 0x123456789abcdef0u,
                                                    0xfedcba9876543210u, 0x00ff00ff00ff00ffu, 0xffffffff00000000u,
                                                    0x00000000ffffffffu, 0x8000000000000000u, 0x7fffffffffffffffu})
    add(v);
  return values;
}

std::vector<uint64_t> core_values(Type type) {
  if (type == Type::Pred) return {0, 1};
  if (type == Type::F32)  // zeros, ones, and what has a product or quotient around the least normal number
    return {0x00000000u, 0x80000000u, 0x00000001u, 0x807fffffu, 0x00800000u, 0x00800001u, 0x80ffffffu, 0x3f000000u,
            0x3f7fffffu, 0xbf800000u, 0x3f800001u, 0x7e800000u, 0xff7fffffu, 0x7f800000u, 0xff800000u, 0xffa00001u};
  if (type == Type::F64)
    return {0x0000000000000000u, 0x8000000000000000u, 0x0000000000000001u, 0x800fffffffffffffu,
            0x0010000000000000u, 0x0010000000000001u, 0x801fffffffffffffu, 0x3fe0000000000000u,
            0x3fefffffffffffffu, 0xbff0000000000000u, 0x3ff0000000000001u, 0x7fd0000000000000u,
            0xffefffffffffffffu, 0x7ff0000000000000u, 0xfff0000000000000u, 0xfff4000000000001u};
  if (type == Type::F16)
    return {0x0000u, 0x8000u, 0x0001u, 0x83ffu, 0x0400u, 0x0401u, 0x87ffu, 0x3800u,
            0x3bffu, 0xbc00u, 0x3c01u, 0x7800u, 0xfbffu, 0x7c00u, 0xfc00u, 0x7ff7u};
  if (type == Type::BF16)
    return {0x0000u, 0x8000u, 0x0001u, 0x807fu, 0x0080u, 0x0081u, 0x80ffu, 0x3f00u,
            0x3f7fu, 0xbf80u, 0x3f81u, 0x7e80u, 0xff7fu, 0x7f80u, 0xff80u, 0x7ff7u};
  if (info(type).kind == ptx::TypeKind::Packed)
    return side_by_side(core_values(element_type(type)), ptx::bits(type) / 2);
  uint32_t width = ptx::bits(type);
  uint64_t top = uint64_t{1} << (width - 1), all = top | (top - 1);
  return {0,   1,       2,   7,       8,       width - 1, width, width + 1, 0xff, 0x5555555555555555u & all,
          all, all - 1, top, top + 1, top - 1, top >> 1};
}

}  // namespace warptime::sim
