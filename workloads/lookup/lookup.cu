// Reads a table in constant memory: all threads of a block the same entry at a time, or each its own.
//
//   nvcc -ptx -arch=compute_75 -lineinfo lookup.cu -o lookup.ptx
constexpr unsigned kEntries = 16384;  // 64 KB, all that a module may declare

__constant__ unsigned table[kEntries];

/// `mask`: entries in use, a power of two, minus 1.
extern "C" __global__ void uniform(unsigned* out, unsigned n, unsigned rounds, unsigned mask) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, sum = i;
#pragma unroll 1
  for (unsigned k = 0; k < rounds; k++) sum = sum * 33 + table[(blockIdx.x + k * 5) & mask];
  if (i < n) out[i] = sum;
}

extern "C" __global__ void scattered(unsigned* out, unsigned n, unsigned rounds, unsigned mask) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, sum = i;
#pragma unroll 1
  for (unsigned k = 0; k < rounds; k++) sum = sum * 33 + table[(i * 17 + k * 5) & mask];
  if (i < n) out[i] = sum;
}
