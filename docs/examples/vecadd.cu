// A whole CUDA program: adds two vectors on the device and checks the sum. Built by
//   nvcc -cudart shared -lineinfo vecadd.cu -o vecadd
// and run by `warptime exec -- ./vecadd [ELEMENTS]`.
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void add(const float* a, const float* b, float* sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] = a[i] + b[i];
}

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::printf("%s\n", cudaGetErrorString(error));
  std::exit(1);
}

int main(int count, char** words) {
  int n = count > 1 ? std::atoi(words[1]) : 100000;
  size_t bytes = n * sizeof(float);
  std::vector<float> a(n), b(n), sum(n);
  for (int i = 0; i < n; i++) a[i] = i, b[i] = 2 * i;

  float *on_device_a, *on_device_b, *on_device_sum;
  check(cudaMalloc(&on_device_a, bytes));
  check(cudaMalloc(&on_device_b, bytes));
  check(cudaMalloc(&on_device_sum, bytes));
  check(cudaMemcpy(on_device_a, a.data(), bytes, cudaMemcpyHostToDevice));
  check(cudaMemcpy(on_device_b, b.data(), bytes, cudaMemcpyHostToDevice));
  add<<<(n + 255) / 256, 256>>>(on_device_a, on_device_b, on_device_sum, n);
  check(cudaGetLastError());
  check(cudaMemcpy(sum.data(), on_device_sum, bytes, cudaMemcpyDeviceToHost));

  for (int i = 0; i < n; i++)
    if (sum[i] != a[i] + b[i]) return std::printf("element %d is wrong\n", i), 1;
  std::printf("%d sums are right\n", n);
}
