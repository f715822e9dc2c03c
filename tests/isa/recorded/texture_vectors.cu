// Records what a GPU's texture unit returns: nvcc texture_vectors.cu -o texture_vectors && ./texture_vectors > texture.txt
// A line: channel type, channels, geometry, address mode, filter, normalised coordinates, read mode; the coordinates as
// the bits of f32; the four results as 32 bits each. Texel t of a texture has channel c from texel_bits(t, c).
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

static uint32_t mixed(uint32_t v) {
  v ^= v >> 16, v *= 0x7feb352du, v ^= v >> 15, v *= 0x846ca68bu;
  return v ^ (v >> 16);
}
// f32: halves from -64 to 63.5; integers: any bits.
static uint32_t texel_bits(bool is_float, uint32_t texel, uint32_t channel) {
  uint32_t bits = mixed(texel * 4 + channel + 1);
  if (!is_float) return bits;
  float value = (static_cast<int>(bits % 256) - 128) * 0.5f;
  memcpy(&bits, &value, 4);
  return bits;
}

template <class V>
__global__ void fetch(cudaTextureObject_t texture, int dimensions, const float3* at, V* out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float3 c = at[i];
  out[i] = dimensions == 1   ? tex1D<V>(texture, c.x)
           : dimensions == 2 ? tex2D<V>(texture, c.x, c.y)
                             : tex3D<V>(texture, c.x, c.y, c.z);
}

struct Format {
  const char* name;
  int bits;
  cudaChannelFormatKind kind;
};

int main() {
  const Format formats[] = {{"u8", 8, cudaChannelFormatKindUnsigned},  {"s8", 8, cudaChannelFormatKindSigned},
                            {"u16", 16, cudaChannelFormatKindUnsigned}, {"s16", 16, cudaChannelFormatKindSigned},
                            {"u32", 32, cudaChannelFormatKindUnsigned}, {"s32", 32, cudaChannelFormatKindSigned},
                            {"f32", 32, cudaChannelFormatKindFloat}};
  const char* modes[] = {"wrap", "clamp", "mirror", "border"};
  const cudaTextureAddressMode cuda_modes[] = {cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror,
                                               cudaAddressModeBorder};
  const int sizes[3][3] = {{7, 0, 0}, {5, 3, 0}, {3, 4, 2}};
  uint32_t seed = 1;
  auto next = [&] { return seed = mixed(seed + 0x9e3779b9u); };
  for (int f = 0; f < 7; ++f)
    for (int channels : {1, 2, 4})
      for (int dimensions = 1; dimensions <= 3; ++dimensions)
        for (int mode = 0; mode < 4; ++mode)
          for (int linear = 0; linear < 2; ++linear)
            for (int normalized = 0; normalized < 2; ++normalized)
              for (int read = 0; read < 2; ++read) {
                const Format& format = formats[f];
                bool is_float = format.kind == cudaChannelFormatKindFloat, reads_float = is_float || read == 1;
                if (read == 1 && (is_float || format.bits == 32)) continue;
                if (linear && !reads_float) continue;
                if (channels == 2 && (mode == 2 || dimensions == 3)) continue;  // enough is enough
                const int* size = sizes[dimensions - 1];
                int depth = size[2] ? size[2] : 1, height = size[1] ? size[1] : 1, width = size[0];
                int bytes = format.bits / 8;
                std::vector<uint8_t> texels(size_t(width) * height * depth * channels * bytes);
                for (uint32_t t = 0; t < uint32_t(width * height * depth); ++t)
                  for (int c = 0; c < channels; ++c) {
                    uint32_t bits = texel_bits(is_float, t, c);
                    memcpy(&texels[(size_t(t) * channels + c) * bytes], &bits, bytes);
                  }
                int b[4];
                for (int c = 0; c < 4; ++c) b[c] = c < channels ? format.bits : 0;
                cudaChannelFormatDesc description = cudaCreateChannelDesc(b[0], b[1], b[2], b[3], format.kind);
                cudaArray_t array;
                cudaExtent extent = make_cudaExtent(size[0], size[1], size[2]);
                cudaMalloc3DArray(&array, &description, extent);
                cudaMemcpy3DParms copy = {};
                copy.srcPtr = make_cudaPitchedPtr(texels.data(), size_t(width) * channels * bytes, width, height);
                copy.dstArray = array;
                copy.extent = make_cudaExtent(width, height, depth);
                copy.kind = cudaMemcpyHostToDevice;
                cudaMemcpy3D(&copy);
                cudaResourceDesc resource = {};
                resource.resType = cudaResourceTypeArray;
                resource.res.array.array = array;
                cudaTextureDesc texture = {};
                for (int i = 0; i < 3; ++i) texture.addressMode[i] = cuda_modes[mode];
                texture.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
                texture.readMode = read ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
                texture.normalizedCoords = normalized;
                cudaTextureObject_t object;
                cudaCreateTextureObject(&object, &resource, &texture, nullptr);

                constexpr int kCount = 6;
                float coordinates[kCount][3] = {};
                for (int i = 0; i < kCount; ++i)
                  for (int a = 0; a < dimensions; ++a) {
                    // In texels: from -2 sizes to 3; the first ones on halves and quarters, the others anywhere.
                    float span = 5.0f * size[a], low = -2.0f * size[a];
                    float x = i < 3 ? low + (next() % uint32_t(span * 4)) * 0.25f : low + span * (next() % 65536) / 65536.0f;
                    coordinates[i][a] = normalized ? x / size[a] : x;
                  }
                float3* at;
                void* out;
                cudaMalloc(&at, sizeof coordinates);
                cudaMalloc(&out, kCount * 16);
                cudaMemcpy(at, coordinates, sizeof coordinates, cudaMemcpyHostToDevice);
                if (reads_float) fetch<float4><<<1, 32>>>(object, dimensions, at, (float4*)out, kCount);
                else if (format.kind == cudaChannelFormatKindSigned)
                  fetch<int4><<<1, 32>>>(object, dimensions, at, (int4*)out, kCount);
                else fetch<uint4><<<1, 32>>>(object, dimensions, at, (uint4*)out, kCount);
                uint32_t results[kCount][4];
                cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost);
                if (cudaError_t error = cudaGetLastError()) {
                  fprintf(stderr, "%s\n", cudaGetErrorString(error));
                  return 1;
                }
                printf("%s %d %dd %s %s %s %s\n", format.name, channels, dimensions, modes[mode],
                       linear ? "linear" : "point", normalized ? "normalized" : "texels", read ? "normalized" : "element");
                for (int i = 0; i < kCount; ++i) {
                  uint32_t c[3];
                  memcpy(c, coordinates[i], 12);
                  for (int a = 0; a < dimensions; ++a) printf("%x ", c[a]);
                  printf("= %x %x %x %x\n", results[i][0], results[i][1], results[i][2], results[i][3]);
                }
                cudaDestroyTextureObject(object);
                cudaFreeArray(array);
                cudaFree(at);
                cudaFree(out);
              }
}
