// Wrong: the sum of a block lacks the barrier after the loads.
//   nvcc -ptx -arch=compute_75 -lineinfo fault.cu -o fault.ptx
extern "C" __global__ void k(const unsigned* in, unsigned* out) {
  __shared__ unsigned part[128];
  unsigned t = threadIdx.x;
  part[t] = in[blockIdx.x * 128 + t];  // <- found here
#pragma unroll 1
  for (unsigned half = 64; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];  // <- the other access
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}
