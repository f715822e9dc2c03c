// Full search on the CPU, for any number type, as encoders do it: the SADs of all 4 x 4 blocks at all displacements
// first, then those of larger partitions from smaller ones, then the smallest of each. The reference frame has a margin
// of kSearchRange pixels around it, so no displacement leaves it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "cpu/counted.h"

namespace warptime::workloads {

inline constexpr size_t kSearchRange = 16, kSearchSide = 2 * kSearchRange + 1,
                        kSearchPlaces = kSearchSide * kSearchSide;  // displacements
inline constexpr size_t kMotionPartitions = 41;

/// The kernel's order: a partition is the sum of two before it, `first` and the one a `step` on.
struct MotionPartition {
  size_t first, step;
};
constexpr std::array<MotionPartition, kMotionPartitions> make_motion_partitions() {
  std::array<MotionPartition, kMotionPartitions> out{};
  for (size_t i = 0; i < 8; ++i) out[16 + i] = {2 * i, 1};                   // 8 x 4
  for (size_t i = 0; i < 8; ++i) out[24 + i] = {i / 4 * 8 + i % 4, 4};       // 4 x 8
  for (size_t i = 0; i < 4; ++i) out[32 + i] = {16 + i / 2 * 4 + i % 2, 2};  // 8 x 8
  for (size_t i = 0; i < 2; ++i) out[36 + i] = {32 + 2 * i, 1};              // 16 x 8
  for (size_t i = 0; i < 2; ++i) out[38 + i] = {32 + i, 2};                  // 8 x 16
  out[40] = {36, 1};                                                         // 16 x 16
  return out;
}
inline constexpr std::array<MotionPartition, kMotionPartitions> kMotionMerges = make_motion_partitions();

/// SADs of a macroblock, partition by partition. It begins at `origin` of `current`, and at `window` of `reference` if
/// it is displaced by -kSearchRange along x and y.
template <class Pixels, class Sads>
void find_sads(const Pixels& current, size_t origin, size_t pitch, const Pixels& reference, size_t window,
               size_t reference_pitch, Sads& sads) {
  using T = typename Pixels::value_type;
  using std::abs;
  for (size_t block = 0; block < 16; ++block) {
    size_t x = block % 4 * 4, y = block / 4 * 4;
    for (size_t place : cpu::steps<T>(kSearchPlaces)) {
      T sum = 0;
      for (size_t row : cpu::steps<T>(4)) {
        size_t at = origin + (y + row) * pitch + x;
        size_t from = window + (y + row + place / kSearchSide) * reference_pitch + x + place % kSearchSide;
        for (size_t i = 0; i < 4; ++i) {
          T own = current[at + i];
          sum = sum + abs(T(own - reference[from + i]));
        }
      }
      sads[block * kSearchPlaces + place] = sum;
    }
  }
  for (size_t partition = 16; partition < kMotionPartitions; ++partition) {
    const MotionPartition& merge = kMotionMerges[partition];
    for (size_t place : cpu::steps<T>(kSearchPlaces)) {
      T a = sads[merge.first * kSearchPlaces + place];
      sads[partition * kSearchPlaces + place] = a + sads[(merge.first + merge.step) * kSearchPlaces + place];
    }
  }
}

/// The first displacement with a partition's smallest SAD.
template <class Sads>
size_t find_best(const Sads& sads, size_t partition) {
  using T = typename Sads::value_type;
  T least = sads[partition * kSearchPlaces];
  size_t best = 0;
  for (size_t place : cpu::steps<T>(1, kSearchPlaces)) {
    T sad = sads[partition * kSearchPlaces + place];
    if (!(sad < least)) continue;
    least = sad;
    best = place;
  }
  return best;
}

}  // namespace warptime::workloads
