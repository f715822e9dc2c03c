// Integer programs: SHA-256 of short messages, queens on a board, a hash table.
//
//   nvcc -ptx -arch=compute_75 -lineinfo digits.cu -o digits.ptx
#include "digest.cuh"

__constant__ unsigned kRound[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

__device__ unsigned rotated(unsigned x, int by) { return __funnelshift_r(x, x, by); }

// FIPS 180-4: a thread hashes a message of 8 words.
extern "C" __global__ void sha256(const unsigned* messages, unsigned* hashes, int count) {
  int m = blockIdx.x * blockDim.x + threadIdx.x;
  if (m >= count) return;
  unsigned w[16] = {}, state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  for (int i = 0; i < 8; ++i) w[i] = messages[m * 8 + i];
  w[8] = 0x80000000;
  w[15] = 256;
  unsigned a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], f = state[5], g = state[6], h = state[7];
#pragma unroll
  for (int round = 0; round < 64; ++round) {
    unsigned& word = w[round % 16];
    if (round >= 16) {
      unsigned x = w[(round + 1) % 16], y = w[(round + 14) % 16];
      word += (rotated(x, 7) ^ rotated(x, 18) ^ (x >> 3)) + w[(round + 9) % 16] + (rotated(y, 17) ^ rotated(y, 19) ^ (y >> 10));
    }
    unsigned first = h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + ((e & f) ^ (~e & g)) + kRound[round] + word;
    unsigned second = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + first, d = c, c = b, b = a, a = first + second;
  }
  unsigned sum[8] = {a, b, c, d, e, f, g, h};
  for (int i = 0; i < 8; ++i) hashes[m * 8 + i] = state[i] + sum[i];
}

// Solutions with `size` queens whose first three are in the columns that the index of the thread says.
extern "C" __global__ void queens(unsigned* solutions, int size, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  unsigned columns = 0, left = 0, right = 0, all = (1u << size) - 1, found = 0;
  unsigned stack[16][4];
  bool possible = true;
  for (int row = 0, rest = i; row < 3; ++row, rest /= size) {
    unsigned bit = 1u << rest % size;
    possible = possible && !((columns | left | right) & bit);
    columns |= bit;
    left = (left | bit) << 1;
    right = (right | bit) >> 1;
  }
  int depth = 0;
  unsigned open = possible ? all & ~(columns | left | right) : 0;
  while (true) {
    if (open == 0) {
      if (depth == 0) break;
      --depth;
      columns = stack[depth][0], left = stack[depth][1], right = stack[depth][2], open = stack[depth][3];
      continue;
    }
    unsigned bit = open & (0 - open);
    open ^= bit;
    if ((columns | bit) == all) {
      ++found;
      continue;
    }
    stack[depth][0] = columns, stack[depth][1] = left, stack[depth][2] = right, stack[depth][3] = open;
    ++depth;
    columns |= bit;
    left = (left | bit) << 1;
    right = (right | bit) >> 1;
    open = all & ~(columns | left | right);
  }
  solutions[i] = found;
}

__device__ unsigned slot_of(unsigned key, unsigned mask) { return (key * 2654435761u >> 7) & mask; }

// Not measured: puts keys (not 0) into a table of mask + 1 slots.
extern "C" __global__ void hash_insert(const unsigned* keys, unsigned count, unsigned* table, unsigned mask) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  unsigned slot = slot_of(keys[i], mask);
  while (true) {
    unsigned there = atomicCAS(table + slot, 0, keys[i]);
    if (there == 0 || there == keys[i]) return;
    slot = (slot + 1) & mask;
  }
}

// Whether each key is in the table.
extern "C" __global__ void hash_probe(const unsigned* keys, unsigned count, const unsigned* table, unsigned mask,
                                      unsigned* found) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  unsigned key = keys[i], slot = slot_of(key, mask), there;
  while ((there = table[slot]) != 0 && there != key) slot = (slot + 1) & mask;
  found[i] = there == key;
}
