// Integers and text: Collatz, bits, a word in a text, check sums.
//
//   nvcc -ptx -arch=compute_75 -lineinfo integers.cu -o integers.ptx
#include "digest.cuh"

// Steps to 1, for numbers from `first` on.
extern "C" __global__ void collatz(unsigned* steps, unsigned first, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  unsigned long long n = first + i;
  unsigned done = 0;
  for (; n > 1; ++done) n = n & 1 ? 3 * n + 1 : n / 2;
  steps[i] = done;
}

// Pairs of rows of 512 bits: in how many bits they differ. A thread for each pair.
extern "C" __global__ void bit_distances(const uint4* a, const uint4* b, unsigned* distance, int count) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= count) return;
  unsigned sum = 0;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    uint4 u = a[y * 4 + i], v = b[x * 4 + i];
    sum += __popc(u.x ^ v.x) + __popc(u.y ^ v.y) + __popc(u.z ^ v.z) + __popc(u.w ^ v.w);
  }
  distance[y * count + x] = sum;
}

// How often a word of `length` letters begins at one of the places of each thread's 16.
extern "C" __global__ void find_word(const unsigned char* text, int count, const unsigned char* word, int length,
                                     unsigned* found) {
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * 16;
  unsigned number = 0;
  for (int i = first; i < min(first + 16, count - length + 1); ++i) {
    int k = 0;
    while (k < length && text[i + k] == word[k]) ++k;
    number += k == length;
  }
  found[blockIdx.x * blockDim.x + threadIdx.x] = number;
}

// CRC-32 of a row of words for each thread, bit by bit; rows are stored word by word.
extern "C" __global__ void crc_rows(const unsigned* in, unsigned* sums, int rows, int words) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  unsigned crc = ~0u;
  for (int i = 0; i < words; ++i) {
    crc ^= in[i * rows + row];
    for (int bit = 0; bit < 32; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
  }
  sums[row] = ~crc;
}
