// What a texture fetch reads and what it makes of it, for one lane. CUDA C Programming Guide 4.2, appendix E; the
// positions of texels along one axis are worked out apart from the values, as the caches need them too.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sim/model/texture.h"

namespace warptime::sim {

/// The texels along one axis: one, or two with linear filtering.
struct AxisSample {
  std::array<uint32_t, 2> index{};
  std::array<bool, 2> inside{true, true};  // false: the border's zero
  uint32_t count = 1;
  uint32_t fraction = 0;  // of the second one, in 256ths: 9 bits of fixed point with 8 of fraction (E.2)
};

struct Sample {
  std::array<AxisSample, 3> axis;
};

/// Coordinates of a fetch: f32, or integers as they count texels (then nothing is filtered or normalised).
Sample sample_at(const Texture& texture, uint32_t dimensions, const std::array<float, 3>& coordinates);
Sample sample_at(const Texture& texture, uint32_t dimensions, const std::array<int32_t, 3>& coordinates);

/// Calls visit(x, y, z) for each texel that a sample reads from memory, in order of z, y, x.
template <class Visit>
void for_each_texel(const Sample& sample, Visit&& visit) {
  const auto& [x, y, z] = sample.axis;
  for (uint32_t k = 0; k < z.count; ++k)
    for (uint32_t j = 0; j < y.count; ++j)
      for (uint32_t i = 0; i < x.count; ++i)
        if (x.inside[i] && y.inside[j] && z.inside[k]) visit(x.index[i], y.index[j], z.index[k]);
}

/// The four 32-bit results. `texels`: the texture's bytes, texel (0, 0, 0) first. Channels that it does not have are 0.
std::array<uint32_t, 4> sample_value(const Texture& texture, const Sample& sample, const std::byte* texels);

}  // namespace warptime::sim
