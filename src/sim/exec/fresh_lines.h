// Finds the lanes of a texture fetch that need a cache line which no neighbouring lane has requested. For one host
// instruction set; included only by texture_sampling.isa.cc.
#pragma once

#include <utility>

#include "ptx/isa/vec.h"
#include "sim/exec/texture_sampling.h"

namespace warptime::sim::inline WARPTIME_ISA {

namespace {

using Numbers = ptx::Vec<uint32_t, ptx::kNativeBytes / 4>;
constexpr uint32_t kNumbers = ptx::kNativeBytes / 4;

Numbers numbers_at(const uint32_t* from) { return ptx::load<Numbers>(reinterpret_cast<const std::byte*>(from)); }
uint32_t equal(Numbers a, Numbers b) { return ptx::collect(ptx::mask_of<Numbers>(a == b)); }

/// The lanes before those of `now`, whose first has the last of `last` before it. Not by another load: it would have to
/// wait until what was just stored has left the processor.
template <size_t... I>
Numbers lanes_before(Numbers last, Numbers now, std::index_sequence<I...>) {
  return __builtin_shufflevector(last, now, (kNumbers - 1 + I)...);
}

/// Lanes whose number is the same as another texel's of the lane, of the lane before, of the half-warp before.
uint32_t same_lane(const uint32_t* own, const uint32_t* other) {
  uint32_t same = 0;
  for (uint32_t lane = 0; lane < kWarpSize; lane += kNumbers)
    same |= equal(numbers_at(own + lane), numbers_at(other + lane)) << lane;
  return same;
}
uint32_t same_lane_before(const uint32_t* own, const uint32_t* other) {
  uint32_t same = 0;
  Numbers last{};
  for (uint32_t lane = 0; lane < kWarpSize; lane += kNumbers) {
    Numbers now = numbers_at(other + lane);
    same |= equal(numbers_at(own + lane), lanes_before(last, now, std::make_index_sequence<kNumbers>{})) << lane;
    last = now;
  }
  return same;
}
uint32_t same_half_before(const uint32_t* own, const uint32_t* other) {
  constexpr uint32_t kHalf = kWarpSize / 2;
  uint32_t same = 0;
  for (uint32_t lane = 0; lane < kHalf; lane += kNumbers)
    same |= equal(numbers_at(own + kHalf + lane), numbers_at(other + lane)) << (kHalf + lane);
  return same;
}

/// Lanes of `mask` whose line is not that of a neighbour who comes before: another texel of the lane, or one of the
/// lane or the half-warp before, as a block's rows are. There may be others that have come before.
void find_fresh(const WarpTexels& texels, uint32_t mask, TexelLines& lines) {
  constexpr uint32_t kHalf = kWarpSize / 2;
  auto lanes_of = [&](uint32_t texel) { return mask & texels.inside(texel); };  // the border's have no line
  for (uint32_t texel = 0; texel < texels.count(); ++texel) {
    const uint32_t* own = lines.number[texel].data();
    const uint32_t lanes = lanes_of(texel);
    uint32_t seen = (same_lane_before(own, own) & lanes << 1) | (same_half_before(own, own) & lanes << kHalf);
    for (uint32_t axis = 0; texels.filtered && axis < texels.dimensions; ++axis) {
      const uint32_t with = texel ^ (1u << axis), its_lanes = lanes_of(with);
      const uint32_t* other = lines.number[with].data();
      if (with < texel) seen |= same_lane(own, other) & its_lanes;
      else if (axis == 0) seen |= same_lane_before(own, other) & its_lanes << 1;
      else if (axis == 1) seen |= same_half_before(own, other) & its_lanes << kHalf;
    }
    lines.fresh[texel] = lanes & ~seen;
  }
}

}  // namespace

}  // namespace warptime::sim::inline WARPTIME_ISA
