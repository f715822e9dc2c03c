// Texture objects of linear memory and of a plane with a pitch: fetches by index, clamped coordinates, and interpolation.
// Needs texture objects (compute capability 3.0).
#include "program.h"

__global__ void gather(cudaTextureObject_t texture, const int* index, float* out) {
  out[threadIdx.x] = tex1Dfetch<float>(texture, index[threadIdx.x]);
}
__global__ void shrink(cudaTextureObject_t plane, float* out, int width) {
  int x = threadIdx.x, y = blockIdx.x;
  out[y * width + x] = tex2D<float>(plane, 2 * x + 1.0f, 2 * y + 1.0f);
}

int main() {
  const int n = 64, width = 32, height = 16;
  std::vector<float> values(width * height), gathered(n), small(width * height / 4);
  std::vector<int> index(n);
  for (int i = 0; i < width * height; i++) values[i] = i * i % 101;
  for (int i = 0; i < n; i++) index[i] = i * 7 % (width * height), gathered[i] = values[index[i]];
  Array<float> linear(values), out(n), reduced(small.size());
  Array<int> on_index(index);
  cudaResourceDesc resource = {};
  cudaTextureDesc how = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = linear;
  resource.res.linear.desc = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
  resource.res.linear.sizeInBytes = width * height * sizeof(float);
  cudaTextureObject_t texture, plane;
  CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  gather<<<1, n>>>(texture, on_index, out);
  float* pitched;
  size_t pitch;
  CHECK(cudaMallocPitch((void**)&pitched, &pitch, width * sizeof(float), height));
  CHECK(cudaMemcpy2D(pitched, pitch, values.data(), width * sizeof(float), width * sizeof(float), height, cudaMemcpyHostToDevice));
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = pitched;
  resource.res.pitch2D.desc = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
  resource.res.pitch2D.width = width;
  resource.res.pitch2D.height = height;
  resource.res.pitch2D.pitchInBytes = pitch;
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  how.filterMode = cudaFilterModeLinear;
  CHECK(cudaCreateTextureObject(&plane, &resource, &how, nullptr));
  shrink<<<height / 2, width / 2>>>(plane, reduced, width / 2);
  for (int y = 0; y < height / 2; y++)
    for (int x = 0; x < width / 2; x++) {
      const float* at = &values[2 * y * width + 2 * x];
      small[y * width / 2 + x] = (at[0] + at[1] + at[width] + at[width + 1]) / 4;
    }
  int wrong = differences(out.get(), gathered) + differences(reduced.get(), small, 1e-5);
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaDestroyTextureObject(plane));
  CHECK(cudaFree(pitched));
  return verdict("textures", wrong);
}
