// A fast Walsh transform of 1024 numbers: butterflies in place in shared memory, four numbers per thread with a barrier
// before each stage and a last stage of pairs, then in a second kernel one stage across the blocks, in place in global
// memory. Every stage writes only what its own thread has read.
#include "program.h"

constexpr unsigned kPoints = 512, kWalshThreads = kPoints / 4, kWalshBlocks = kWords / kPoints;

DEVICE unsigned bits(float v) {
  union {
    float f;
    unsigned u;
  } both;
  both.f = v;
  return both.u;
}
DEVICE float number(unsigned v) {
  union {
    unsigned u;
    float f;
  } both;
  both.u = v;
  return both.f;
}
DEVICE float first_value(unsigned word) { return static_cast<float>(static_cast<int>(word) >> 8) * 0x1p-12f; }

#ifdef ON_GPU
KERNEL {
  __shared__ float points[kPoints];
  unsigned t = THREAD, base = BLOCK * kPoints;
  for (unsigned p = t; p < kPoints; p += kWalshThreads) points[p] = first_value(in[base + p]);
  for (unsigned stride = kPoints / 4; stride > 0; stride >>= 2) {
    BARRIER();
    unsigned low = t & (stride - 1), p = (t - low) * 4 + low;
    float a = points[p], b = points[p + stride], c = points[p + 2 * stride], d = points[p + 3 * stride];
    float sum = a + c, other_sum = b + d, difference = a - c, other_difference = b - d;
    points[p] = sum + other_sum;
    points[p + stride] = sum - other_sum;
    points[p + 2 * stride] = difference + other_difference;
    points[p + 3 * stride] = difference - other_difference;
  }
  BARRIER();
  for (unsigned pair = t; pair < kPoints / 2; pair += kWalshThreads) {
    float a = points[2 * pair], b = points[2 * pair + 1];
    points[2 * pair] = a + b;
    points[2 * pair + 1] = a - b;
  }
  BARRIER();
  for (unsigned p = t; p < kPoints; p += kWalshThreads) out[base + p] = bits(points[p]);
}
SECOND_KERNEL {
  for (unsigned p = BLOCK * kWalshThreads + THREAD; p < kPoints; p += kWalshBlocks * kWalshThreads) {
    float a = number(out[p]), b = number(out[p + kPoints]);
    out[p] = bits(a + b);
    out[p + kPoints] = bits(a - b);
  }
}
#else
// Stage by stage, which adds the same numbers in the same order as two stages at once.
REFERENCE {
  float points[kWords];
  for (unsigned p = 0; p < kWords; ++p) points[p] = first_value(in[p]);
  auto stage = [&points](unsigned stride) {
    for (unsigned p = 0; p < kWords; ++p) {
      if ((p & stride) != 0) continue;
      float a = points[p], b = points[p + stride];
      points[p] = a + b;
      points[p + stride] = a - b;
    }
  };
  // Two stages at once take the upper of their strides first.
  for (unsigned stride = kPoints / 2; stride > 0; stride /= 2) stage(stride);
  stage(kPoints);
  for (unsigned p = 0; p < kWords; ++p) out[p] = bits(points[p]);
}
#endif
