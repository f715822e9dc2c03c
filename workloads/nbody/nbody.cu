// The accelerations that bodies give each other, all pairs, after Nyland, Harris and Prins, GPU Gems 3, chapter 31: a
// thread sums the pull on one body; its block reads the others a tile of 256 at a time into shared memory, where all
// threads read the same body at once. A body is (x, y, z, mass); the distance is softened, so that a body needs no
// exception for itself. `tiles` of the bodies are summed over.
//
//   nvcc -ptx -arch=compute_75 -lineinfo nbody.cu -o nbody.ptx
constexpr int kTile = 256;

__device__ __forceinline__ float3 add_pull(float3 sum, float4 on, float4 by, float softening) {
  float x = by.x - on.x, y = by.y - on.y, z = by.z - on.z;
  float square = x * x + softening;
  square = y * y + square;
  square = z * z + square;
  float scale = by.w * rsqrtf(square * square * square);
  sum.x += x * scale;
  sum.y += y * scale;
  sum.z += z * scale;
  return sum;
}

template <int kUnrolled>
__device__ __forceinline__ void accelerate(const float4* bodies, float4* accelerations, int tiles, float softening) {
  __shared__ float4 tile[kTile];
  int body = blockIdx.x * kTile + threadIdx.x;
  float4 on = bodies[body];
  float3 sum = {0.0f, 0.0f, 0.0f};
  bodies += threadIdx.x;
#pragma unroll 1
  for (int t = 0; t < tiles; t++) {
    tile[threadIdx.x] = *bodies;
    bodies += kTile;
    __syncthreads();
#pragma unroll kUnrolled
    for (int i = 0; i < kTile; i++) sum = add_pull(sum, on, tile[i], softening);
    __syncthreads();
  }
  accelerations[body] = make_float4(sum.x, sum.y, sum.z, 0.0f);
}

extern "C" __global__ void accelerate_rolled(const float4* bodies, float4* accelerations, int tiles,
                                             float softening) {
  accelerate<1>(bodies, accelerations, tiles, softening);
}

extern "C" __global__ void accelerate_unrolled(const float4* bodies, float4* accelerations, int tiles,
                                               float softening) {
  accelerate<4>(bodies, accelerations, tiles, softening);
}
