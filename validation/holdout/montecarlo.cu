// Monte Carlo pricing of European call options: 16 blocks for an option sum the payoffs of all paths, which the options
// share; a second kernel adds the partial sums of each option. Written from listings 1 and 2 of Podlozhnyuk & Harris
// 2008 (docs/sources.md); the second kernel is described there, not printed.
//
//   nvcc -ptx -arch=compute_75 -lineinfo montecarlo.cu -o montecarlo.ptx
constexpr int kMostOptions = 512, kThreads = 256;

__constant__ float spot[kMostOptions], strike[kMostOptions], drift[kMostOptions], spread[kMostOptions];

__device__ __forceinline__ float end_call_value(float s, float x, float r, float mu_by_t, float v_by_sqrt_t) {
  float value = s * __expf(mu_by_t + v_by_sqrt_t * r) - x;
  return value > 0 ? value : 0;
}

// blockIdx.y is the option. Each thread leaves the sum of its payoffs and that of their squares.
extern "C" __global__ void sum_paths(const float* samples, float2* sums, int paths) {
  int option = blockIdx.y;
  float s = spot[option], x = strike[option], mu_by_t = drift[option], v_by_sqrt_t = spread[option];
  int first = blockIdx.x * blockDim.x + threadIdx.x;
  int step = blockDim.x * gridDim.x;
  float2 sum = {0, 0};
#pragma unroll 1  // as compilers of 2007 left a loop of unknown length
  for (int i = first; i < paths; i += step) {
    float value = end_call_value(s, x, samples[i], mu_by_t, v_by_sqrt_t);
    sum.x += value;
    sum.y += value * value;
  }
  sums[option * step + first] = sum;
}

// A block for each option adds its `count` partial sums: a tree in shared memory.
extern "C" __global__ void add_sums(const float2* sums, float2* results, int count) {
  __shared__ float values[kThreads], squares[kThreads];
  sums += blockIdx.x * count;
  float2 sum = {0, 0};
#pragma unroll 1
  for (int i = threadIdx.x; i < count; i += kThreads) {
    float2 part = sums[i];
    sum.x += part.x;
    sum.y += part.y;
  }
  values[threadIdx.x] = sum.x;
  squares[threadIdx.x] = sum.y;
#pragma unroll 1
  for (int half = kThreads / 2; half > 0; half >>= 1) {
    __syncthreads();
    if (threadIdx.x < half) {
      values[threadIdx.x] += values[threadIdx.x + half];
      squares[threadIdx.x] += squares[threadIdx.x + half];
    }
  }
  if (threadIdx.x == 0) results[blockIdx.x] = make_float2(values[0], squares[0]);
}
