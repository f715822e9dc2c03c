// Prices of options: the closed form by transcendental functions, and a binomial tree with a barrier for each step.
//
//   nvcc -ptx -arch=compute_75 -lineinfo options.cu -o options.ptx
#include "digest.cuh"

__device__ float normal_cdf(float x) { return 0.5f * erfcf(-0.70710678f * x); }

// European calls and puts by the formula of Black and Scholes.
extern "C" __global__ void option_prices(const float* spot, const float* strike, const float* years, float* call,
                                         float* put, int count, float rate, float volatility) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float t = years[i], s = spot[i], k = strike[i], spread = volatility * sqrtf(t);
  float d1 = (logf(s / k) + (rate + 0.5f * volatility * volatility) * t) / spread;
  float d2 = d1 - spread, discounted = k * expf(-rate * t);
  float value = s * normal_cdf(d1) - discounted * normal_cdf(d2);
  call[i] = value;
  put[i] = value + discounted - s;
}

// American puts: a block of 256 threads for each option, a tree of 255 steps in shared memory.
extern "C" __global__ void binomial_put(const float* spot, float* price, float strike, float up, float up_share,
                                        float discount) {
  __shared__ float value[2][256];
  int i = threadIdx.x;
  float log_up = __log2f(up), s = spot[blockIdx.x];
  float here = s * exp2f(log_up * (2 * i - 255));
  value[0][i] = fmaxf(strike - here, 0);
  __syncthreads();
  for (int step = 254, from = 0; step >= 0; --step, from ^= 1) {
    here *= up;
    if (i <= step) {
      float held = discount * (up_share * value[from][i + 1] + (1 - up_share) * value[from][i]);
      value[from ^ 1][i] = fmaxf(held, strike - here);
    }
    __syncthreads();
  }
  if (i == 0) price[blockIdx.x] = value[1][0];
}
