// Threads with the same value read and write the same count.
__global__ void count(const unsigned* in, unsigned* bins) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bins[in[i] % 32] += 1;
}
