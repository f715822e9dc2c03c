// Each thread doubles one number.
extern "C" __global__ void twice(float* x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = 2 * x[i];
}
