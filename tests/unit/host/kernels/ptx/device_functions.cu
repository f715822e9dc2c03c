// Device functions that are not inlined: structures by value, narrow types, a function that calls another, results that
// lanes return at different times.
//
//   nvcc -ptx -arch=compute_75 -lineinfo device_functions.cu -o device_functions.ptx
struct Pair {
  float x;
  int k[3];
  unsigned char bytes[4];
};

__device__ __noinline__ int collatz(unsigned n) {
  int steps = 0;
  while (n != 1) {
    n = (n & 1) ? 3 * n + 1 : n / 2;
    ++steps;
  }
  return steps;
}

__device__ __noinline__ Pair mix(Pair p, short s, signed char c) {
  if (p.x < 0) return p;
  p.x += s;
  p.k[1] = collatz(p.k[0] + 1);
  p.k[2] -= c;
  p.bytes[2] = static_cast<unsigned char>(c);
  return p;
}

__device__ __noinline__ void put(int* to, int value) { *to = value; }

__device__ __noinline__ long long wide(long long a, int b) { return a * b; }

extern "C" __global__ void functions(int* out, const int* in, Pair* pairs, long long* products, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  put(out + i, collatz(in[i]));
  if (i & 1) pairs[i] = mix(pairs[i], short(-i), static_cast<signed char>(i * 5));
  products[i] = wide(3000000000ll + i, in[i]);
}
