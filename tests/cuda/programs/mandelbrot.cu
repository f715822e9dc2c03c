// The set of Mandelbrot, whose threads leave their loops at different times. Needs nothing beyond compute capability 1.0.
#include "program.h"

// In whole numbers, so that host and device agree.
__host__ __device__ inline int escape(int px, int py) {
  const int one = 1 << 12;
  int cx = px * 3 * one / 96 - 2 * one, cy = py * 2 * one / 64 - one, x = 0, y = 0, n = 0;
  while (n < 60 && x * x / one + y * y / one < 4 * one) {
    int next = x * x / one - y * y / one + cx;
    y = 2 * x * y / one + cy;
    x = next;
    n++;
  }
  return n;
}
__global__ void draw_set(unsigned char* image, int width) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  image[y * width + x] = escape(x, y);
}

int main() {
  const int width = 96, height = 64;
  std::vector<unsigned char> expected(width * height);
  for (int i = 0; i < width * height; i++) expected[i] = escape(i % width, i / width);
  Array<unsigned char> image(width * height);
  draw_set<<<dim3(width / 16, height / 8), dim3(16, 8)>>>(image, width);
  return verdict("mandelbrot", differences(image.get(), expected));
}
