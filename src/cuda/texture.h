// Texture objects and the texture references of CUDA 11, as programs describe them. Left out: sRGB,
// anisotropic filtering, 16-bit floating-point texels, other border colours than zero.
#pragma once

#include <tuple>

#include "cuda/array.h"
#include "host/device/device.h"

namespace warptime::cuda {

inline constexpr size_t kMostTexels = size_t{1} << 27;  // along an axis (table F-2, 1D textures of linear memory)
/// A mipmapped array has at most 32768 texels along an axis (cudaDeviceProp::maxTexture2DMipmap).
inline constexpr unsigned kMostLevels = std::tuple_size_v<decltype(sim::Texture::further)> + 1;

struct Resource {  // cudaResourceDesc up to its end in CUDA 12
  enum Kind : int { kArray = 0, kMipmapped = 1, kLinear = 2, kPitched = 3 };
  int kind;
  void* pointer;  // or the array
  ChannelFormat format;
  size_t bytes_or_width, height, pitch;
};
struct TextureModes {  // cudaTextureDesc
  int address[3], filter, read, srgb;
  float border[4];
  int normalized;
  unsigned anisotropy;
  int mipmap_filter;
  float mipmap_bias, mipmap_first, mipmap_last;
  int no_trilinear, seamless;
};
struct ResourceView {  // cudaResourceViewDesc
  int format;
  size_t width, height, depth;
  unsigned first_level, last_level, first_layer, last_layer, reserved[16];
};
struct TextureReference {  // textureReference
  int normalized, filter, address[3];
  ChannelFormat format;
  int srgb;
};

struct TextureObject {
  host::Argument handle = {};
  Resource resource{};
  TextureModes modes{};
};

}  // namespace warptime::cuda
