// Numbers for matrices that tests compute and recorders record: of eight kinds, made of a seed, so that nobody needs to
// keep them.
#pragma once

#include <cstdint>

#include "ptx/isa/types.h"

namespace warptime::sim {

/// A number that looks random and depends on nothing but its argument (the finaliser of splitmix64).
uint64_t scrambled(uint64_t v);

struct MadeNumbers {
  uint64_t state;
  uint64_t next() { return scrambled(state++); }
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(next() >> 33) % n; }
};

/// Moderate ones, any bits, subnormal ones, zeros, infinities and NaN, large ones, small integers, far exponents.
inline constexpr uint32_t kNumberKinds = 8, kFarNumbers = 7;
/// The bits of a number of a kind. `sum`: of an accumulator.
uint64_t made_number(ptx::Type type, uint32_t kind, bool sum, MadeNumbers& random);
/// Which of each four (or, with `pairs`, of each two) elements of a sparse matrix count, for eight of them.
uint32_t made_metadata(bool pairs, MadeNumbers& random);

bool is_floating(ptx::Type type);

}  // namespace warptime::sim
