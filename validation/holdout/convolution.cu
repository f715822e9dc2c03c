// Separable convolution of an image of floats, rows then columns, with a filter of 2 RADIUS + 1 taps in constant
// memory: every tap is a texture fetch. The loop over the taps is unrolled. Written from Podlozhnyuk 2007b
// (docs/sources.md), which prints the loop and describes the kernels.
//
//   nvcc -ptx -arch=compute_75 -lineinfo convolution.cu -o convolution.ptx
constexpr int kMostTaps = 63;

__constant__ float filter[kMostTaps];

template <int RADIUS>
__device__ __forceinline__ void rows(cudaTextureObject_t image, float* out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float u = x + 0.5f, v = y + 0.5f;  // the centre of the texel
  float sum = 0;
#pragma unroll
  for (int k = -RADIUS; k <= RADIUS; k++) sum += tex2D<float>(image, u + k, v) * filter[RADIUS - k];
  out[y * width + x] = sum;
}

template <int RADIUS>
__device__ __forceinline__ void columns(cudaTextureObject_t image, float* out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float u = x + 0.5f, v = y + 0.5f;
  float sum = 0;
#pragma unroll
  for (int k = -RADIUS; k <= RADIUS; k++) sum += tex2D<float>(image, u, v + k) * filter[RADIUS - k];
  out[y * width + x] = sum;
}

#define KERNELS(RADIUS)                                                                                       \
  extern "C" __global__ void rows_##RADIUS(cudaTextureObject_t image, float* out, int width, int height) {    \
    rows<RADIUS>(image, out, width, height);                                                                  \
  }                                                                                                           \
  extern "C" __global__ void columns_##RADIUS(cudaTextureObject_t image, float* out, int width, int height) { \
    columns<RADIUS>(image, out, width, height);                                                               \
  }

KERNELS(1)
KERNELS(8)
KERNELS(16)
