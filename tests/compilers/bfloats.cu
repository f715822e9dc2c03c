// bf16 by cuda_bf16.h: fused steps, sums as compute capability 8.0 makes them of fused steps, minimum and maximum,
// conversions of two numbers at once.
//
//   nvcc -ptx -std=c++17 -fmad=false -arch=compute_80 -lineinfo bfloats.cu -o ptx/bfloats.nvcc-sm_80.ptx
#include "program.h"

#ifdef ON_GPU
#include <cuda_bf16.h>
using Number = __nv_bfloat16;
using Pair = __nv_bfloat162;
DEVICE Pair from_floats(float low, float high) { return __floats2bfloat162_rn(low, high); }
DEVICE Number cut(float x) { return __float2bfloat16_rz(x); }
DEVICE float low_float(Pair p) { return __low2float(p); }
DEVICE unsigned bits_of(Number x) { return __bfloat16_as_ushort(x); }
DEVICE Number low(Pair p) { return __low2bfloat16(p); }
DEVICE Number high(Pair p) { return __high2bfloat16(p); }
DEVICE Pair sums(Pair a, Pair b) { return __hadd2(a, b); }
DEVICE Pair products(Pair a, Pair b) { return __hmul2(a, b); }
DEVICE Pair all_fused(Pair a, Pair b, Pair c) { return __hfma2(a, b, c); }
DEVICE Pair least(Pair a, Pair b) { return __hmin2(a, b); }
DEVICE Number greatest(Number a, Number b) { return __hmax(a, b); }
DEVICE Number size_of(Number a) { return __habs(a); }
DEVICE bool less(Number a, Number b) { return __hlt(a, b); }
#else
#include "narrow_numbers.h"
using Number = Narrow<8, -126>;
using Pair = NarrowPair<Number>;
inline Pair from_floats(float low, float high) { return {Number::of(low), Number::of(high)}; }
inline Number cut(float x) { return Number::of(x, x < 0 ? 1 : -1); }
inline float low_float(Pair p) { return static_cast<float>(p.low.value); }
inline unsigned bits_of(Number x) { return x.bits(); }
inline Number low(Pair p) { return p.low; }
inline Number high(Pair p) { return p.high; }
inline Number fused(Number a, Number b, Number c) { return Number::of(std::fma(a.value, b.value, c.value)); }
inline Pair all_fused(Pair a, Pair b, Pair c) { return {fused(a.low, b.low, c.low), fused(a.high, b.high, c.high)}; }
inline Pair sums(Pair a, Pair b) { return all_fused(a, {{1}, {1}}, b); }
inline Pair products(Pair a, Pair b) { return all_fused(a, b, {{-0.0}, {-0.0}}); }
inline Pair least(Pair a, Pair b) { return {{std::fmin(a.low.value, b.low.value)}, {std::fmin(a.high.value, b.high.value)}}; }
inline Number greatest(Number a, Number b) { return {std::fmax(a.value, b.value)}; }
inline Number size_of(Number a) { return {std::fabs(a.value)}; }
inline bool less(Number a, Number b) { return a.value < b.value; }
#endif

DEVICE unsigned value_of(const unsigned* in, unsigned i) {
  float x = static_cast<float>(static_cast<int>(in[i])) * 0x1p-20f, y = static_cast<float>(in[i + 1]) * 0x1p-30f;
  float z = static_cast<float>(static_cast<int>(in[i + 2])), small = static_cast<float>(in[i + 3]) * 0x1p-90f;
  Pair p = from_floats(x, z), q = from_floats(y, small), r = all_fused(p, q, sums(q, p));
  Pair s = least(products(r, q), p);
  unsigned out = bits_of(low(r)) * 3 + bits_of(high(r)) * 5 + bits_of(low(s)) * 7 + bits_of(high(s)) * 11;
  out += bits_of(cut(x)) * 13 + bits_of(greatest(low(p), high(r))) * 17 + bits_of(size_of(low(p))) * 19;
  return out * 31 + less(low(p), low(q)) * 23 + static_cast<unsigned>(low_float(q) * 4096.0f);
}

EACH_THREAD(value_of)
