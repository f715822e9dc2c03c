// Copies and fills: in all directions, by address, asynchronous from page-locked memory, and of planes with a pitch.
// Needs nothing beyond compute capability 1.0.
#include "program.h"

__global__ void negate(int* plane, size_t pitch, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) {
    int* at = (int*)((char*)plane + y * pitch) + x;
    *at = -*at;
  }
}

int main() {
  const int n = 5000, width = 37, height = 19;
  int wrong = 0;
  std::vector<int> numbers(n), back(n);
  for (int i = 0; i < n; i++) numbers[i] = i * 7 - 3;
  Array<int> a(n), b(n);
  CHECK(cudaMemcpy(a, numbers.data(), n * 4, cudaMemcpyDefault));
  CHECK(cudaMemcpy(b, a, n * 4, cudaMemcpyDeviceToDevice));
  CHECK(cudaMemcpy(b + 100, numbers.data(), 400, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(back.data(), b, n * 4, cudaMemcpyDefault));
  for (int i = 0; i < n; i++) wrong += back[i] != numbers[i >= 100 && i < 200 ? i - 100 : i];

  int* locked;
  cudaStream_t stream;
  CHECK(cudaMallocHost((void**)&locked, n * 4));
  CHECK(cudaStreamCreate(&stream));
  std::memcpy(locked, numbers.data(), n * 4);
  CHECK(cudaMemsetAsync(b, 0xff, n * 4, stream));
  CHECK(cudaMemcpyAsync(b, locked, n * 2, cudaMemcpyHostToDevice, stream));
  CHECK(cudaMemcpyAsync(locked, b, n * 4, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  for (int i = 0; i < n; i++) wrong += locked[i] != (i < n / 2 ? numbers[i] : -1);

  int* plane;
  size_t pitch;
  CHECK(cudaMallocPitch((void**)&plane, &pitch, width * 4, height));
  wrong += pitch < width * 4;
  CHECK(cudaMemset2D(plane, pitch, 0, width * 4, height));
  CHECK(cudaMemcpy2D(plane, pitch, numbers.data(), width * 4, width * 4, height, cudaMemcpyHostToDevice));
  negate<<<dim3((width + 15) / 16, (height + 7) / 8), dim3(16, 8)>>>(plane, pitch, width, height);
  CHECK(cudaMemcpy2DAsync(locked, 80, plane + 5, pitch, 80, height, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  for (int y = 0; y < height; y++)
    for (int x = 0; x < 20; x++) wrong += locked[y * 20 + x] != -numbers[y * width + x + 5];
  CHECK(cudaFree(plane));
  CHECK(cudaFreeHost(locked));
  CHECK(cudaStreamDestroy(stream));
  return verdict("copies", wrong);
}
