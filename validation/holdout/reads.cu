// Few blocks read an array: each has a piece of its own, which its threads read in coalesced 32-bit loads, one after
// the other. A sum for each thread keeps the loads alive. Written from topic 1369 (NVIDIA forum 2007, docs/sources.md).
//
//   nvcc -ptx -arch=compute_75 -lineinfo reads.cu -o reads.ptx
extern "C" __global__ void reads(const float* in, float* out, int words_per_block) {
  int end = (blockIdx.x + 1) * words_per_block;
  float sum = 0;
#pragma unroll 1  // as compilers of 2007 left a loop of unknown length
  for (int i = blockIdx.x * words_per_block + threadIdx.x; i < end; i += blockDim.x) sum += in[i];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
