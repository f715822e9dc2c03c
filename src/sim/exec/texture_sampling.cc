#include "sim/exec/texture_sampling.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/assert.h"

namespace warptime::sim {

namespace {

// Beyond this every coordinate is as far outside as any other, and sums still fit 32 bits.
constexpr float kFar = 1 << 30;

template <class F>
inline void for_lanes(const F& f) {
  for (uint32_t lane = 0; lane < kWarpSize; ++lane) f(lane);
}

/// Rounded down; within kFar.
inline int32_t floor_of(float x) {
  auto whole = static_cast<int32_t>(x);
  return whole - (static_cast<float>(whole) > x ? 1 : 0);
}

/// Texels' indices along an axis of `size` texels. Returns the lanes that have one; the others are the border's.
uint32_t resolve(AddressMode mode, const Lanes<int32_t>& from, uint32_t size, Lanes<uint32_t>& out) {
  auto n = static_cast<int32_t>(size);
  auto modulo = [](int32_t i, int32_t divisor) {
    return static_cast<uint32_t>(i) < static_cast<uint32_t>(divisor) ? i : (i % divisor + divisor) % divisor;
  };
  switch (mode) {
    case AddressMode::Clamp:
      for_lanes([&](uint32_t lane) { out[lane] = static_cast<uint32_t>(std::clamp(from[lane], 0, n - 1)); });
      break;
    case AddressMode::Wrap:
      for_lanes([&](uint32_t lane) { out[lane] = static_cast<uint32_t>(modulo(from[lane], n)); });
      break;
    case AddressMode::Mirror:
      for_lanes([&](uint32_t lane) {
        int32_t index = modulo(from[lane], 2 * n);
        out[lane] = static_cast<uint32_t>(index < n ? index : 2 * n - 1 - index);
      });
      break;
    case AddressMode::Border: {
      uint32_t inside = 0;
      for_lanes([&](uint32_t lane) {
        auto index = static_cast<uint32_t>(from[lane]);
        inside |= (index < size ? 1u : 0u) << lane;
        out[lane] = index < size ? index : 0;
      });
      return inside;
    }
  }
  return kFullMask;
}

AddressMode mode_of(const Texture& texture, size_t axis) {
  AddressMode mode = texture.address[axis];
  bool repeats = mode == AddressMode::Wrap || mode == AddressMode::Mirror;
  return repeats && !texture.normalized_coordinates ? AddressMode::Clamp : mode;
}

/// Numbers within kFar; what is no number is 0.
void bring_near(Lanes<float>& coordinates) {
  for_lanes([&](uint32_t lane) {
    float x = coordinates[lane];
    x = x == x ? x : 0;
    x = x < -kFar ? -kFar : x;
    coordinates[lane] = x > kFar ? kFar : x;
  });
}

/// Normalised coordinates within the texture, where the mode repeats it; then in texels.
void to_texels(AddressMode mode, uint32_t size, Lanes<float>& coordinates) {
  auto n = static_cast<float>(size);
  if (mode == AddressMode::Wrap || mode == AddressMode::Mirror)
    for_lanes([&](uint32_t lane) {
      int32_t whole = floor_of(coordinates[lane]);
      float x = coordinates[lane] - static_cast<float>(whole), mirrored = 1.0f - x;
      coordinates[lane] = mode == AddressMode::Mirror && (whole & 1) != 0 ? mirrored : x;
    });
  for_lanes([&](uint32_t lane) { coordinates[lane] *= n; });
  bring_near(coordinates);
}

void find_at_numbers(const Texture& texture, size_t axis, const std::byte* row, AxisTexels& out) {
  AddressMode mode = mode_of(texture, axis);
  uint32_t size = texture.size[axis];
  Lanes<float> x;
  std::memcpy(x.data(), row, sizeof x);
  bring_near(x);
  if (texture.normalized_coordinates) to_texels(mode, size, x);
  Lanes<int32_t> index;
  if (texture.filter == FilterMode::Point) {
    for_lanes([&](uint32_t lane) { index[lane] = floor_of(x[lane]); });
    out.inside[0] = resolve(mode, index, size, out.index[0]);
    return;
  }
  for_lanes([&](uint32_t lane) {
    float shifted = x[lane] - 0.5f;
    int32_t low = floor_of(shifted);
    index[lane] = low;
    out.fraction[lane] = floor_of((shifted - static_cast<float>(low)) * 256.0f + 0.5f);
  });
  out.inside[0] = resolve(mode, index, size, out.index[0]);
  for_lanes([&](uint32_t lane) { ++index[lane]; });
  out.inside[1] = resolve(mode, index, size, out.index[1]);
}

void find_at_indices(const Texture& texture, size_t axis, const std::byte* row, AxisTexels& out) {
  Lanes<int32_t> index;
  std::memcpy(index.data(), row, sizeof index);
  out.inside[0] = resolve(mode_of(texture, axis), index, texture.size[axis], out.index[0]);
}

template <class T>
T read(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

/// One channel as f32, exactly: of a texture that is read as f32.
template <class T>
float number(T value) {
  if constexpr (std::is_floating_point_v<T>) return value;
  else return std::max(static_cast<float>(value) / static_cast<float>(std::numeric_limits<T>::max()), -1.0f);
}

/// One channel as the 32 bits of a result that is not filtered; integers that stay such extend their sign.
template <class T>
uint32_t result_bits(T value, bool as_float) {
  if (as_float) return std::bit_cast<uint32_t>(number(value));
  return static_cast<uint32_t>(static_cast<int32_t>(value));
}

using Places = Lanes<const std::byte*>;

/// Where each lane's texel of this number is.
void places_of(const WarpTexels& texels, const std::array<std::array<Lanes<uint64_t>, 2>, 3>& offsets, uint32_t texel,
               const std::byte* memory, Places& out) {
  const Lanes<uint64_t>& x = offsets[0][texel & 1];
  for_lanes([&](uint32_t lane) { out[lane] = memory + x[lane]; });
  for (uint32_t a = 1; a < texels.dimensions; ++a) {
    const Lanes<uint64_t>& more = offsets[a][(texel >> a) & 1];
    for_lanes([&](uint32_t lane) { out[lane] += more[lane]; });
  }
}

/// How much each lane's texels count, by number. Those of the border do not.
void weigh(const WarpTexels& texels, std::array<Lanes<double>, 8>& out) {
  out[0].fill(1);
  for (uint32_t a = 0; a < texels.dimensions; ++a) {
    Lanes<double> second;
    for_lanes([&](uint32_t lane) { second[lane] = texels.axis[a].fraction[lane] * (1 / 256.0); });
    for (uint32_t texel = 0; texel < 1u << a; ++texel) {
      Lanes<double>&low = out[texel], &high = out[texel + (1u << a)];
      for_lanes([&](uint32_t lane) {
        double both = low[lane];
        high[lane] = both * second[lane];
        low[lane] = both * (1 - second[lane]);
      });
    }
  }
  for (uint32_t texel = 0; texel < texels.count(); ++texel)
    for (uint32_t rest = ~texels.inside(texel); rest != 0; rest &= rest - 1)
      out[texel][static_cast<size_t>(std::countr_zero(rest))] = 0;
}

template <class T>
void read_nearest(const Texture& texture, const Places& places, uint32_t inside, std::array<Lanes<uint32_t>, 4>& out) {
  bool as_float = texture.reads_float();
  for (uint32_t c = 0; c < texture.channels; ++c) {
    for_lanes([&](uint32_t lane) { out[c][lane] = result_bits(read<T>(places[lane] + c * sizeof(T)), as_float); });
    for (uint32_t rest = ~inside; rest != 0; rest &= rest - 1) out[c][static_cast<size_t>(std::countr_zero(rest))] = 0;
  }
}

bool all_finite(const Lanes<double>& numbers) {
  uint64_t top_bits = 0;  // set by the one number of the exponent that means infinite, or none
  for_lanes([&](uint32_t lane) {
    top_bits |= (std::bit_cast<uint64_t>(numbers[lane]) & (uint64_t{0x7ff} << 52)) + (uint64_t{1} << 52);
  });
  return top_bits >> 63 == 0;
}

/// Weighted sums, rounded once: the weights are exact, the products of an f32 and 24 bits fit a double. A texel without
/// weight does not count, be it infinite.
template <class T>
void read_filtered(const Texture& texture, const std::array<Places, 8>& places,
                   const std::array<Lanes<double>, 8>& weights, uint32_t count, std::array<Lanes<uint32_t>, 4>& out) {
  std::array<Lanes<float>, 8> values;
  for (uint32_t c = 0; c < texture.channels; ++c) {
    Lanes<double> sum{};
    for (uint32_t texel = 0; texel < count; ++texel) {
      Lanes<float>& value = values[texel];
      for_lanes([&](uint32_t lane) { value[lane] = number(read<T>(places[texel][lane] + c * sizeof(T))); });
      const Lanes<double>& weight = weights[texel];
      for_lanes([&](uint32_t lane) { sum[lane] += weight[lane] * static_cast<double>(value[lane]); });
    }
    if (!all_finite(sum)) [[unlikely]] {
      sum.fill(0);
      for (uint32_t texel = 0; texel < count; ++texel)
        for_lanes([&](uint32_t lane) {
          if (weights[texel][lane] != 0) sum[lane] += weights[texel][lane] * static_cast<double>(values[texel][lane]);
        });
    }
    for_lanes([&](uint32_t lane) { out[c][lane] = std::bit_cast<uint32_t>(static_cast<float>(sum[lane])); });
  }
}

}  // namespace

void find_texels(const Texture& texture, const Insn& insn, const WarpValues& warp, WarpTexels& out) {
  out.dimensions = insn.dimensions;
  out.filtered = insn.float_coordinates && texture.filter == FilterMode::Linear;
  for (size_t a = 0; a < insn.dimensions; ++a) {
    const std::byte* row = insn.src[a].in(warp);
    if (insn.float_coordinates) find_at_numbers(texture, a, row, out.axis[a]);
    else find_at_indices(texture, a, row, out.axis[a]);
  }
}

void texel_offsets(const Texture& texture, uint32_t axis, const Lanes<uint32_t>& index, Lanes<uint64_t>& out) {
  uint64_t stride = texture.texel_bytes();
  for (uint32_t a = 0; a < axis; ++a) stride *= texture.size[a];
  auto narrow = static_cast<uint32_t>(stride);
  if (narrow == stride) for_lanes([&](uint32_t lane) { out[lane] = uint64_t{index[lane]} * narrow; });
  else for_lanes([&](uint32_t lane) { out[lane] = index[lane] * stride; });
}

void texture_values(const Texture& texture, const WarpTexels& texels, const std::byte* memory,
                    std::array<Lanes<uint32_t>, 4>& out) {
  std::array<std::array<Lanes<uint64_t>, 2>, 3> offsets;
  for (uint32_t a = 0; a < texels.dimensions; ++a)
    for (uint32_t i = 0; i < (texels.filtered ? 2 : 1); ++i)
      texel_offsets(texture, a, texels.axis[a].index[i], offsets[a][i]);
  std::array<Places, 8> places;
  std::array<Lanes<double>, 8> weights;
  for (uint32_t texel = 0; texel < texels.count(); ++texel) places_of(texels, offsets, texel, memory, places[texel]);
  if (texels.filtered) weigh(texels, weights);
  for (uint32_t c = texture.channels; c < 4; ++c) out[c].fill(0);
  auto fill = [&](auto channel) {
    using T = decltype(channel);
    if (texels.filtered) read_filtered<T>(texture, places, weights, texels.count(), out);
    else read_nearest<T>(texture, places[0], texels.inside(0), out);
  };
  using ptx::Type;
  if (texture.channel == Type::U8) fill(uint8_t{});
  else if (texture.channel == Type::S8) fill(int8_t{});
  else if (texture.channel == Type::U16) fill(uint16_t{});
  else if (texture.channel == Type::S16) fill(int16_t{});
  else if (texture.channel == Type::U32) fill(uint32_t{});
  else if (texture.channel == Type::S32) fill(int32_t{});
  else if (texture.channel == Type::F32) fill(float{});
  else SIM_ASSERT(false, "a texture of {}", ptx::name(texture.channel));
}

}  // namespace warptime::sim
