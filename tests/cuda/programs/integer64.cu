// Whole numbers of 64 bits: products, quotients, shifts and bits. Needs nothing beyond compute capability 1.0.
#include "program.h"

typedef unsigned long long Wide;
const int kResults = 8;

__global__ void compute(const Wide* a, const Wide* b, Wide* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Wide x = a[i], y = b[i];
  Wide* mine = out + i * kResults;
  mine[0] = x * y + (x >> 3);
  mine[1] = x / y;
  mine[2] = x % y;
  mine[3] = (Wide)((long long)x / (long long)(y | 1));
  mine[4] = x << (y & 63) | x >> (64 - (y & 63) & 63);
  mine[5] = __umul64hi(x, y);
  mine[6] = __popcll(x) * 100 + __clzll(y);
  mine[7] = __brevll(x) ^ (Wide)((long long)y >> 7);
}

int main() {
  const int n = 300;
  std::vector<Wide> a(n), b(n), expected;
  unsigned state = 23;
  for (int i = 0; i < n; i++) {
    a[i] = (Wide)draw(state) << 32 | draw(state);
    b[i] = ((Wide)draw(state) << 32 | draw(state)) >> i % 60;
    if (b[i] == 0) b[i] = 3;
    Wide x = a[i], y = b[i], reversed = 0;
    for (int bit = 0; bit < 64; bit++) reversed |= (x >> bit & 1) << (63 - bit);
    expected.push_back(x * y + (x >> 3));
    expected.push_back(x / y);
    expected.push_back(x % y);
    expected.push_back((Wide)((long long)x / (long long)(y | 1)));
    expected.push_back(x << (y & 63) | x >> ((64 - (y & 63)) & 63));
    expected.push_back((Wide)((unsigned __int128)x * y >> 64));
    expected.push_back(__builtin_popcountll(x) * 100 + __builtin_clzll(y));
    expected.push_back(reversed ^ (Wide)((long long)y >> 7));
  }
  Array<Wide> on_a(a), on_b(b), out(n * kResults);
  compute<<<(n + 63) / 64, 64>>>(on_a, on_b, out, n);
  return verdict("integer64", differences(out.get(), expected));
}
