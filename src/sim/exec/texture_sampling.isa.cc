// Texture fetches of whole warps (texture_sampling.h), for one host instruction set.
#include "sim/exec/texture_sampling.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>

#include "ptx/isa/vec.h"
#include "sim/exec/cube_faces.h"
#include "sim/exec/fresh_lines.h"

namespace warptime::sim::inline WARPTIME_ISA {

namespace {

// Beyond this every coordinate is as far outside as any other, and sums still fit 32 bits.
constexpr float kFar = 1 << 30;

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

/// Numbers within kFar; what is not a number is 0.
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

void find_at_numbers(AddressMode mode, bool normalized, FilterMode filter, uint32_t size, Lanes<float> x,
                     AxisTexels& out) {
  bring_near(x);
  if (normalized) to_texels(mode, size, x);
  Lanes<int32_t> index;
  if (filter == FilterMode::Point) {
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

/// A layer, or a face of a cube: the nearest that there is.
void find_layer(const Texture& texture, const Lanes<uint32_t>& layer, AxisTexels& out) {
  uint32_t last = texture.size[2] - 1;
  for_lanes([&](uint32_t lane) { out.index[0][lane] = out.index[1][lane] = std::min(layer[lane], last); });
  out.inside = {kFullMask, kFullMask};
  out.fraction.fill(0);
}

/// Faces are sampled apart: at an edge its texel counts for that beyond it.
void find_on_cube(const Texture& texture, FilterMode filter, const PlacesOnCube& places, WarpTexels& out) {
  find_at_numbers(AddressMode::Clamp, true, filter, texture.size[0], places.across, out.axis[0]);
  find_at_numbers(AddressMode::Clamp, true, filter, texture.size[1], places.down, out.axis[1]);
  find_layer(texture, places.face, out.axis[2]);
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

/// Bytes from the beginning of a texture: 32 bits do for all but the largest.
template <class Offset>
using AxisOffsets = std::array<std::array<Lanes<Offset>, 2>, 3>;
template <class Offset>
using Places = std::array<Lanes<Offset>, 8>;

template <class Offset>
void scale(const Lanes<uint32_t>& index, uint64_t stride, Lanes<Offset>& out) {
  auto narrow = static_cast<uint32_t>(stride);
  if (narrow == stride) for_lanes([&](uint32_t lane) { out[lane] = Offset{index[lane]} * narrow; });
  else for_lanes([&](uint32_t lane) { out[lane] = static_cast<Offset>(index[lane] * stride); });
}

/// The place of each lane's texels, by number: the sum over axes.
template <class Offset>
void add_axes(const WarpTexels& texels, const AxisOffsets<Offset>& offsets, Places<Offset>& out) {
  for (uint32_t texel = 0; texel < texels.count(); ++texel) {
    out[texel] = offsets[0][texel & 1];
    for (uint32_t a = 1; a < texels.dimensions; ++a) {
      const Lanes<Offset>& more = offsets[a][(texel >> a) & 1];
      for_lanes([&](uint32_t lane) { out[texel][lane] += more[lane]; });
    }
  }
}

/// Calls of_axis(axis, indices, offsets) for all that the texels need.
template <class Offset, class OfAxis>
void for_axes(const WarpTexels& texels, AxisOffsets<Offset>& offsets, OfAxis of_axis) {
  for (uint32_t a = 0; a < texels.dimensions; ++a)
    for (uint32_t i = 0; i < (texels.filtered ? 2 : 1); ++i) of_axis(a, texels.axis[a].index[i], offsets[a][i]);
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

/// One channel of the four texels around a place, counted from below left against the clock (PTX ISA 9.7.10.4).
template <class T, class Offset>
void read_gathered(const Texture& texture, const std::byte* memory, const Places<Offset>& places,
                   const WarpTexels& texels, std::array<Lanes<uint32_t>, 4>& out) {
  constexpr std::array<uint32_t, 4> kTexels{2, 3, 1, 0};
  const uint32_t channel = texels.gathers - 1u;
  if (channel >= texture.channels) return;  // it is 0, as filled
  for (uint32_t c = 0; c < 4; ++c) {
    const uint32_t texel = kTexels[c], inside = texels.inside(texel);
    for_lanes([&](uint32_t lane) {
      const std::byte* at = memory + places[texel][lane] + channel * sizeof(T);
      out[c][lane] = (inside >> lane & 1) != 0 ? result_bits(read<T>(at), texture.reads_float()) : 0;
    });
  }
}

template <class T, class Offset>
void read_nearest(const Texture& texture, const std::byte* memory, const Lanes<Offset>& places, uint32_t inside,
                  std::array<Lanes<uint32_t>, 4>& out) {
  bool as_float = texture.reads_float();
  for (uint32_t c = 0; c < texture.channels; ++c, memory += sizeof(T)) {
    for_lanes([&](uint32_t lane) { out[c][lane] = result_bits(read<T>(memory + places[lane]), as_float); });
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
template <class T, class Offset>
void read_filtered(const Texture& texture, const std::byte* memory, const Places<Offset>& places,
                   const std::array<Lanes<double>, 8>& weights, uint32_t count, std::array<Lanes<uint32_t>, 4>& out) {
  std::array<Lanes<float>, 8> values;
  for (uint32_t c = 0; c < texture.channels; ++c, memory += sizeof(T)) {
    Lanes<double> sum{};
    for (uint32_t texel = 0; texel < count; ++texel) {
      Lanes<float>& value = values[texel];
      for_lanes([&](uint32_t lane) { value[lane] = number(read<T>(memory + places[texel][lane])); });
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

template <class Offset>
void values_at(const Texture& texture, const WarpTexels& texels, const std::byte* memory,
               std::array<Lanes<uint32_t>, 4>& out) {
  AxisOffsets<Offset> offsets;
  Places<Offset> places;
  std::array<Lanes<double>, 8> weights;
  for_axes(texels, offsets, [&](uint32_t axis, const Lanes<uint32_t>& index, Lanes<Offset>& to) {
    const uint64_t row = texture.row_bytes();
    const uint64_t stride = axis == 0 ? texture.texel_bytes() : axis == 1 ? row : row * texture.size[1];
    scale(index, stride, to);
  });
  add_axes(texels, offsets, places);
  if (texels.filtered && texels.gathers == 0) weigh(texels, weights);
  for (uint32_t c = texels.gathers != 0 ? 0 : texture.channels; c < 4; ++c) out[c].fill(0);
  auto fill = [&](auto channel) {
    using T = decltype(channel);
    if (texels.gathers != 0) read_gathered<T>(texture, memory, places, texels, out);
    else if (texels.filtered) read_filtered<T>(texture, memory, places, weights, texels.count(), out);
    else read_nearest<T>(texture, memory, places[0], texels.inside(0), out);
  };
  using ptx::Type;
  if (texture.channel == Type::U8) fill(uint8_t{});
  else if (texture.channel == Type::S8) fill(int8_t{});
  else if (texture.channel == Type::U16) fill(uint16_t{});
  else if (texture.channel == Type::S16) fill(int16_t{});
  else if (texture.channel == Type::U32) fill(uint32_t{});
  else if (texture.channel == Type::S32) fill(int32_t{});
  else fill(float{});
}

/// The lines of a tiled texture: what each index along an axis adds to the address.
template <class Offset>
void tiled_offsets(const TextureLayout& layout, uint32_t texel, uint64_t row_of_tiles, uint64_t slice, uint32_t axis,
                   const Lanes<uint32_t>& index, Lanes<Offset>& out) {
  uint32_t line_width = layout.line - layout.line_rows;
  if (axis == 0) {
    Offset in_tile = (Offset{1} << layout.tile_width) - 1;
    uint32_t tile = layout.tile_width + layout.tile_rows;
    for_lanes([&](uint32_t lane) {
      Offset at = Offset{index[lane]} << texel;
      out[lane] = (at >> layout.tile_width << tile) + ((at & in_tile) >> line_width << layout.line);
    });
  } else if (axis == 1) {
    Offset in_tile = (Offset{1} << layout.tile_rows) - 1;
    uint32_t row_of_lines = layout.tile_width - line_width + layout.line;
    auto row = static_cast<Offset>(row_of_tiles);
    for_lanes([&](uint32_t lane) {
      Offset y = index[lane];
      out[lane] = (y >> layout.tile_rows) * row + ((y & in_tile) >> layout.line_rows << row_of_lines);
    });
  } else {
    scale(index, slice, out);
  }
}

template <class Offset>
void lines_at(const Texture& texture, const WarpTexels& texels, const TextureLayout& layout, uint64_t row_of_tiles,
              uint64_t slice, uint32_t mask, TexelLines& out) {
  AxisOffsets<Offset> offsets;
  Places<Offset> places;
  bool tiled = texture.tiled;
  for_axes(texels, offsets, [&](uint32_t axis, const Lanes<uint32_t>& index, Lanes<Offset>& to) {
    if (tiled)
      tiled_offsets(layout, static_cast<uint32_t>(std::countr_zero(texture.texel_bytes())), row_of_tiles, slice, axis,
                    index, to);
    else scale(index, axis == 0 ? texture.texel_bytes() : axis == 1 ? row_of_tiles : slice, to);
  });
  add_axes(texels, offsets, places);
  out.shift = layout.line;
  out.base = texture.base >> layout.line << layout.line;
  auto in_line = static_cast<Offset>(texture.base - out.base);
  for (uint32_t texel = 0; texel < texels.count(); ++texel) {
    Lanes<uint32_t>& number = out.number[texel];
    for_lanes(
        [&](uint32_t lane) { number[lane] = static_cast<uint32_t>((places[texel][lane] + in_line) >> layout.line); });
  }
  find_fresh(texels, mask, out);
}

constexpr bool fits_32_bits(uint64_t bytes) { return bytes >> 32 == 0; }

void find(const Texture& texture, const Insn& insn, const WarpValues& warp, WarpTexels& out) {
  const TexturePayload& fetch = insn.texture();
  out.dimensions = fetch.dimensions;
  out.gathers = fetch.gathers;
  const FilterMode filter = fetch.gathers != 0 ? FilterMode::Linear : texture.filter;
  out.filtered = fetch.float_coordinates && filter == FilterMode::Linear;
  Lanes<uint32_t> layer{};
  if (fetch.has_layers) [[unlikely]]
    std::memcpy(layer.data(), insn.src[fetch.dimensions].in(warp), sizeof layer);
  if (fetch.is_cube) [[unlikely]]
    return find_on_cube(
        texture, filter,
        places_on_cube({lanes_of(insn.src[0].in(warp)), lanes_of(insn.src[1].in(warp)), lanes_of(insn.src[2].in(warp))},
                       layer),
        out);
  for (size_t a = 0; a < fetch.dimensions; ++a) {
    const std::byte* row = insn.src[a].in(warp);
    if (fetch.float_coordinates)
      find_at_numbers(mode_of(texture, a), texture.normalized_coordinates, filter, texture.size[a], lanes_of(row),
                      out.axis[a]);
    else find_at_indices(texture, a, row, out.axis[a]);
  }
  if (!fetch.has_layers) [[likely]]
    return;
  if (fetch.dimensions == 1) {
    out.axis[1].index[0].fill(0), out.axis[1].index[1].fill(0);
    out.axis[1].fraction.fill(0);
  }
  out.dimensions = 3;
  find_layer(texture, layer, out.axis[2]);
}

void values(const Texture& texture, const WarpTexels& texels, const std::byte* memory,
            std::array<Lanes<uint32_t>, 4>& out) {
  if (fits_32_bits(texture.bytes())) values_at<uint32_t>(texture, texels, memory, out);
  else values_at<uint64_t>(texture, texels, memory, out);
}

void lines(const Texture& texture, const WarpTexels& texels, const TextureLayout& layout, uint32_t mask,
           TexelLines& out) {
  uint64_t row = texture.row_bytes(), rows = texture.size[1], slice = row * rows;
  if (texture.tiled) {
    auto tiles = [](uint64_t size, uint32_t unit) { return (size + (uint64_t{1} << unit) - 1) >> unit; };
    row = tiles(row, layout.tile_width) << (layout.tile_width + layout.tile_rows);
    slice = row * tiles(rows, layout.tile_rows);
  }
  const uint64_t end = slice * texture.size[2] + (uint64_t{1} << layout.line);
  if (fits_32_bits(end)) lines_at<uint32_t>(texture, texels, layout, row, slice, mask, out);
  else lines_at<uint64_t>(texture, texels, layout, row, slice, mask, out);
}

}  // namespace

TextureAccess texture_access();
TextureAccess texture_access() { return {find, values, lines}; }

}  // namespace warptime::sim::inline WARPTIME_ISA
