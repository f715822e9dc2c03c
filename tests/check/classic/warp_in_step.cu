// The last steps of a sum, for which the lanes of a warp are taken to run in step.
__global__ void total(const int* in, int* out) {
  __shared__ int part[64];
  part[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 32) {
    part[threadIdx.x] += part[threadIdx.x + 32];
    part[threadIdx.x] += part[threadIdx.x + 16];
    part[threadIdx.x] += part[threadIdx.x + 8];
    part[threadIdx.x] += part[threadIdx.x + 4];
    part[threadIdx.x] += part[threadIdx.x + 2];
    part[threadIdx.x] += part[threadIdx.x + 1];
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}
