// A matrix in shared memory as its descriptor gives it (PTX ISA 9.0, 9.7.15.5.1: shared memory matrix layouts and
// descriptors of wgmma), and where its elements are. Its parts are core matrices of eight rows of 16 bytes: rows of M
// or N, if K is the major dimension, whose elements lie side by side; else rows of K. In a swizzled layout such rows
// are 32, 64 or 128 bytes wide, and the 16-byte pieces of each change places by its number.
#pragma once

#include <cstdint>

namespace warptime::sim {

struct SharedMatrix {
  static constexpr uint32_t kPiece = 16, kRows = 8;  // bytes of a piece, rows of a core matrix

  uint32_t start = 0;        // bytes
  uint32_t leading = 0;      // bytes from a core matrix to the next one of the major dimension; see `offset`
  uint32_t stride = 0;       // bytes to the next eight rows
  uint32_t base_offset = 0;  // the row of the swizzling pattern at which the matrix begins
  uint32_t swizzle = 0;      // bytes: 0 (none), 32, 64, 128
  bool by_mn = false;        // M or N is the major dimension
  uint32_t element_bits = 16;

  static constexpr SharedMatrix described(uint64_t bits, bool by_mn, uint32_t element_bits) {
    auto field = [bits](uint32_t first) { return static_cast<uint32_t>(bits >> first & 0x3fff) * kPiece; };
    constexpr uint32_t kSwizzles[] = {0, 128, 64, 32};
    return {.start = field(0),
            .leading = field(16),
            .stride = field(32),
            .base_offset = static_cast<uint32_t>(bits >> 49 & 7),
            .swizzle = kSwizzles[bits >> 62],
            .by_mn = by_mn,
            .element_bits = element_bits};
  }

  /// Bytes from the start to the element in row or column `mn` and at `k`, before swizzling.
  constexpr uint32_t offset(uint32_t mn, uint32_t k) const {
    const uint32_t along = (by_mn ? mn : k) * element_bits / 8, row = by_mn ? k : mn;
    const uint32_t width = swizzle == 0 ? kPiece : swizzle;
    // Without swizzling M or N goes on at the stride, K at the leading dimension's, whichever is the major one.
    const bool exchanged = swizzle == 0 && by_mn;
    const uint32_t next_along = exchanged ? stride : leading, next_rows = exchanged ? leading : stride;
    return along / width * next_along + along % width + row / kRows * next_rows + row % kRows * width;
  }
  /// Where a byte of the matrix is in shared memory.
  constexpr uint32_t swizzled(uint32_t address) const {
    if (swizzle == 0) return address;
    const uint32_t pieces = swizzle / kPiece;
    return address ^ ((address / 128 - base_offset) % pieces * kPiece);
  }
  constexpr uint32_t address(uint32_t mn, uint32_t k) const { return swizzled(start + offset(mn, k)); }
};

}  // namespace warptime::sim
