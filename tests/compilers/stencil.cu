// Two stencils on tiles in shared memory, on a torus of 32 x 16 numbers, one kernel after the other. The first makes
// two steps of a five-point stencil on a tile with a halo of two: all cells are read before a barrier and written
// behind it. The second updates its tile in place, the cells of one colour of a chess board after those of the other,
// while the halo keeps what the first kernel left.
#include "program.h"

constexpr unsigned kWidth = 32, kHeight = 16, kCells = kWidth * kHeight, kTileThreads = 128;
constexpr unsigned kWideTile = 16, kLowTile = 8;  // of the first kernel
constexpr unsigned kNarrowTile = 8, kSweeps = 3;  // of the second one, as high as the torus
[[maybe_unused]] constexpr unsigned kStencilBlocks = kCells / kTileThreads;

DEVICE unsigned bits(float v) {
  union {
    float f;
    unsigned u;
  } both;
  both.f = v;
  return both.u;
}
DEVICE float number(unsigned v) {
  union {
    unsigned u;
    float f;
  } both;
  both.u = v;
  return both.f;
}
DEVICE float first_value(unsigned word) { return static_cast<float>(static_cast<int>(word) >> 8) * 0x1p-12f; }
DEVICE float five_points(float middle, float left, float right, float up, float down) {
  return 0.5f * middle + 0.15f * (left + right) + 0.1f * (up + down);
}
DEVICE float relaxed(float middle, float left, float right, float up, float down) {
  return middle + 1.3f * (0.25f * ((left + right) + (up + down)) - middle);
}
/// Where a cell of a tile with a halo is in the torus; x and y count from the first cell of the halo.
DEVICE unsigned cell_at(unsigned x0, unsigned y0, unsigned x, unsigned y, unsigned halo) {
  return (y0 + y - halo) % kHeight * kWidth + (x0 + x - halo) % kWidth;
}

#ifdef ON_GPU
KERNEL {
  constexpr unsigned kHalo = 2, kPitch = kWideTile + 2 * kHalo, kRows = kLowTile + 2 * kHalo;
  __shared__ float tile[kRows][kPitch];
  unsigned t = THREAD, x0 = BLOCK % (kWidth / kWideTile) * kWideTile, y0 = BLOCK / (kWidth / kWideTile) * kLowTile;
  for (unsigned c = t; c < kRows * kPitch; c += kTileThreads)
    tile[c / kPitch][c % kPitch] = first_value(in[cell_at(x0, y0, c % kPitch, c / kPitch, kHalo)]);
  for (unsigned edge = 1; edge <= kHalo; ++edge) {  // cells beyond which it is too late to compute
    unsigned width = kPitch - 2 * edge, cells = width * (kRows - 2 * edge);
    float next[2] = {0, 0};  // a thread has two cells at most
    BARRIER();
    for (unsigned k = 0; k < 2; ++k) {
      unsigned c = t + k * kTileThreads, x = c % width + edge, y = c / width + edge;
      if (c < cells) next[k] = five_points(tile[y][x], tile[y][x - 1], tile[y][x + 1], tile[y - 1][x], tile[y + 1][x]);
    }
    BARRIER();
    for (unsigned k = 0; k < 2; ++k) {
      unsigned c = t + k * kTileThreads;
      if (c < cells) tile[c / width + edge][c % width + edge] = next[k];
    }
  }
  BARRIER();
  unsigned x = t % kWideTile, y = t / kWideTile;
  out[(y0 + y) * kWidth + x0 + x] = bits(tile[y + kHalo][x + kHalo]);
}
SECOND_KERNEL {
  constexpr unsigned kPitch = kNarrowTile + 2, kRows = kHeight + 2;
  __shared__ float tile[kRows][kPitch];
  unsigned t = THREAD, x0 = BLOCK * kNarrowTile;
  for (unsigned c = t; c < kRows * kPitch; c += kTileThreads)
    tile[c / kPitch][c % kPitch] = number(out[cell_at(x0, 0, c % kPitch, c / kPitch, 1)]);
  unsigned x = t % kNarrowTile + 1, y = t / kNarrowTile + 1;
  for (unsigned half = 0; half < 2 * kSweeps; ++half) {
    BARRIER();
    if ((x + y + half) % 2 == 0)
      tile[y][x] = relaxed(tile[y][x], tile[y][x - 1], tile[y][x + 1], tile[y - 1][x], tile[y + 1][x]);
  }
  BARRIER();
  out[kCells + (y - 1) * kWidth + x0 + x - 1] = bits(tile[y][x]);
}
#else
REFERENCE {
  float cells[kCells], next[kCells];
  for (unsigned c = 0; c < kCells; ++c) cells[c] = first_value(in[c]);
  for (unsigned step = 0; step < 2; ++step) {
    for (unsigned c = 0; c < kCells; ++c) {
      auto at = [&](unsigned x, unsigned y) { return cells[cell_at(c % kWidth, c / kWidth, x, y, 1)]; };
      next[c] = five_points(at(1, 1), at(0, 1), at(2, 1), at(1, 0), at(1, 2));
    }
    for (unsigned c = 0; c < kCells; ++c) cells[c] = next[c];
  }
  for (unsigned c = 0; c < kCells; ++c) out[c] = bits(cells[c]);
  for (unsigned x0 = 0; x0 < kWidth; x0 += kNarrowTile) {
    float tile[kHeight + 2][kNarrowTile + 2];
    for (unsigned y = 0; y < kHeight + 2; ++y)
      for (unsigned x = 0; x < kNarrowTile + 2; ++x) tile[y][x] = cells[cell_at(x0, 0, x, y, 1)];
    for (unsigned half = 0; half < 2 * kSweeps; ++half)
      for (unsigned y = 1; y <= kHeight; ++y)
        for (unsigned x = 1; x <= kNarrowTile; ++x)
          if ((x + y + half) % 2 == 0)
            tile[y][x] = relaxed(tile[y][x], tile[y][x - 1], tile[y][x + 1], tile[y - 1][x], tile[y + 1][x]);
    for (unsigned y = 1; y <= kHeight; ++y)
      for (unsigned x = 1; x <= kNarrowTile; ++x) out[kCells + (y - 1) * kWidth + x0 + x - 1] = bits(tile[y][x]);
  }
}
#endif
