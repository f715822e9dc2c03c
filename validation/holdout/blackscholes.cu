// Prices of European call and put options by the formula of Black and Scholes, with the polynomial of degree 5 for the
// cumulative normal distribution (Hull 1997). Written from Podlozhnyuk 2007c (docs/sources.md): one array for each
// input, a loop over all options in steps of the grid; fast intrinsics, and roots and quotients as compute capability
// 1.0 has them.
//
//   nvcc -ptx -arch=compute_75 -lineinfo -prec-sqrt=false -prec-div=false blackscholes.cu -o blackscholes.ptx

__device__ __forceinline__ float cumulative_normal(float d) {
  float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  float tail = 0.39894228f * __expf(-0.5f * d * d) *
               (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0 ? 1.0f - tail : tail;
}

extern "C" __global__ void price(float* call, float* put, const float* stock, const float* strike, const float* years,
                                 float rate, float volatility, int options) {
  int first = blockDim.x * blockIdx.x + threadIdx.x;
  int step = blockDim.x * gridDim.x;
#pragma unroll 1  // as compilers of 2007 left a loop of unknown length
  for (int i = first; i < options; i += step) {
    float s = stock[i], x = strike[i], t = years[i];
    float root = sqrtf(t);
    float d1 = (__logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
    float d2 = d1 - volatility * root;
    float n1 = cumulative_normal(d1), n2 = cumulative_normal(d2);
    float discounted = x * __expf(-rate * t);
    call[i] = s * n1 - discounted * n2;
    put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
  }
}
