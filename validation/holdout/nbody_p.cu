// The accelerations that bodies give each other, with p threads per block and tiles of p bodies, after listings 31-1 to
// 31-3 of Nyland 2007 (docs/sources.md): a thread sums the pull on one body, four interactions per pass of the loop
// over a tile. A body is (x, y, z, mass). `tiles` of the bodies are summed over; p is a multiple of 4.
//
//   nvcc -ptx -arch=compute_75 -lineinfo nbody_p.cu -o nbody_p.ptx
__device__ __forceinline__ float3 add_pull(float3 sum, float4 on, float4 by, float softening) {
  float x = by.x - on.x, y = by.y - on.y, z = by.z - on.z;
  float square = x * x + y * y + z * z + softening;
  float scale = by.w * rsqrtf(square * square * square);
  sum.x += x * scale;
  sum.y += y * scale;
  sum.z += z * scale;
  return sum;
}

extern "C" __global__ void accelerate(const float4* bodies, float4* accelerations, int tiles, float softening) {
  extern __shared__ float4 tile[];
  int body = blockIdx.x * blockDim.x + threadIdx.x;
  float4 on = bodies[body];
  float3 sum = {0.0f, 0.0f, 0.0f};
#pragma unroll 1
  for (int t = 0; t < tiles; t++) {
    tile[threadIdx.x] = bodies[t * blockDim.x + threadIdx.x];
    __syncthreads();
#pragma unroll 1  // the four calls below are the unrolling that the chapter describes
    for (int i = 0; i < blockDim.x; i += 4) {
      sum = add_pull(sum, on, tile[i], softening);
      sum = add_pull(sum, on, tile[i + 1], softening);
      sum = add_pull(sum, on, tile[i + 2], softening);
      sum = add_pull(sum, on, tile[i + 3], softening);
    }
    __syncthreads();
  }
  accelerations[body] = make_float4(sum.x, sum.y, sum.z, 0.0f);
}
