// The functions that main.cu calls. Made by
//   nvcc -ptx -arch=compute_75 -lineinfo -rdc=true functions.cu -o functions.ptx

static __device__ unsigned next(unsigned n) { return n % 2 ? 3 * n + 1 : n / 2; }
__device__ int collatz(unsigned n) {
  int length = 0;
  for (; n != 1; length++) n = next(n);
  return length;
}
__device__ float polynomial(float x, const float* coefficients, int count) {
  float value = 0;
  for (int i = count - 1; i >= 0; i--) value = value * x + coefficients[i];
  return value;
}
