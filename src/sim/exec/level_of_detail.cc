#include "sim/exec/level_of_detail.h"

#include <algorithm>
#include <cmath>

namespace warptime::sim {

namespace {

constexpr int32_t kFarOff = 1 << 16;  // no texture has such a level

/// A number of levels in 256ths: digits behind are cut off.
int32_t in_256ths(float levels) {
  if (std::isnan(levels)) return 0;
  return static_cast<int32_t>(std::clamp(levels * 256.0f, static_cast<float>(-kFarOff), static_cast<float>(kFarOff)));
}

/// About the length of a step: its components by size count 1, 11/32 and 1/4.
double length(const std::array<double, 3>& step) {
  std::array<double, 3> size{std::abs(step[0]), std::abs(step[1]), std::abs(step[2])};
  std::sort(size.begin(), size.end(), [](double a, double b) { return a > b; });
  return size[0] + size[1] * (11 / 32.0) + size[2] / 4;
}

/// The logarithm to base 2 of a number from 1 to 2, whose first 8 binary places are given, in 256ths.
const std::array<uint16_t, 256>& logarithms() {
  static const std::array<uint16_t, 256> table = [] {
    std::array<uint16_t, 256> out{};
    for (size_t i = 1; i < out.size(); ++i)
      out[i] = static_cast<uint16_t>(std::log2(1 + (static_cast<double>(i) + 0.5) / 256) * 256 + 0.5 - 1 / 32.0);
    return out;
  }();
  return table;
}

}  // namespace

int32_t level_of_number(float number) { return in_256ths(number); }

int32_t level_of_steps(const std::array<float, 3>& right, const std::array<float, 3>& down) {
  std::array<double, 3> along{}, sum{}, difference{}, across{};
  for (size_t axis = 0; axis < 3; ++axis) {
    along[axis] = right[axis];
    across[axis] = down[axis];
    sum[axis] = along[axis] + across[axis];
    difference[axis] = along[axis] - across[axis];
  }
  // The steps to the right and down, and those to both at once, shortened.
  const double longest =
      std::max({length(along), length(across), length(sum) * (11 / 16.0), length(difference) * (11 / 16.0)});
  if (!(longest > 0)) return -kFarOff;
  if (std::isinf(longest)) return kFarOff;
  const int exponent = std::ilogb(longest);
  const double fraction = std::ldexp(longest, -exponent) - 1;
  return exponent * kOneLevel + logarithms()[static_cast<size_t>(fraction * 256)];
}

std::array<float, 3> step_on_cube(const std::array<float, 3>& direction, const std::array<float, 3>& step, float size) {
  const float x = std::abs(direction[0]), y = std::abs(direction[1]), z = std::abs(direction[2]);
  const size_t axis = z >= x && z >= y ? 2 : y >= x ? 1 : 0;
  std::array<float, 3> out{};
  size_t i = 0;
  for (size_t other = 0; other < 3; ++other) {
    if (other == axis) continue;
    const float here = direction[other] / direction[axis];
    const float there = (direction[other] + step[other]) / (direction[axis] + step[axis]);
    out[i++] = (there - here) * size * 0.5f;  // a face is from -1 to 1
  }
  return out;
}

LevelsRead levels_read(const Texture& texture, int32_t level) {
  const auto last = static_cast<int32_t>(texture.levels - 1) * kOneLevel;
  level = std::max(std::min(level, in_256ths(texture.most_level)), in_256ths(texture.least_level));
  level = std::clamp(level, 0, last);
  LevelsRead out;
  if (texture.level_filter == FilterMode::Point || !texture.reads_float()) {
    out.first = out.second = static_cast<uint32_t>((level + kOneLevel / 2) / kOneLevel);
    return out;
  }
  out.first = static_cast<uint32_t>(level / kOneLevel);
  out.of_second = level % kOneLevel;
  out.second = out.of_second != 0 ? out.first + 1 : out.first;
  return out;
}

int32_t level_bias(const Texture& texture) { return in_256ths(texture.level_bias); }

}  // namespace warptime::sim
