// A mipmapped array: each level is the one before, shrunk; fetches name a level by a number, also between two, and by
// gradients, as for a small picture of the whole. Needs texture objects (compute capability 3.0).
#include "program.h"

__global__ void by_number(cudaTextureObject_t texture, const float* level, float* out) {
  out[threadIdx.x] = tex2DLod<float>(texture, 0.3f, 0.3f, level[threadIdx.x]);
}
__global__ void small_picture(cudaTextureObject_t texture, float* out) {
  float across = 1.0f / blockDim.x, down = 1.0f / gridDim.x;
  out[blockIdx.x * blockDim.x + threadIdx.x] =
      tex2DGrad<float>(texture, (threadIdx.x + 0.5f) * across, (blockIdx.x + 0.5f) * down, make_float2(across, 0), make_float2(0, down));
}

int main() {
  const int width = 32, height = 16, levels = 5;
  std::vector<std::vector<float>> pictures(levels);
  for (int i = 0; i < width * height; i++) pictures[0].push_back(i * i % 101);
  cudaChannelFormatDesc format = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
  cudaMipmappedArray_t array;
  cudaArray_t none;
  cudaExtent extent = {width, height, 0};
  CHECK(cudaMallocMipmappedArray(&array, &format, extent, levels));
  for (int level = 0; level < levels; level++) {
    int w = width >> level, h = height >> level;
    std::vector<float>& here = pictures[level];
    for (int y = 0; level > 0 && y < h; y++)
      for (int x = 0; x < w; x++) {
        const float* at = &pictures[level - 1][4 * y * w + 2 * x];
        here.push_back((at[0] + at[1] + at[2 * w] + at[2 * w + 1]) / 4);
      }
    cudaArray_t on_device;
    CHECK(cudaGetMipmappedArrayLevel(&on_device, array, level));
    CHECK(cudaMemcpy2DToArray(on_device, 0, 0, here.data(), w * sizeof(float), w * sizeof(float), h, cudaMemcpyHostToDevice));
  }
  int wrong = cudaGetMipmappedArrayLevel(&none, array, levels) != cudaErrorInvalidValue;
  cudaGetLastError();
  cudaResourceDesc resource = {};
  cudaTextureDesc how = {};
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = array;
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  how.normalizedCoords = 1;
  how.mipmapFilterMode = cudaFilterModeLinear;
  how.maxMipmapLevelClamp = levels;
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  std::vector<float> numbers, expected;
  for (int i = 0; i < 32; i++) {
    float number = i / 4.0f - 1, inside = number < 0 ? 0 : number > levels - 1 ? levels - 1 : number;
    int level = (int)inside, next = level + 1 < levels ? level + 1 : level;
    auto texel = [&](int of) { return pictures[of][(int)(0.3f * (height >> of)) * (width >> of) + (int)(0.3f * (width >> of))]; };
    numbers.push_back(number);
    expected.push_back(texel(level) + (inside - level) * (texel(next) - texel(level)));
  }
  Array<float> on_numbers(numbers), out(32), picture(width / 4 * height / 4);
  by_number<<<1, 32>>>(texture, on_numbers, out);
  wrong += differences(out.get(), expected, 1e-6);
  small_picture<<<height / 4, width / 4>>>(texture, picture);
  wrong += differences(picture.get(), pictures[2], 1e-6);
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFreeMipmappedArray(array));
  return verdict("mipmaps", wrong);
}
