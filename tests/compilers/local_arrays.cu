// Arrays of a thread's own, indexed by data: sorting, a heap, permutations, bytes behind pointers.
#include "program.h"

CALLED void sorted(unsigned short* values, int count) {
  for (int k = 1; k < count; ++k) {
    unsigned short v = values[k];
    int at = k;
    for (; at > 0 && values[at - 1] > v; --at) values[at] = values[at - 1];
    values[at] = v;
  }
}

CALLED void push(unsigned* heap, int& size, unsigned value) {
  int at = size++;
  while (at > 0 && heap[(at - 1) / 2] > value) {
    heap[at] = heap[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  heap[at] = value;
}

DEVICE unsigned value_of(const unsigned* in, unsigned i) {
  unsigned short shorts[17];
  for (int k = 0; k < 17; ++k) shorts[k] = static_cast<unsigned short>(in[i + k]);
  sorted(shorts, 17);
  unsigned heap[12];
  int size = 0;
  for (unsigned k = 0; k < 12; ++k) push(heap, size, in[(i + k * 5) % kWords]);
  unsigned char order[32];
  for (unsigned k = 0; k < 32; ++k) order[k] = static_cast<unsigned char>(k);
  for (unsigned k = 31; k > 0; --k) {
    unsigned other = in[i + k] % (k + 1);
    unsigned char kept = order[k];
    order[k] = order[other];
    order[other] = kept;
  }
  Unsigned64 sum = 1;
  for (int k = 0; k < 17; ++k) sum = sum * 31 + shorts[k];
  for (int k = 0; k < size; ++k) sum = sum * 31 + heap[k];
  const unsigned char* at = order;
  for (int k = 0; k < 32; ++k) at = order + *at, sum = sum * 31 + *at;
  return static_cast<unsigned>(sum ^ (sum >> 32));
}

EACH_THREAD(value_of)
