// y = alpha * x + y, one thread an element (BLAS level 1).
//
//   nvcc -ptx -arch=compute_75 -lineinfo saxpy.cu -o saxpy.ptx
extern "C" __global__ void saxpy(int n, float alpha, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = alpha * x[i] + y[i];
}
