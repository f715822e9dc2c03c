#include "reference.h"

namespace warptime::sim {

using ptx::Type;

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
  uint32_t width = ptx::bits(type);
  uint64_t top = uint64_t{1} << (width - 1), all = top | (top - 1);
  return {0,   1,       2,   7,       8,       width - 1, width, width + 1, 0xff, 0x5555555555555555u & all,
          all, all - 1, top, top + 1, top - 1, top >> 1};
}

}  // namespace warptime::sim
