// Neighbouring threads read words of shared memory that are `stride` apart, 16 times.
extern "C" __global__ void read_shared(float* out, int stride) {
  __shared__ float words[1024];
  int t = threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int i = t; i < 1024; i += 32) words[i] = i;
  __syncthreads();
#pragma unroll 1
  for (int i = 0; i < 16; i++) sum += words[t * stride + i];
  out[t] = sum;
}
