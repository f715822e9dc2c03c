// What the launch files of this folder compare: two or four numbers computed from an output, after the kernel that is
// measured. Words are compared bit for bit, whatever the order of the blocks; sums of floating-point numbers are added in
// a fixed order, and compared with a tolerance where the kernel uses approximate instructions.

// sums[0]: the sum of a hash of each word and its index; sums[1]: their exclusive or.
extern "C" __global__ void digest_words(const unsigned* words, unsigned count, unsigned* sums) {
  unsigned sum = 0, parity = 0;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    unsigned hash = words[i] + i * 0x9e3779b9u;
    hash = (hash ^ (hash >> 16)) * 0x7feb352du;
    hash ^= hash >> 15;
    sum += hash;
    parity ^= hash;
  }
  atomicAdd(sums, sum);
  atomicXor(sums + 1, parity);
}

template <class Number>
__device__ void digest_numbers(const Number* numbers, unsigned count, double* sums) {
  __shared__ double part[256];
  double sum = 0;
  for (unsigned i = blockIdx.x * 256 + threadIdx.x; i < count; i += gridDim.x * 256) sum += numbers[i];
  part[threadIdx.x] = sum;
  for (unsigned width = 128; width > 0; width /= 2) {
    __syncthreads();
    if (threadIdx.x < width) part[threadIdx.x] += part[threadIdx.x + width];
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

// sums[b]: the sum of the numbers that block b of 256 threads adds.
extern "C" __global__ void digest_floats(const float* numbers, unsigned count, double* sums) {
  digest_numbers(numbers, count, sums);
}

extern "C" __global__ void digest_doubles(const double* numbers, unsigned count, double* sums) {
  digest_numbers(numbers, count, sums);
}
