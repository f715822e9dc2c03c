// A search for the key of an RC5-32/12/9 cipher (Rivest 1994) whose plaintext and ciphertext block are known: each
// thread expands `keys` consecutive keys and encrypts the plaintext with each. What is indexed by constants only, the
// 26 subkeys and 3 key words, lives in registers, so the loops over them are unrolled: all (`unrolled`), or all but that
// of the three passes over the subkeys (`rolled`), in which the key's words change places after each pass (26 is 2 more
// than a multiple of 3).
//
//   nvcc -ptx -arch=compute_75 -lineinfo rc5.cu -o rc5.ptx
constexpr int kRounds = 12, kSubkeys = 2 * (kRounds + 1), kKeyWords = 3;
constexpr unsigned kP = 0xb7e15163, kQ = 0x9e3779b9;
constexpr unsigned kScreen = 0xf;  // bits of the first word that are compared before the second is computed

__device__ __forceinline__ unsigned rotate_left(unsigned x, unsigned n) { return __funnelshift_l(x, x, n); }

// The subkeys of the key l. kUnrolled: passes that are one piece of code.
template <int kUnrolled>
__device__ __forceinline__ void expand(unsigned (&s)[kSubkeys], unsigned (&l)[kKeyWords]) {
  unsigned a = 0, b = 0;
#pragma unroll
  for (int i = 0; i < kSubkeys; i++) s[i] = kP + i * kQ;
#pragma unroll kUnrolled
  for (int pass = 0; pass < 3; pass++) {
#pragma unroll
    for (int i = 0; i < kSubkeys; i++) {
      a = s[i] = rotate_left(s[i] + (a + b), 3);
      b = l[i % kKeyWords] = rotate_left(l[i % kKeyWords] + (a + b), a + b);
    }
    unsigned last = l[2];
    l[2] = l[1];
    l[1] = l[0];
    l[0] = last;
  }
}

// found: the key's words. screened: by thread, keys whose first word agrees with the ciphertext's in the bits kScreen.
template <int kUnrolled>
__device__ __forceinline__ void search(unsigned plain_a, unsigned plain_b, unsigned cipher_a, unsigned cipher_b,
                                       unsigned low, unsigned middle, unsigned high, unsigned keys, unsigned* found,
                                       unsigned* screened) {
  unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned offset = thread * keys;
  low += offset;
  if (low < offset && ++middle == 0) ++high;
  unsigned passed = 0;
#pragma unroll 1
  for (unsigned k = 0; k < keys; k++) {
    unsigned s[kSubkeys], l[kKeyWords] = {low, middle, high};
    expand<kUnrolled>(s, l);
    unsigned a = plain_a + s[0], b = plain_b + s[1];
#pragma unroll
    for (int i = 1; i < kRounds; i++) {
      a = rotate_left(a ^ b, b) + s[2 * i];
      b = rotate_left(b ^ a, a) + s[2 * i + 1];
    }
    a = rotate_left(a ^ b, b) + s[2 * kRounds];
    if (((a ^ cipher_a) & kScreen) == 0) {
      passed++;
      b = rotate_left(b ^ a, a) + s[2 * kRounds + 1];
      if (a == cipher_a && b == cipher_b) {
        found[0] = low;
        found[1] = middle;
        found[2] = high;
      }
    }
    if (++low == 0 && ++middle == 0) ++high;
  }
  screened[thread] = passed;
}

#define KERNEL(name, unrolled)                                                                                        \
  extern "C" __global__ void name(unsigned plain_a, unsigned plain_b, unsigned cipher_a, unsigned cipher_b,           \
                                  unsigned low, unsigned middle, unsigned high, unsigned keys, unsigned* found,       \
                                  unsigned* screened) {                                                               \
    search<unrolled>(plain_a, plain_b, cipher_a, cipher_b, low, middle, high, keys, found, screened);                 \
  }
KERNEL(search_rolled, 1)
KERNEL(search_unrolled, 3)
