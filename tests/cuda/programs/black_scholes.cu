// Prices of options by the formula of Black and Scholes. Needs nothing beyond compute capability 1.0.
#include "program.h"

template <class T>
__host__ __device__ inline T normal(T d) {
  T k = T(1) / (T(1) + T(0.2316419) * (d < 0 ? -d : d));
  T tail = T(0.39894228040143) * exp(T(-0.5) * d * d) *
           (k * (T(0.31938153) + k * (T(-0.356563782) + k * (T(1.781477937) + k * (T(-1.821255978) + k * T(1.330274429))))));
  return d > 0 ? T(1) - tail : tail;
}
template <class T>
__host__ __device__ inline void price(T stock, T strike, T years, T& call, T& put) {
  const T rate = T(0.02), volatility = T(0.3);
  T root = sqrt(years), d1 = (log(stock / strike) + (rate + T(0.5) * volatility * volatility) * years) / (volatility * root);
  T d2 = d1 - volatility * root, discount = exp(-rate * years);
  call = stock * normal(d1) - strike * discount * normal(d2);
  put = strike * discount * (T(1) - normal(d2)) - stock * (T(1) - normal(d1));
}
__global__ void prices(const float* stock, const float* strike, const float* years, float* call, float* put, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) price(stock[i], strike[i], years[i], call[i], put[i]);
}

int main() {
  const int n = 3000;
  std::vector<float> stock(n), strike(n), years(n);
  std::vector<double> calls(n), puts(n);
  unsigned state = 3;
  for (int i = 0; i < n; i++) {
    stock[i] = 5 + 25 * draw_float(state), strike[i] = 1 + 99 * draw_float(state), years[i] = 0.25f + 9 * draw_float(state);
    price<double>(stock[i], strike[i], years[i], calls[i], puts[i]);
  }
  Array<float> a(stock), b(strike), c(years), call(n), put(n);
  prices<<<(n + 127) / 128, 128>>>(a, b, c, call, put, n);
  return verdict("black_scholes", differences(call.get(), calls, 1e-4) + differences(put.get(), puts, 1e-4));
}
