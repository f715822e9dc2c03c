#include "sim/exec/texture_sampling.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "base/assert.h"

namespace warptime::sim {

namespace {

// Beyond this every coordinate is as far outside as any other, and sums still fit 32 bits.
constexpr float kFar = 1 << 30;

/// A texel's index along an axis of `size` texels; false where it is the border's.
bool resolve(AddressMode mode, int64_t index, uint32_t size, uint32_t* out) {
  int64_t n = size;
  bool inside = true;
  switch (mode) {
    case AddressMode::Clamp: index = std::clamp<int64_t>(index, 0, n - 1); break;
    case AddressMode::Wrap: index = ((index % n) + n) % n; break;
    case AddressMode::Mirror:
      index = ((index % (2 * n)) + 2 * n) % (2 * n);
      if (index >= n) index = 2 * n - 1 - index;
      break;
    case AddressMode::Border: inside = index >= 0 && index < n; break;
  }
  *out = inside ? static_cast<uint32_t>(index) : 0;
  return inside;
}

AddressMode mode_of(const Texture& texture, size_t axis) {
  AddressMode mode = texture.address[axis];
  bool repeats = mode == AddressMode::Wrap || mode == AddressMode::Mirror;
  return repeats && !texture.normalized_coordinates ? AddressMode::Clamp : mode;
}

/// A normalised coordinate within the texture, where the mode repeats it; then in texels.
float in_texels(AddressMode mode, float x, uint32_t size) {
  float whole = std::floor(x);
  if (mode == AddressMode::Wrap) x = x - whole;
  if (mode == AddressMode::Mirror) x = std::fmod(whole, 2.0f) == 0 ? x - whole : 1.0f - (x - whole);
  return x * static_cast<float>(size);
}

AxisSample sample_axis(const Texture& texture, size_t axis, float x) {
  AddressMode mode = mode_of(texture, axis);
  uint32_t size = texture.size[axis];
  if (std::isnan(x)) x = 0;
  if (texture.normalized_coordinates) x = in_texels(mode, std::clamp(x, -kFar, kFar), size);
  x = std::clamp(x, -kFar, kFar);
  AxisSample out;
  if (texture.filter == FilterMode::Point) {
    out.inside[0] = resolve(mode, static_cast<int64_t>(std::floor(x)), size, &out.index[0]);
    return out;
  }
  float shifted = x - 0.5f, low = std::floor(shifted);
  out.count = 2;
  out.fraction = static_cast<uint32_t>(std::floor((shifted - low) * 256.0f + 0.5f));
  for (size_t i = 0; i < 2; ++i)
    out.inside[i] = resolve(mode, static_cast<int64_t>(low) + static_cast<int64_t>(i), size, &out.index[i]);
  return out;
}

AxisSample sample_axis(const Texture& texture, size_t axis, int32_t x) {
  AxisSample out;
  out.inside[0] = resolve(mode_of(texture, axis), x, texture.size[axis], &out.index[0]);
  return out;
}

template <class Coordinate>
Sample sample_any(const Texture& texture, uint32_t dimensions, const std::array<Coordinate, 3>& coordinates) {
  Sample sample;
  for (size_t axis = 0; axis < dimensions; ++axis) sample.axis[axis] = sample_axis(texture, axis, coordinates[axis]);
  return sample;
}

template <class T>
T read(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

/// One channel as a number (of an f32 result), exactly.
template <class T>
double number(T value, ReadMode mode) {
  if constexpr (std::is_floating_point_v<T>) {
    return value;
  } else {
    if (mode == ReadMode::Element) return static_cast<double>(value);
    float most = static_cast<float>(std::numeric_limits<T>::max());
    return std::max(static_cast<float>(value) / most, -1.0f);
  }
}

/// One channel as the 32 bits of an integer result, its sign extended.
template <class T>
uint32_t integer_bits(T value) {
  if constexpr (std::is_floating_point_v<T>) return std::bit_cast<uint32_t>(value);
  else return static_cast<uint32_t>(static_cast<int32_t>(value));
}

const std::byte* texel_at(const Texture& texture, const std::byte* texels, uint32_t x, uint32_t y, uint32_t z) {
  uint64_t index = (uint64_t{z} * texture.size[1] + y) * texture.size[0] + x;
  return texels + index * texture.texel_bytes();
}

template <class T>
uint32_t nearest(const Texture& texture, const Sample& sample, const std::byte* texels, uint32_t channel) {
  uint32_t bits = 0;
  for_each_texel(sample, [&](uint32_t x, uint32_t y, uint32_t z) {
    T value = read<T>(texel_at(texture, texels, x, y, z) + channel * sizeof(T));
    bits = texture.reads_float() ? std::bit_cast<uint32_t>(static_cast<float>(number(value, texture.read)))
                                 : integer_bits(value);
  });
  return bits;
}

/// The weighted sum, rounded once: the weights are exact, the products of an f32 and 24 bits fit a double.
template <class T>
uint32_t filtered(const Texture& texture, const Sample& sample, const std::byte* texels, uint32_t channel) {
  double sum = 0;
  auto weight = [](const AxisSample& axis, uint32_t i) {
    if (axis.count == 1) return 1.0;
    return (i == 0 ? 256.0 - axis.fraction : axis.fraction) / 256.0;
  };
  const auto& [x, y, z] = sample.axis;
  for (uint32_t k = 0; k < z.count; ++k)
    for (uint32_t j = 0; j < y.count; ++j)
      for (uint32_t i = 0; i < x.count; ++i) {
        double w = weight(x, i) * weight(y, j) * weight(z, k);
        // A texel without weight does not count, be it infinite.
        if (w == 0 || !x.inside[i] || !y.inside[j] || !z.inside[k]) continue;
        const std::byte* at = texel_at(texture, texels, x.index[i], y.index[j], z.index[k]);
        sum += w * number(read<T>(at + channel * sizeof(T)), texture.read);
      }
  return std::bit_cast<uint32_t>(static_cast<float>(sum));
}

template <class T>
uint32_t channel_of(const Texture& texture, const Sample& sample, const std::byte* texels, uint32_t channel) {
  bool filters = sample.axis[0].count == 2;
  return filters ? filtered<T>(texture, sample, texels, channel) : nearest<T>(texture, sample, texels, channel);
}

}  // namespace

Sample sample_at(const Texture& texture, uint32_t dimensions, const std::array<float, 3>& coordinates) {
  return sample_any(texture, dimensions, coordinates);
}
Sample sample_at(const Texture& texture, uint32_t dimensions, const std::array<int32_t, 3>& coordinates) {
  return sample_any(texture, dimensions, coordinates);
}

std::array<uint32_t, 4> sample_value(const Texture& texture, const Sample& sample, const std::byte* texels) {
  std::array<uint32_t, 4> out{};
  auto fill = [&](auto channel) {
    for (uint32_t c = 0; c < texture.channels; ++c) out[c] = channel_of<decltype(channel)>(texture, sample, texels, c);
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
  return out;
}

}  // namespace warptime::sim
