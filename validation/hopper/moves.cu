// Moving data: gather, scatter, strides, structures of 12 bytes, misaligned words, transposition of odd sizes.
//
//   nvcc -ptx -arch=compute_75 -lineinfo moves.cu -o moves.ptx
#include "digest.cuh"

// Not measured: runs of 8 indices in order, the runs in any order; count is a power of two.
extern "C" __global__ void near_indices(unsigned* index, unsigned count) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) index[i] = (i / 8 * 2654435761u * 8 + i % 8) & (count - 1);
}

// out[i] = in[index[i]].
extern "C" __global__ void gather(const float* in, const unsigned* index, float* out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = in[index[i]];
}

// out[i * odd mod count] = in[i]: count is a power of two, so that each element is written once.
extern "C" __global__ void scatter(const float* in, float* out, unsigned count, unsigned odd) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[(i * odd) & (count - 1)] = in[i];
}

// out[i] = in[i * stride].
extern "C" __global__ void copy_strided(const float* in, float* out, int count, int stride) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = in[i * stride];
}

struct Point {
  float x, y, z;
};

// Structures of three floats: turned about an axis.
extern "C" __global__ void turn_points(const Point* in, Point* out, int count, float cosine, float sine) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  Point p = in[i];
  out[i] = Point{fmaf(cosine, p.x, -sine * p.y), fmaf(sine, p.x, cosine * p.y), p.z};
}

// Bytes from an address that is not a multiple of four to one that is.
extern "C" __global__ void copy_shifted(const unsigned char* in, unsigned* out, int words, int shift) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= words) return;
  const unsigned char* p = in + 4 * i + shift;
  out[i] = p[0] | p[1] << 8 | p[2] << 16 | unsigned(p[3]) << 24;
}

// A transposition by tiles of 32 x 32 with blocks of 32 x 8 threads, for any size.
extern "C" __global__ void transpose_any(const float* in, float* out, int width, int height) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8)
    if (x < width && y + i < height) tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * width + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8)
    if (x < height && y + i < width) out[(y + i) * height + x] = tile[threadIdx.x][threadIdx.y + i];
}
