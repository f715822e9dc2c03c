// Adds `in` block by block: 256 threads load 256 numbers, then half of them add the other half's, and so on.
extern "C" __global__ void block_sum(const float* in, float* out) {
  __shared__ float part[256];
  int t = threadIdx.x;
  part[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}
