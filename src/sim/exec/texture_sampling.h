// The texels that a texture fetch of a warp reads, and its filtered values. CUDA C Programming Guide 4.2, appendix E.
// The positions of texels along one axis are computed separately from the values, because the caches also need them.
//
// All 32 lanes are computed, in loops that compilers vectorize. Inactive lanes also have a coordinate, and every
// coordinate selects an existing texel or the border.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sim/exec/insn.h"
#include "sim/model/texture.h"

namespace warptime::sim {

template <class T>
using Lanes = std::array<T, kWarpSize>;

/// The texels along one axis: one per lane, or two with linear filtering.
struct AxisTexels {
  std::array<uint32_t, 2> inside{kFullMask, kFullMask};  // lanes; the others read the border's zero
  alignas(64) std::array<Lanes<uint32_t>, 2> index;      // 0 where it is the border's
  alignas(64) Lanes<int32_t> fraction;  // of the second, in 256ths: 9 bits of fixed point with 8 of fraction (E.2)
};

struct WarpTexels {
  uint32_t dimensions = 1;
  bool filtered = false;
  uint8_t gathers = 0;  // the channel + 1 that the results are of, texel by texel; 0: they are the texels' channels
  std::array<AxisTexels, 3> axis;  // the first `dimensions` of them

  /// Texels of each lane. Bit a of a texel's number says which of the two along axis a it is; they are read in order.
  uint32_t count() const { return filtered ? 1u << dimensions : 1; }
  uint32_t inside(uint32_t texel) const {
    uint32_t lanes = kFullMask;
    for (uint32_t a = 0; a < dimensions; ++a) lanes &= axis[a].inside[(texel >> a) & 1];
    return lanes;
  }
};

/// Where the texels of a tiled texture lie for its caches: all powers of two, as such.
struct TextureLayout {
  uint32_t line, line_rows, tile_width, tile_rows;  // bytes of a line, rows of texels in it; of a tile
};

/// The cache lines of each lane's texels, by the texel's number.
struct TexelLines {
  uint64_t base = 0;  // address of line 0
  uint32_t shift = 0;
  std::array<uint32_t, 8> fresh;  // lanes whose cache line may not have been seen yet (a border has none)
  alignas(64) std::array<Lanes<uint32_t>, 8> number;

  uint64_t address(uint32_t texel, uint32_t lane) const { return base + (uint64_t{number[texel][lane]} << shift); }
};

/// The steps of a fetch by a whole warp, compiled for each host instruction set.
struct TextureAccess {
  /// From the coordinates in registers: f32, or integers as they count texels (then nothing is filtered or normalised).
  void (*find)(const Texture& texture, const Insn& insn, const WarpValues& warp, WarpTexels& out) = nullptr;
  /// The four 32-bit results of each lane. `memory`: the texture's bytes, texel (0, 0, 0) first. Channels that it does
  /// not have are 0.
  void (*values)(const Texture& texture, const WarpTexels& texels, const std::byte* memory,
                 std::array<Lanes<uint32_t>, 4>& out) = nullptr;
  /// In the order of lanes and of each one's texels, of those of `mask`.
  void (*lines)(const Texture& texture, const WarpTexels& texels, const TextureLayout& layout, uint32_t mask,
                TexelLines& out) = nullptr;
};

}  // namespace warptime::sim
