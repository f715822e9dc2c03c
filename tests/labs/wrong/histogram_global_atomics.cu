// Wrong: each element is an atomic operation on global memory.
__global__ void histogram(const unsigned* data, unsigned* bins, int n) {
  int first = blockIdx.x * 1024 + threadIdx.x;
  for (int k = 0; k < 8; ++k)
    if (first + k * 128 < n) atomicAdd(&bins[data[first + k * 128]], 1u);
}
