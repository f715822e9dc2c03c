// The bytes of a copy of a box of a tensor: which of them lie in the tensor, where they are in global memory, and where
// in shared memory (PTX ISA 9.0, section 5.5).
//
// Tile: a box at the given coordinates. Im2col: pixels one after the other through the bounding box, along W, H, D and
// N, each with the channels from the first coordinate on (interleaved: with one slice). Both may lie partly outside of
// the tensor, where nothing is read and nothing written. In an interleaved tensor the dimensions are W, H, D, slices of
// channels, and N; a unit along the first is a slice of 16 or 32 bytes, and a copy has one slice (as an H200 does it;
// the manual leaves it open).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/mem/tensor_map.h"

namespace warptime::sim {

/// Bytes that follow each other in global and in shared memory: at most 16, in one such unit of both.
struct TensorPiece {
  Addr global = 0;
  uint32_t shared = 0;  // from the beginning of the copy, before placed() and swizzled()
  uint32_t bytes = 0;
};

struct TensorCoordinates {
  std::array<int32_t, TensorMap::kMaxRank> at{};
  std::array<uint32_t, 3> offsets{};  // im2col, along W, H, D
};

/// All bytes of the copy that lie in the tensor, in the order of shared memory. `out` is cleared first.
void find_pieces(const TensorMap& map, const TensorCoordinates& place, std::vector<TensorPiece>& out);

/// Where a byte of shared memory is with a swizzle: units of 16 bytes change places within 32, 64 or 128 bytes (5.5.7).
constexpr uint32_t swizzled(uint32_t address, uint32_t swizzle_mask) {
  return address ^ (((address >> 7) & swizzle_mask) << 4);
}
constexpr uint32_t swizzle_mask(TensorMap::Swizzle swizzle) { return (1u << static_cast<uint32_t>(swizzle)) - 1; }
/// Where in shared memory, before swizzling, byte `at` of a box is whose rows are shorter than the swizzle's bytes:
/// each begins at a multiple of them (as on an H200). `row_bytes` 0: rows follow each other.
constexpr uint32_t placed(uint32_t at, uint32_t row_bytes, uint32_t swizzle_mask) {
  return row_bytes == 0 ? at : at / row_bytes * 16 * (swizzle_mask + 1) + at % row_bytes;
}
/// From the first to the last byte of such a box.
constexpr uint32_t placed_bytes(uint32_t bytes, uint32_t row_bytes, uint32_t swizzle_mask) {
  return bytes == 0 ? 0 : placed(bytes - 1, row_bytes, swizzle_mask) + 1;
}

}  // namespace warptime::sim
