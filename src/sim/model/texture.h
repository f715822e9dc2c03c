// A bound texture: its texels in device memory, and its addressing and filter modes. CUDA C Programming Guide 4.2,
// 3.2.11 and appendix E; levels of detail: that of CUDA 13.0, cudaTextureDesc of the runtime's reference.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "base/clock.h"
#include "ptx/isa/types.h"

namespace warptime::sim {

/// What a coordinate outside of the texture stands for. Wrap and Mirror need normalised coordinates; with others they
/// behave as Clamp.
enum class AddressMode : uint8_t { Wrap, Clamp, Mirror, Border };
enum class FilterMode : uint8_t { Point, Linear };
/// Element: the texel as it is. Normalized: 8- and 16-bit integers as f32 from 0 or -1 to 1.
enum class ReadMode : uint8_t { Element, Normalized };

struct Texture {
  std::string name = {};
  bool bound = false;
  Addr base = 0;                          // of texel (0, 0, 0)
  uint64_t pitch = 0;                     // bytes from one row to the next; 0: rows follow each other without gaps
  std::array<uint32_t, 3> size{1, 1, 1};  // texels along x, y, z
  ptx::Type channel = ptx::Type::F32;     // u8 s8 u16 s16 u32 s32 f32
  uint8_t channels = 1;                   // 1, 2 or 4
  std::array<AddressMode, 3> address{AddressMode::Clamp, AddressMode::Clamp, AddressMode::Clamp};
  FilterMode filter = FilterMode::Point;
  ReadMode read = ReadMode::Element;
  bool normalized_coordinates = false;
  /// Levels of detail: each has half as many texels along each axis as the one before, but at least one.
  uint32_t levels = 1;
  std::array<Addr, 15> further{};  // of texel (0, 0, 0) of levels 1, 2, ...
  FilterMode level_filter = FilterMode::Point;
  float level_bias = 0, least_level = 0, most_level = 0;
  bool is_layered = false;  // z counts layers or faces, of which each level has as many
  bool is_surface = false;  // a handle for suld, sust and sured, not for fetches
  /// Its cache lines hold tiles of texels, as those of a CUDA array do, and not parts of rows.
  bool tiled = true;

  uint32_t texel_bytes() const { return ptx::bytes(channel) * channels; }
  uint64_t row_bytes() const { return pitch != 0 ? pitch : uint64_t{size[0]} * texel_bytes(); }
  uint64_t bytes() const { return row_bytes() * (uint64_t{size[1]} * size[2] - 1) + uint64_t{size[0]} * texel_bytes(); }
  /// One level, as a texture of its own. `name` is left out.
  Texture at_level(uint32_t level) const {
    Texture out{.bound = bound, .base = level == 0 ? base : further[level - 1], .pitch = level == 0 ? pitch : 0};
    for (size_t axis = 0; axis < 3; ++axis)
      out.size[axis] = axis == 2 && is_layered ? size[axis] : std::max(1u, size[axis] >> level);
    out.channel = channel;
    out.channels = channels;
    out.address = address;
    out.filter = filter;
    out.read = read;
    out.normalized_coordinates = normalized_coordinates;
    out.tiled = tiled;
    return out;
  }
  /// Whether texels are read as f32; otherwise as 32-bit integers.
  bool reads_float() const { return channel == ptx::Type::F32 || read == ReadMode::Normalized; }
};

}  // namespace warptime::sim
