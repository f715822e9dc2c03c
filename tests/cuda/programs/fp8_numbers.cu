// Numbers of 8 bits by the classes of cuda_fp8.h: arrays are quantized by rows, and come back within half a step. Needs
// compute capability 8.9 (8.0 computes the same by integer instructions).
//   nvcc -ptx -std=c++17 -arch=compute_90 -lineinfo fp8_numbers.cu -o fp8_numbers.ptx
// flags: -arch=compute_90
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "program.h"

const int kRows = 16, kColumns = 256;

__global__ void quantize(const float* in, unsigned char* e4m3, unsigned char* e5m2, float* scales) {
  __shared__ float most[kColumns];
  const float value = in[blockIdx.x * kColumns + threadIdx.x];
  most[threadIdx.x] = fabsf(value);
  __syncthreads();
  for (int step = kColumns / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) most[threadIdx.x] = fmaxf(most[threadIdx.x], most[threadIdx.x + step]);
    __syncthreads();
  }
  const float scale = most[0] / 448;
  if (threadIdx.x == 0) scales[blockIdx.x] = scale;
  e4m3[blockIdx.x * kColumns + threadIdx.x] = __nv_fp8_e4m3(value / scale).__x;
  e5m2[blockIdx.x * kColumns + threadIdx.x] = __nv_fp8_e5m2(value / scale).__x;
}

/// Four numbers for each thread; e5m2 by way of f16.
__global__ void restore(const unsigned char* e4m3, const unsigned char* e5m2, const float* scales, float* out4,
                        float* out5) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float scale = scales[i * 4 / kColumns];
  const float4 four = static_cast<float4>(((const __nv_fp8x4_e4m3*)e4m3)[i]);
  out4[4 * i] = four.x * scale;
  out4[4 * i + 1] = four.y * scale;
  out4[4 * i + 2] = four.z * scale;
  out4[4 * i + 3] = four.w * scale;
  for (int half = 0; half < 2; half++) {
    const __half2 two = static_cast<__half2>(((const __nv_fp8x2_e5m2*)e5m2)[2 * i + half]);
    out5[4 * i + 2 * half] = __low2float(two) * scale;
    out5[4 * i + 2 * half + 1] = __high2float(two) * scale;
  }
}

int main() {
  const int count = kRows * kColumns;
  std::vector<float> in(count);
  unsigned state = 3;
  for (int i = 0; i < count; i++) in[i] = (draw_float(state) - 0.5f) * (float)(1 << i / kColumns);
  Array<float> on_in(in), scales(kRows), out4(count), out5(count);
  Array<unsigned char> e4m3(count), e5m2(count);
  quantize<<<kRows, kColumns>>>(on_in, e4m3, e5m2, scales);
  restore<<<count / 1024, 256>>>(e4m3, e5m2, scales, out4, out5);
  const std::vector<float> four = out4.get(), five = out5.get(), scale = scales.get();
  int wrong = 0;
  // Half a step is 1/16 of e4m3's value and 1/8 of e5m2's, or 2^-10 and 2^-17 where numbers are subnormal.
  for (int i = 0; i < count; i++) {
    const float size = std::fabs(in[i]), unit = scale[i / kColumns];
    const bool is_near = std::fabs(four[i] - in[i]) <= std::fmax(size / 16, unit / 1024) * 1.0001f &&
                         std::fabs(five[i] - in[i]) <= std::fmax(size / 8, unit / 131072) * 1.0001f;
    if (!is_near && wrong++ == 0) std::printf("element %d is %g and %g, not %g\n", i, four[i], five[i], in[i]);
  }
  return verdict("fp8_numbers", wrong);
}
