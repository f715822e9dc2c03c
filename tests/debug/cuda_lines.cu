__device__ __forceinline__ void add(int* bins, int i) {
  atomicAdd(bins + i, 1);
}

__global__ void count(const float* x, int* bins) {
  __shared__ float tile[32];
  tile[threadIdx.x] = x[threadIdx.x] + 0.5f;
  __syncthreads();
  add(bins, (int)tile[31 - threadIdx.x]);
}
