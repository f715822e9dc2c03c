// Constant and global variables with first values: tables of numbers and structs, an array of pointers to others, text.
#include "program.h"

struct Row {
  unsigned char key;
  short value;
  double scale;
};

__constant__ unsigned kPrimes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
__constant__ Row kRows[4] = {{1, -5, 0.5}, {2, 300, 4}, {250, -32768, -1.25}, {4, 77, 8}};
#ifdef ON_GPU
__device__ unsigned first[4] = {0xdeadbeef, 1, 2, 3}, second[2] = {7, 0x80000000}, third[1] = {99};
__device__ unsigned* lists[3] = {first, second + 1, third};
__device__ const char text[] = "what a warp does and why it waits";
#else
inline unsigned first[4] = {0xdeadbeef, 1, 2, 3}, second[2] = {7, 0x80000000}, third[1] = {99};
inline unsigned* lists[3] = {first, second + 1, third};
inline const char text[] = "what a warp does and why it waits";
#endif

DEVICE unsigned value_of(const unsigned* in, unsigned i) {
  const Row& row = kRows[in[i] % 4];
  unsigned sum = kPrimes[in[i + 1] % 8] * row.key + static_cast<unsigned>(row.value);
  sum += static_cast<unsigned>(static_cast<int>(row.scale * static_cast<double>(in[i] & 0xff)));
  sum = sum * 31 + *lists[in[i + 2] % 3] + lists[0][in[i + 3] % 4];
  for (unsigned k = in[i] % sizeof text; k < sizeof text; k += 3) sum = sum * 31 + static_cast<unsigned char>(text[k]);
  return sum;
}

EACH_THREAD(value_of)
