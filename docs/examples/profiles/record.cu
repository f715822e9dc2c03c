// The program whose profiles the tests read, recorded on an NVIDIA H100 80GB HBM3 (driver 580.159.04, CUDA 13.0, Nsight
// Compute 2025.3.1) by these commands; METRICS are the columns "Metric Name" of ncu-rows.csv. Of ncu-raw.csv only the
// columns were kept that are in neither of the groups c2clink, nvlink, numa, profiler and device, but for the device's name.
//
//   nvcc -arch=native record.cu -o record
//   ncu --csv --metrics METRICS ./record > ncu-rows.csv
//   ncu --csv --page raw --print-kernel-base mangled --metrics METRICS ./record > ncu-raw.csv
extern "C" __global__ void vecadd(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

namespace scaled {
template <class T>
__global__ void scale(T* x, T by, int n) {
  __shared__ T tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? x[i] : T(0);
  __syncthreads();
  if (i < n) x[i] = by * tile[255 - threadIdx.x];
}
}  // namespace scaled

int main() {
  const int n = 4096;
  float *a, *b, *c;
  cudaMalloc(&a, n * 4);
  cudaMalloc(&b, n * 4);
  cudaMalloc(&c, n * 4);
  vecadd<<<n / 256, 256>>>(a, b, c, n);
  scaled::scale<float><<<n / 256, 256>>>(c, 2.0f, n);
  vecadd<<<n / 256, 256>>>(a, c, b, n);
  return cudaDeviceSynchronize();
}
