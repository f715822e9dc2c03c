// Which level of detail of a texture a fetch reads (PTX ISA 9.0, 9.7.10.3). Hardware counts levels in 256ths; how it
// computes them was found from what an H200 returned (tests/isa/recorded/levels.cu).
#pragma once

#include <array>
#include <cstdint>

#include "sim/model/texture.h"

namespace warptime::sim {

inline constexpr int32_t kOneLevel = 256;

/// tex.level: a number of levels, in 256ths. A NaN is 0.
int32_t level_of_number(float number);
/// tex.grad: how far a fetch moves in the texture for one step to the right in an image, and for one step down, each in
/// texels of the first level. The level, in 256ths, in which the longer of them is about one texel: the logarithm of
/// its length.
int32_t level_of_steps(const std::array<float, 3>& right, const std::array<float, 3>& down);
/// A step in a cube map from a direction on, in texels of the face that it points to: the change of its place there.
std::array<float, 3> step_on_cube(const std::array<float, 3>& direction, const std::array<float, 3>& step, float size);

/// The levels that are read, and of the second how much, in 256ths.
struct LevelsRead {
  uint32_t first = 0, second = 0;
  int32_t of_second = 0;
};
/// What is read of a level in 256ths: between the least and the most that the texture allows.
LevelsRead levels_read(const Texture& texture, int32_t level);
/// The texture's bias in 256ths: it is added to what tex.level and tex.grad name.
int32_t level_bias(const Texture& texture);

}  // namespace warptime::sim
