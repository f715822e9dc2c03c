// The last thread writes behind the first array, which is where the second one begins.
__global__ void two(const int* in, int* out) {
  __shared__ int left[32], right[32];
  right[threadIdx.x] = 1;
  left[threadIdx.x + 1] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = left[(threadIdx.x + 1) % 32] + right[threadIdx.x];
}
