// A 3 x 3 filter with the weights 1 2 1, 2 4 2, 1 2 1 (sixteenths) over an image, whose edge texels go on beyond the
// edge: by four filtered texture fetches, by nine plain ones, and by nine loads from global memory.
//
//   nvcc -ptx -arch=compute_75 -lineinfo smooth.cu -o smooth.ptx
extern "C" __global__ void smooth_linear(cudaTextureObject_t image, int width, int height, float* out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  // Texel (i, j) has its centre at (i + 0.5, j + 0.5): between four of them each counts a quarter.
  float sum = tex2D<float>(image, x, y) + tex2D<float>(image, x + 1, y) + tex2D<float>(image, x, y + 1) +
              tex2D<float>(image, x + 1, y + 1);
  out[y * width + x] = sum * 0.25f;
}

extern "C" __global__ void smooth_point(cudaTextureObject_t image, int width, int height, float* out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
#pragma unroll
  for (int dy = -1; dy <= 1; ++dy)
#pragma unroll
    for (int dx = -1; dx <= 1; ++dx)
      sum += (2 - dx * dx) * (2 - dy * dy) * tex2D<float>(image, x + dx + 0.5f, y + dy + 0.5f);
  out[y * width + x] = sum * 0.0625f;
}

extern "C" __global__ void smooth_plain(const float* image, int width, int height, float* out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
#pragma unroll
  for (int dy = -1; dy <= 1; ++dy)
#pragma unroll
    for (int dx = -1; dx <= 1; ++dx) {
      int column = min(max(x + dx, 0), width - 1), row = min(max(y + dy, 0), height - 1);
      sum += (2 - dx * dx) * (2 - dy * dy) * image[row * width + column];
    }
  out[y * width + x] = sum * 0.0625f;
}
