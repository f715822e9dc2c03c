// Compiled with debug information: variables of every kind that a debugger finds by their names.
//
//   nvcc -ptx -arch=compute_75 -G debug_info.cu -o debug_info.ptx
constexpr int TILE = 16;

struct Point {
  float x, y;
  int tag[2];
};

__constant__ float weights[4];
__device__ int counter;

__device__ __noinline__ float twice(float v) {
  float result = v * 2;
  return result;
}

__global__ void scale(const float* in, float* out, int n, Point p) {
  __shared__ float tile[TILE][TILE + 1];
  __shared__ int flags;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float scratch[4];
  if (threadIdx.x == 0) flags = 3;
  tile[threadIdx.x / TILE][threadIdx.x % TILE] = in[i];
  __syncthreads();
  if (i < n) {
    float v = tile[threadIdx.x / TILE][threadIdx.x % TILE];
    for (int k = 0; k < 4; k++) {
      float w = weights[k] * p.x;
      scratch[k] = v * w + twice(w);
    }
    bool large = scratch[i & 3] > 100;
    out[i] = large ? scratch[0] + flags : p.tag[1];
  }
}
