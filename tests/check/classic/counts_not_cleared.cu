// Counts in shared memory that nothing has set to 0.
__global__ void count(const unsigned* in, unsigned* bins) {
  __shared__ unsigned part[32];
  atomicAdd(&part[in[blockIdx.x * 128 + threadIdx.x] % 32], 1u);
  __syncthreads();
  if (threadIdx.x < 32) atomicAdd(&bins[threadIdx.x], part[threadIdx.x]);
}
