// Half precision by cuda_fp16.h: sums, products, fused steps and comparisons, one number or two at a time; conversions.
#include "program.h"

#ifdef ON_GPU
#include <cuda_fp16.h>
using Half = __half;
using Pair = __half2;
DEVICE Half from_float(float x) { return __float2half_rn(x); }
DEVICE Half below(float x) { return __float2half_rd(x); }
DEVICE Half above(float x) { return __float2half_ru(x); }
DEVICE Half from_int(int x) { return __int2half_rn(x); }
DEVICE float to_float(Half x) { return __half2float(x); }
DEVICE int to_int(Half x) { return __half2int_rz(x); }
DEVICE unsigned bits_of(Half x) { return __half_as_ushort(x); }
DEVICE Half sum(Half a, Half b) { return __hadd(a, b); }
DEVICE Half fused(Half a, Half b, Half c) { return __hfma(a, b, c); }
DEVICE bool less(Half a, Half b) { return __hlt(a, b); }
DEVICE Pair pair(Half low, Half high) { return __halves2half2(low, high); }
DEVICE Half low(Pair p) { return __low2half(p); }
DEVICE Half high(Pair p) { return __high2half(p); }
DEVICE Pair sums(Pair a, Pair b) { return __hadd2(a, b); }
DEVICE Pair differences(Pair a, Pair b) { return __hsub2(a, b); }
DEVICE Pair products(Pair a, Pair b) { return __hmul2(a, b); }
DEVICE Pair all_fused(Pair a, Pair b, Pair c) { return __hfma2(a, b, c); }
DEVICE Pair negated(Pair a) { return __hneg2(a); }
DEVICE bool both_less(Pair a, Pair b) { return __hblt2(a, b); }
DEVICE Half limited(Half a, Half b) { return __hadd_sat(a, b); }
#else
#include "narrow_numbers.h"
using Half = Narrow<11, -14>;
using Pair = NarrowPair<Half>;
inline Half from_float(float x) { return Half::of(x); }
inline Half below(float x) { return Half::of(x, -1); }
inline Half above(float x) { return Half::of(x, 1); }
inline Half from_int(int x) { return Half::of(x); }
inline float to_float(Half x) { return static_cast<float>(x.value); }
inline int to_int(Half x) { return static_cast<int>(std::fmin(std::fmax(x.value, -0x1p31), 0x7fffffff)); }
inline unsigned bits_of(Half x) { return x.bits(); }
inline Half sum(Half a, Half b) { return Half::of(a.value + b.value); }
inline Half fused(Half a, Half b, Half c) { return Half::of(std::fma(a.value, b.value, c.value)); }
inline bool less(Half a, Half b) { return a.value < b.value; }
inline Pair pair(Half low, Half high) { return {low, high}; }
inline Half low(Pair p) { return p.low; }
inline Half high(Pair p) { return p.high; }
inline Pair sums(Pair a, Pair b) { return {sum(a.low, b.low), sum(a.high, b.high)}; }
inline Pair negated(Pair a) { return {{-a.low.value}, {-a.high.value}}; }
inline Pair differences(Pair a, Pair b) { return sums(a, negated(b)); }
inline Pair products(Pair a, Pair b) { return {Half::of(a.low.value * b.low.value), Half::of(a.high.value * b.high.value)}; }
inline Pair all_fused(Pair a, Pair b, Pair c) { return {fused(a.low, b.low, c.low), fused(a.high, b.high, c.high)}; }
inline bool both_less(Pair a, Pair b) { return less(a.low, b.low) && less(a.high, b.high); }
inline Half limited(Half a, Half b) { return Half::of(std::fmin(std::fmax(a.value + b.value, 0), 1)); }
#endif

DEVICE unsigned value_of(const unsigned* in, unsigned i) {
  float x = static_cast<float>(static_cast<int>(in[i])) * 0x1p-26f, y = static_cast<float>(in[i + 1]) * 0x1p-33f;
  float tiny = static_cast<float>(static_cast<int>(in[i + 2])) * 0x1p-47f;
  Half a = from_float(x), b = below(y), c = above(tiny), d = from_int(static_cast<int>(in[i + 3]) >> 14);
  Pair p = pair(a, b), q = pair(c, d), r = sums(p, q);
  r = all_fused(r, p, differences(q, r));
  Pair s = products(negated(r), pair(b, a));
  unsigned out = bits_of(low(r)) * 3 + bits_of(high(r)) * 5 + bits_of(low(s)) * 7 + bits_of(high(s)) * 11;
  out += bits_of(fused(a, c, b)) * 13 + bits_of(limited(a, b)) * 17 + static_cast<unsigned>(to_int(a));
  out += static_cast<unsigned>(to_float(b) * 1024.0f) + less(a, b) * 19 + both_less(p, q) * 23;
  return out * 31 + bits_of(c) + bits_of(d) * 37;
}

EACH_THREAD(value_of)
