// Texture values: against a reference written from the formulas of CUDA C Programming Guide 4.2, appendix E, and
// against what a GPU returned (recorded/texture_vectors.cu says how).
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>

#include "sim/exec/handler_table.h"
#include "sim/exec/texture_sampling.h"

namespace warptime::sim {

namespace {

uint32_t mixed(uint32_t v) {
  v ^= v >> 16, v *= 0x7feb352du, v ^= v >> 15, v *= 0x846ca68bu;
  return v ^ (v >> 16);
}

/// Texel t's channel c: of f32 halves from -64 to 63.5, of integers any bits.
uint32_t texel_bits(bool is_float, uint32_t texel, uint32_t channel) {
  uint32_t bits = mixed(texel * 4 + channel + 1);
  return is_float ? std::bit_cast<uint32_t>(static_cast<float>(static_cast<int>(bits % 256) - 128) * 0.5f) : bits;
}

std::vector<std::byte> texels_of(const Texture& texture) {
  std::vector<std::byte> bytes(texture.bytes());
  uint32_t width = ptx::bytes(texture.channel);
  for (uint32_t t = 0; t * texture.texel_bytes() < bytes.size(); ++t)
    for (uint32_t c = 0; c < texture.channels; ++c) {
      uint32_t bits = texel_bits(texture.channel == ptx::Type::F32, t, c);
      std::memcpy(bytes.data() + t * texture.texel_bytes() + c * width, &bits, width);
    }
  return bytes;
}

constexpr std::array<std::array<uint32_t, 3>, 3> kSizes{{{7, 1, 1}, {5, 3, 1}, {3, 4, 2}}};

// --- the reference: appendix E, one formula after the other, in long double ---

/// E: which texel a coordinate means, or -1 for the border; T[i] with i counted in texels.
int64_t texel_of(AddressMode mode, int64_t i, int64_t n) {
  switch (mode) {
    case AddressMode::Clamp: return i < 0 ? 0 : i >= n ? n - 1 : i;
    case AddressMode::Border: return i < 0 || i >= n ? -1 : i;
    case AddressMode::Wrap:
      while (i < 0) i += n;
      while (i >= n) i -= n;
      return i;
    case AddressMode::Mirror:
      while (i < 0 || i >= n) i = i < 0 ? -1 - i : 2 * n - 1 - i;
      return i;
  }
  return -1;
}

long double channel_value(const Texture& texture, const std::vector<std::byte>& texels, int64_t x, int64_t y, int64_t z,
                          uint32_t c) {
  if (x < 0 || y < 0 || z < 0) return 0;
  auto t = static_cast<uint32_t>((z * texture.size[1] + y) * texture.size[0] + x);
  uint32_t bits = 0, width = ptx::bytes(texture.channel);
  std::memcpy(&bits, texels.data() + t * texture.texel_bytes() + c * width, width);
  if (texture.channel == ptx::Type::F32) return std::bit_cast<float>(bits);
  bool is_signed = info(texture.channel).kind == ptx::TypeKind::Signed;
  uint32_t unused = 32 - 8 * width;
  long double value = is_signed ? static_cast<long double>(static_cast<int32_t>(bits << unused) >> unused) : bits;
  if (texture.read == ReadMode::Element) return value;
  // 0 to 1, or -1 to 1, where the least integer is -1, too.
  long double most = std::pow(2.0L, 8 * width - (is_signed ? 1 : 0)) - 1;
  return std::max(static_cast<long double>(static_cast<float>(value / most)), -1.0L);
}

std::array<uint32_t, 4> reference(const Texture& texture, const std::vector<std::byte>& texels, uint32_t dimensions,
                                  const std::array<float, 3>& at) {
  std::array<float, 3> u{};
  std::array<int64_t, 3> low{}, high{};
  std::array<long double, 3> alpha{};
  for (size_t a = 0; a < dimensions; ++a) {
    auto n = static_cast<float>(texture.size[a]);
    AddressMode mode = texture.address[a];
    u[a] = at[a];
    if (texture.normalized_coordinates) {
      float f = std::floor(at[a]);
      if (mode == AddressMode::Wrap) u[a] = at[a] - f;
      if (mode == AddressMode::Mirror) u[a] = static_cast<int64_t>(f) % 2 == 0 ? at[a] - f : 1 - (at[a] - f);
      u[a] *= n;
    } else if (mode == AddressMode::Wrap || mode == AddressMode::Mirror) {
      mode = AddressMode::Clamp;
    }
    float base = texture.filter == FilterMode::Linear ? u[a] - 0.5f : u[a];
    auto i = static_cast<int64_t>(std::floor(base));
    low[a] = texel_of(mode, i, texture.size[a]);
    high[a] = texel_of(mode, i + 1, texture.size[a]);
    // "stored in 9-bit fixed point format with 8 bits of fractional value"
    alpha[a] = std::floor((static_cast<long double>(base) - std::floor(base)) * 256 + 0.5L) / 256;
  }
  std::array<uint32_t, 4> out{};
  for (uint32_t c = 0; c < texture.channels; ++c) {
    auto t = [&](int i, int j, int k) {
      return channel_value(texture, texels, i ? high[0] : low[0], j ? high[1] : low[1], k ? high[2] : low[2], c);
    };
    long double value = t(0, 0, 0);
    if (texture.filter == FilterMode::Linear) {
      auto [a, b, g] = alpha;
      if (dimensions == 1) value = (1 - a) * t(0, 0, 0) + a * t(1, 0, 0);
      if (dimensions == 2)
        value =
            (1 - a) * (1 - b) * t(0, 0, 0) + a * (1 - b) * t(1, 0, 0) + (1 - a) * b * t(0, 1, 0) + a * b * t(1, 1, 0);
      if (dimensions == 3)
        value = (1 - a) * (1 - b) * (1 - g) * t(0, 0, 0) + a * (1 - b) * (1 - g) * t(1, 0, 0) +
                (1 - a) * b * (1 - g) * t(0, 1, 0) + a * b * (1 - g) * t(1, 1, 0) + (1 - a) * (1 - b) * g * t(0, 0, 1) +
                a * (1 - b) * g * t(1, 0, 1) + (1 - a) * b * g * t(0, 1, 1) + a * b * g * t(1, 1, 1);
    }
    out[c] = texture.reads_float() ? std::bit_cast<uint32_t>(static_cast<float>(value))
                                   : static_cast<uint32_t>(static_cast<int64_t>(value));
  }
  return out;
}

/// Every texture that can be: calls visit(texture, dimensions).
template <class Visit>
void for_each_texture(Visit&& visit) {
  using ptx::Type;
  for (Type channel : {Type::U8, Type::S8, Type::U16, Type::S16, Type::U32, Type::S32, Type::F32})
    for (uint8_t channels : {1, 2, 4})
      for (uint32_t dimensions : {1, 2, 3})
        for (AddressMode mode : {AddressMode::Wrap, AddressMode::Clamp, AddressMode::Mirror, AddressMode::Border})
          for (FilterMode filter : {FilterMode::Point, FilterMode::Linear})
            for (bool normalized : {false, true})
              for (ReadMode read : {ReadMode::Element, ReadMode::Normalized}) {
                if (read == ReadMode::Normalized && ptx::bits(channel) == 32) continue;
                Texture t{.name = {},
                          .bound = true,
                          .base = 0,
                          .size = kSizes[dimensions - 1],
                          .channel = channel,
                          .channels = channels,
                          .address = {mode, mode, mode},
                          .filter = filter,
                          .read = read,
                          .normalized_coordinates = normalized,
                          .tiled = true};
                if (filter == FilterMode::Linear && !t.reads_float()) continue;
                visit(t, dimensions);
              }
}

std::string describe(const Texture& t, uint32_t dimensions) {
  std::ostringstream out;
  out << ptx::name(t.channel) << " x " << int{t.channels} << ", " << dimensions << "d, mode "
      << static_cast<int>(t.address[0]) << (t.filter == FilterMode::Linear ? ", linear" : ", point")
      << (t.normalized_coordinates ? ", normalised" : ", texels")
      << (t.read == ReadMode::Normalized ? ", read normalised" : "");
  return out.str();
}

/// Access by the host instruction set that is tested.
const TextureAccess* access_by = &handler_table().textures();

/// The texels of a warp one of whose lanes is at `at`, and the others elsewhere.
constexpr uint32_t kLane = 21;
template <class T>
WarpTexels texels_at(const Texture& texture, uint32_t dimensions, const std::array<T, 3>& at) {
  std::array<Lanes<T>, 3> rows;
  Insn insn;
  TexturePayload& fetch = insn.set_payload<TexturePayload>();
  fetch.dimensions = static_cast<uint8_t>(dimensions);
  fetch.float_coordinates = std::is_floating_point_v<T>;
  for (uint32_t a = 0; a < 3; ++a) {
    insn.src[a] = {a * kRowBytes};
    for (uint32_t lane = 0; lane < kWarpSize; ++lane) rows[a][lane] = static_cast<T>(lane * (a + 1)) - 8;
    rows[a][kLane] = at[a];
  }
  WarpTexels out;
  access_by->find(texture, insn, {{reinterpret_cast<const std::byte*>(rows.data())}, nullptr}, out);
  return out;
}

template <class T>
std::array<uint32_t, 4> value_at(const Texture& texture, uint32_t dimensions, const std::array<T, 3>& at,
                                 const std::vector<std::byte>& texels) {
  std::array<Lanes<uint32_t>, 4> values;
  access_by->values(texture, texels_at(texture, dimensions, at), texels.data(), values);
  return {values[0][kLane], values[1][kLane], values[2][kLane], values[3][kLane]};
}

void equal_the_reference() {
  size_t count = 0;
  uint32_t seed = 7;
  for_each_texture([&](const Texture& texture, uint32_t dimensions) {
    std::vector<std::byte> texels = texels_of(texture);
    for (int i = 0; i < 60; ++i) {
      std::array<float, 3> at{};
      for (size_t a = 0; a < dimensions; ++a) {
        seed = mixed(seed + 0x9e3779b9);
        auto n = static_cast<float>(texture.size[a]);
        // From -2 sizes to 3: on eighths of a texel, and anywhere.
        float x = i % 2 == 0 ? static_cast<float>(seed % 1000) / 1000 * 5 * n - 2 * n
                             : static_cast<float>(static_cast<int>(seed % (40 * texture.size[a]))) / 8 - 2 * n;
        at[a] = texture.normalized_coordinates ? x / n : x;
      }
      std::array<uint32_t, 4> got = value_at(texture, dimensions, at, texels);
      std::array<uint32_t, 4> expected = reference(texture, texels, dimensions, at);
      ++count;
      if (got == expected) continue;
      INFO(describe(texture, dimensions) << " at " << at[0] << " " << at[1] << " " << at[2]);
      CHECK(got == expected);
    }
  });
  CHECK(count > 20000);
}

}  // namespace

TEST_CASE("texture values equal the reference for every format, address and filter mode") {
  for (std::string_view isa : available_isas()) {
    access_by = &handler_table(isa)->textures();
    equal_the_reference();
  }
  access_by = &handler_table().textures();
}

TEST_CASE("texel indices need no filter and no normalisation") {
  Texture texture{.bound = true, .size = {7, 1, 1}, .channel = ptx::Type::S32, .normalized_coordinates = true};
  std::vector<std::byte> texels = texels_of(texture);
  auto at = [&](int32_t x) { return value_at(texture, 1, std::array<int32_t, 3>{x, 0, 0}, texels)[0]; };
  CHECK(at(3) == texel_bits(false, 3, 0));
  CHECK(at(9) == texel_bits(false, 6, 0));
  texture.address = {AddressMode::Border, AddressMode::Border, AddressMode::Border};
  CHECK(at(6) == texel_bits(false, 6, 0));
  CHECK(at(7) == 0);
  CHECK(at(-1) == 0);
}

TEST_CASE("coordinates that are not numbers, or far away, read a texel or the border") {
  for_each_texture([&](const Texture& texture, uint32_t dimensions) {
    std::vector<std::byte> texels = texels_of(texture);
    for (float x : {std::nanf(""), INFINITY, -INFINITY, 1e38f, -1e38f, 2147483648.0f, 0x1p-149f}) {
      std::array<float, 3> at{x, x, x};
      WarpTexels found = texels_at(texture, dimensions, at);
      for (uint32_t a = 0; a < dimensions; ++a)
        for (uint32_t i = 0; i < (found.filtered ? 2 : 1); ++i)
          for (uint32_t index : found.axis[a].index[i]) CHECK(index < texture.size[a]);
      value_at(texture, dimensions, at, texels);
    }
  });
}

TEST_CASE("texture values equal those that a GPU returned") {
  std::ifstream file(WARPTIME_SOURCE_DIR "/tests/isa/recorded/texture.txt");
  REQUIRE(file);
  Texture texture;
  std::vector<std::byte> texels;
  uint32_t dimensions = 0;
  size_t points = 0, filtered = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    if (line.find('=') == std::string::npos) {
      std::string channel, geometry, mode, filter, coordinates, read;
      int channels = 0;
      words >> channel >> channels >> geometry >> mode >> filter >> coordinates >> read;
      dimensions = static_cast<uint32_t>(geometry[0] - '0');
      texture = {};
      texture.size = kSizes[dimensions - 1];
      texture.channel = *ptx::type_named(channel);
      texture.channels = static_cast<uint8_t>(channels);
      texture.address.fill(mode == "wrap"     ? AddressMode::Wrap
                           : mode == "clamp"  ? AddressMode::Clamp
                           : mode == "mirror" ? AddressMode::Mirror
                                              : AddressMode::Border);
      texture.filter = filter == "linear" ? FilterMode::Linear : FilterMode::Point;
      texture.normalized_coordinates = coordinates == "normalized";
      texture.read = read == "normalized" ? ReadMode::Normalized : ReadMode::Element;
      texels = texels_of(texture);
      continue;
    }
    std::array<float, 3> at{};
    for (size_t a = 0; a < dimensions; ++a) {
      uint32_t bits = 0;
      words >> std::hex >> bits;
      at[a] = std::bit_cast<float>(bits);
    }
    std::string equals;
    std::array<uint32_t, 4> expected{};
    words >> equals;
    for (uint32_t& e : expected) words >> std::hex >> e;
    std::array<uint32_t, 4> got = value_at(texture, dimensions, at, texels);
    INFO(describe(texture, dimensions) << " at " << at[0] << " " << at[1] << " " << at[2]);
    if (texture.filter == FilterMode::Point) {
      // The GPU rounds normalised coordinates to a fixed point: next to the edge of a texel it may take the other one.
      bool at_edge = false;
      for (size_t a = 0; a < dimensions; ++a) {
        double u = double{at[a]} * (texture.normalized_coordinates ? texture.size[a] : 1);
        at_edge |= texture.normalized_coordinates && std::abs(u - std::round(u)) < 1.0 / 512;
      }
      if (at_edge) continue;
      ++points;
      CHECK(got == expected);
      continue;
    }
    // The GPU returns half for a 1D array with a border: it filters along a second axis that the program does not see.
    if (dimensions == 1 && texture.address[0] == AddressMode::Border) continue;
    ++filtered;
    // f32 at texel coordinates: the same bits along one axis; of two or three weights it takes about 9 bits of the
    // product. It filters normalised integers with about 16 bits, and rounds normalised coordinates, so that the
    // fraction may be a 256th off along each axis.
    bool is_float = texture.channel == ptx::Type::F32;
    double range = is_float ? 128 : 2, tolerance = is_float ? 0 : 0x1p-15;
    if (dimensions > 1) tolerance += range / 512;
    if (texture.normalized_coordinates) tolerance += range / 256 * dimensions;
    for (size_t c = 0; c < 4; ++c)
      CHECK(std::abs(std::bit_cast<float>(got[c]) - std::bit_cast<float>(expected[c])) <= tolerance);
  }
  CHECK(points > 3000);
  CHECK(filtered > 1500);
}

}  // namespace warptime::sim
