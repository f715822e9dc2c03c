// Life on a torus, with planes of bytes that have a pitch. Needs nothing beyond compute capability 1.0.
#include "program.h"

__host__ __device__ inline unsigned char next_of(const unsigned char* plane, size_t pitch, int size, int x, int y) {
  int count = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
      if (dx != 0 || dy != 0) count += plane[(y + dy + size) % size * pitch + (x + dx + size) % size];
  return count == 3 || (count == 2 && plane[y * pitch + x]);
}
__global__ void generation(const unsigned char* from, unsigned char* to, size_t pitch, int size) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x < size) to[y * pitch + x] = next_of(from, pitch, size, x, y);
}

int main() {
  const int size = 50, generations = 6;
  std::vector<unsigned char> plane(size * size), next(size * size), got(size * size);
  unsigned state = 87;
  for (auto& cell : plane) cell = draw(state) % 3 == 0;
  unsigned char *a, *b;
  size_t pitch;
  CHECK(cudaMallocPitch((void**)&a, &pitch, size, size));
  CHECK(cudaMallocPitch((void**)&b, &pitch, size, size));
  CHECK(cudaMemcpy2D(a, pitch, plane.data(), size, size, size, cudaMemcpyHostToDevice));
  for (int i = 0; i < generations; i++, std::swap(a, b)) generation<<<dim3(2, size), 32>>>(a, b, pitch, size);
  CHECK(cudaMemcpy2D(got.data(), size, a, pitch, size, size, cudaMemcpyDeviceToHost));
  for (int i = 0; i < generations; i++, std::swap(plane, next))
    for (int cell = 0; cell < size * size; cell++) next[cell] = next_of(plane.data(), size, size, cell % size, cell / size);
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
  return verdict("game_of_life", differences(got, plane));
}
