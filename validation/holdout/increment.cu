// A float is read, incremented and written back in place by each thread, in three orders of addresses; written from the
// slide "Coalescing: Timing Results" (CUDA tutorial 2008, docs/sources.md).
//
//   nvcc -ptx -arch=compute_75 -lineinfo increment.cu -o increment.ptx
extern "C" __global__ void increment(float* a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = a[i] + 1.0f;
}

// Neighbouring threads have their places exchanged: a half-warp touches the words of one segment, but out of order.
extern "C" __global__ void increment_swapped(float* a) {
  int i = blockIdx.x * blockDim.x + (threadIdx.x ^ 1);
  a[i] = a[i] + 1.0f;
}

// A thread has three neighbouring words, so that a load of a half-warp is of every third word.
extern "C" __global__ void increment_float3(float3* a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float3 v = a[i];
  v.x += 2;
  v.y += 2;
  v.z += 2;
  a[i] = v;
}
