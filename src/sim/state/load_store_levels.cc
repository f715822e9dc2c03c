// Fetches from textures with several levels of detail: each lane reads one level, or two that count by the fraction of
// its level. PTX ISA 9.0, 9.7.10.3.
#include <algorithm>
#include <bit>

#include "sim/exec/lanes_of_mask.h"
#include "sim/exec/level_of_detail.h"
#include "sim/state/load_store.h"

namespace warptime::sim {

namespace {

using Results = std::array<Lanes<uint32_t>, 4>;
using Sums = std::array<Lanes<double>, 4>;

std::array<float, 3> floats_of(const WarpValues& warp, const RowRef* rows, uint32_t count, uint32_t lane) {
  std::array<float, 3> out{};
  for (uint32_t i = 0; i < count; ++i) out[i] = std::bit_cast<float>(lane_of<uint32_t>(rows[i].in(warp), lane));
  return out;
}

/// The level that a lane names by gradients, which are changes of its coordinates.
int32_t level_of_gradients(const Insn& insn, const WarpValues& warp, const Texture& texture, uint32_t lane) {
  const TexturePayload& fetch = insn.texture();
  const uint32_t count = fetch.dimensions;
  std::array<std::array<float, 3>, 2> steps{floats_of(warp, fetch.level.data(), count, lane),
                                            floats_of(warp, fetch.level.data() + 3, count, lane)};
  const std::array<float, 3> at = floats_of(warp, insn.src.data(), count, lane);
  for (std::array<float, 3>& step : steps) {
    if (fetch.is_cube) step = step_on_cube(at, step, static_cast<float>(texture.size[0]));
    else if (texture.normalized_coordinates)
      for (size_t axis = 0; axis < count; ++axis) step[axis] *= static_cast<float>(texture.size[axis]);
  }
  return level_of_steps(steps[0], steps[1]);
}

LevelsRead levels_of_lane(const Insn& insn, const WarpValues& warp, const Texture& texture, uint32_t lane) {
  const TexturePayload& fetch = insn.texture();
  if (!fetch.float_coordinates && fetch.level_by != LevelBy::Gradients) {
    // Texels by their numbers, of a level by its number: neither the bias nor the least and the most level count.
    const bool named = fetch.level_by == LevelBy::Number;
    const int32_t number = named ? lane_of<int32_t>(fetch.level[0].in(warp), lane) : 0;
    const auto level = static_cast<uint32_t>(std::clamp(number, 0, static_cast<int32_t>(texture.levels - 1)));
    return {level, level, 0};
  }
  if (fetch.level_by == LevelBy::None) return levels_read(texture, 0);
  const int32_t level = fetch.level_by == LevelBy::Number
                            ? level_of_number(std::bit_cast<float>(lane_of<uint32_t>(fetch.level[0].in(warp), lane)))
                            : level_of_gradients(insn, warp, texture, lane);
  return levels_read(texture, level + level_bias(texture));
}

/// How much each texel of a lane counts, in 256ths: `total` is divided along one axis after the other, and rounded each
/// time, so that it stays the sum. Halves go to the side on which the part lies already.
std::array<int32_t, 8> weights_of(const WarpTexels& texels, int32_t total, uint32_t lane) {
  std::array<int32_t, 8> out{total};
  for (uint32_t a = 0; a < texels.dimensions; ++a) {
    const AxisTexels& axis = texels.axis[a];
    // At an edge both are one texel.
    const int32_t fraction = axis.index[0][lane] == axis.index[1][lane] ? 0 : axis.fraction[lane];
    for (uint32_t texel = 0; texel < 1u << a; ++texel) {
      const bool is_low = a != 0 && (texel >> (a - 1) & 1) == 0;
      const int32_t high = (out[texel] * fraction + (is_low ? 127 : 128)) / 256;
      out[texel + (1u << a)] = high;
      out[texel] -= high;
    }
  }
  return out;
}

/// One of the texels around each lane's place, as a fetch that is not filtered.
WarpTexels single(const WarpTexels& texels, uint32_t number) {
  WarpTexels out;
  out.dimensions = texels.dimensions;
  for (uint32_t a = 0; a < texels.dimensions; ++a) {
    out.axis[a].index[0] = texels.axis[a].index[number >> a & 1];
    out.axis[a].inside[0] = texels.axis[a].inside[number >> a & 1];
  }
  return out;
}

}  // namespace

void LoadStore::fetch_levels(const Insn& insn, Warp& warp, const Texture& texture, uint32_t lanes, MemoryAccess& out) {
  Results results;
  Sums sums{};
  Lanes<int32_t> weight{};
  std::array<LevelsRead, kWarpSize> read{};
  uint32_t summed = 0;
  for_lanes_of(lanes, [&](uint32_t lane) {
    read[lane] = levels_of_lane(insn, warp.values, texture, lane);
    summed |= uint32_t{read[lane].of_second != 0} << lane;
  });
  if (insn.texture().gathers != 0) summed = 0;
  for (uint32_t level = 0; level < texture.levels; ++level) {
    uint32_t readers = 0;
    for_lanes_of(lanes, [&](uint32_t lane) {
      const LevelsRead& of = read[lane];
      if (of.first != level && (of.second != level || (summed >> lane & 1) == 0)) return;
      readers |= 1u << lane;
      weight[lane] = of.first == level ? kOneLevel - of.of_second : of.of_second;
    });
    if (readers == 0) continue;
    const Texture one = texture.at_level(level);
    const std::byte* memory = memory_->at(one.base);
    WarpTexels texels;
    textures_.find(one, insn, warp.values, texels);
    texture_lines(one, texels, readers, out);
    const bool filters = texels.filtered && texels.gathers == 0;
    if (filters) summed |= readers;
    Results values;
    for (uint32_t texel = 0; texel < (filters ? texels.count() : 1); ++texel) {
      textures_.values(one, filters ? single(texels, texel) : texels, memory, values);
      for_lanes_of(readers, [&](uint32_t lane) {
        const int32_t counts = filters ? weights_of(texels, weight[lane], lane)[texel] : weight[lane];
        for (size_t c = 0; c < 4; ++c) {
          if ((summed >> lane & 1) == 0) results[c][lane] = values[c][lane];
          else if (counts != 0) sums[c][lane] += counts / 256.0 * double{std::bit_cast<float>(values[c][lane])};
        }
      });
    }
  }
  for_lanes_of(summed, [&](uint32_t lane) {
    for (size_t c = 0; c < 4; ++c) results[c][lane] = std::bit_cast<uint32_t>(static_cast<float>(sums[c][lane]));
  });
  write_texels(insn, warp, lanes, results);
}

}  // namespace warptime::sim
