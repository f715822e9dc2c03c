// Dynamic shared memory, cut into two arrays: every block sorts 64 keys with what belongs to them (bitonic).
#include "program.h"

constexpr unsigned kKeys = 64;

#ifdef ON_GPU
extern __shared__ unsigned memory[];

KERNEL {
  unsigned* keys = memory;
  auto* values = reinterpret_cast<unsigned short*>(memory + kKeys);
  unsigned at = THREAD;
  if (at < kKeys) {
    keys[at] = in[BLOCK * kKeys + at];
    values[at] = static_cast<unsigned short>(at);
  }
  for (unsigned size = 2; size <= kKeys; size *= 2) {
    for (unsigned step = size / 2; step > 0; step /= 2) {
      BARRIER();
      unsigned other = at ^ step;
      if (at < kKeys && other > at && (keys[at] > keys[other]) == ((at & size) == 0)) {
        unsigned key = keys[at];
        unsigned short value = values[at];
        keys[at] = keys[other];
        values[at] = values[other];
        keys[other] = key;
        values[other] = value;
      }
    }
  }
  BARRIER();
  if (at < kKeys) out[BLOCK * kKeys + at] = keys[at] ^ values[at];
}
#else
REFERENCE {
  for (unsigned block = 0; block < kBlocks; ++block) {
    unsigned *keys = out + block * kKeys, values[kKeys];
    for (unsigned k = 0; k < kKeys; ++k) {  // no two keys are equal
      unsigned key = in[block * kKeys + k], to = k;
      for (; to > 0 && keys[to - 1] > key; --to) keys[to] = keys[to - 1], values[to] = values[to - 1];
      keys[to] = key;
      values[to] = k;
    }
    for (unsigned k = 0; k < kKeys; ++k) keys[k] ^= values[k];
  }
}
#endif
