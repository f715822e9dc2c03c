// CUDA arrays: texels in memory of the device, row after row without gaps.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/abi.h"
#include "host/device/device.h"

namespace warptime::cuda {

/// cudaChannelFormatDesc
struct ChannelFormat {
  enum Kind : int { kSigned = 0, kUnsigned = 1, kFloat = 2, kNone = 3 };
  int x, y, z, w;  // bits
  int kind;
};

struct Array {
  host::Buffer buffer = {};
  ChannelFormat format{};
  Extent extent{};  // as the program gave it: 0 is an axis that it does not have
  unsigned flags = 0;
  bool is_level = false;  // of a mipmapped array

  size_t texel_bytes() const { return static_cast<size_t>(format.x + format.y + format.z + format.w) / 8; }
  size_t width() const { return extent.width; }
  size_t height() const { return extent.height == 0 ? 1 : extent.height; }
  size_t depth() const { return extent.depth == 0 ? 1 : extent.depth; }
  size_t row_bytes() const { return width() * texel_bytes(); }
};

/// Arrays, each with half as many texels along each axis as the one before, but at least one.
struct MipmappedArray {
  std::vector<void*> levels;
};

}  // namespace warptime::cuda
