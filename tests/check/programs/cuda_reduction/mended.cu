// The twin of fault.cu without its fault: the sum of a block lacks the barrier after the loads.
//   nvcc -ptx -arch=compute_75 -lineinfo mended.cu -o mended.ptx
extern "C" __global__ void k(const unsigned* in, unsigned* out) {
  __shared__ unsigned part[128];
  unsigned t = threadIdx.x;
  part[t] = in[blockIdx.x * 128 + t];
  __syncthreads();
#pragma unroll 1
  for (unsigned half = 64; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}
