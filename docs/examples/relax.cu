// One step of a one-dimensional Jacobi iteration: every inner value becomes the mean of its neighbors. `*moved` gets 1 if
// one of them moved by more than `limit`. The host calls it until none does (docs/python.md).
//
//   nvcc -ptx -arch=compute_75 -lineinfo relax.cu -o relax.ptx
extern "C" __global__ void relax(float* to, const float* from, int n, float limit, int* moved) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float value = from[i];
  if (i > 0 && i < n - 1) value = 0.5f * (from[i - 1] + from[i + 1]);
  to[i] = value;
  if (fabsf(value - from[i]) > limit) *moved = 1;
}
