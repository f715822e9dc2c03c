// Tensor maps: their 128 bytes, the rules of the CUDA driver, and the bytes of boxes against the manual's description,
// element by element (PTX ISA 9.0, section 5.5).
#include <catch2/catch.hpp>
#include <map>
#include <vector>

#include "sim/mem/tensor_box.h"

namespace warptime::sim {

namespace {

/// 40 x 12 elements of 4 bytes in rows of 192 bytes, of which a copy has 16 x 8.
TensorMap plain_map() {
  TensorMap map;
  map.type = TensorMap::Type::U32;
  map.rank = 2;
  map.address = 0x123400000040;  // above 4 GiB
  map.dims = {40, 12, 1, 1, 1};
  map.strides = {192, 0, 0, 0};
  map.box = {16, 8, 1, 1, 1};
  return map;
}

TensorMap im2col_map() {
  TensorMap map;
  map.type = TensorMap::Type::F16;
  map.rank = 4;
  map.is_im2col = true;
  map.address = 0x10000;
  map.dims = {16, 7, 6, 3, 1};
  map.strides = {32, 224, 1344, 0};
  map.channels = 8;
  map.pixels = 24;
  map.lower = {-1, -2, 0};
  map.upper = {0, -1, 0};
  return map;
}

/// Byte of shared memory -> byte of global memory.
std::map<uint32_t, Addr> bytes_of(const TensorMap& map, const TensorCoordinates& place) {
  std::vector<TensorPiece> pieces;
  find_pieces(map, place, pieces);
  std::map<uint32_t, Addr> out;
  for (const TensorPiece& piece : pieces) {
    CHECK(piece.bytes >= 1);
    CHECK(piece.shared / 16 == (piece.shared + piece.bytes - 1) / 16);
    CHECK(piece.global / 16 == (piece.global + piece.bytes - 1) / 16);
    for (uint32_t i = 0; i < piece.bytes; ++i) CHECK(out.emplace(piece.shared + i, piece.global + i).second);
  }
  return out;
}

}  // namespace

TEST_CASE("tensor map: its bytes say all of it") {
  TensorMap map = im2col_map();
  map.interleave = TensorMap::Interleave::Bytes32;
  map.swizzle = TensorMap::Swizzle::Bytes128;
  map.promotion = 3;
  map.fills_nan = true;
  map.dims[3] = uint64_t{1} << 32;
  map.strides[2] = (uint64_t{1} << 40) - 32;
  map.element_strides = {1, 2, 3, 8, 1};
  map.box = {256, 1, 2, 3, 4};
  std::array<std::byte, TensorMap::kBytes> bytes{}, again{};
  CHECK(!TensorMap::of(bytes));
  map.write(bytes);
  const auto read = TensorMap::of(bytes);
  REQUIRE(read);
  CHECK(read->address == map.address);
  CHECK(read->dims == map.dims);
  CHECK(read->strides == map.strides);
  CHECK(read->lower == map.lower);
  CHECK(read->upper == map.upper);
  CHECK(read->box == map.box);
  CHECK(read->element_strides == map.element_strides);
  CHECK((read->is_im2col && read->fills_nan));
  read->write(again);
  CHECK(bytes == again);
}

TEST_CASE("tensor map: the rules of the driver") {
  using P = TensorProblem;
  auto with = [](TensorMap map, auto change) {
    change(map);
    return problem_of(map);
  };
  CHECK(problem_of(plain_map()) == P::None);
  CHECK(problem_of(im2col_map()) == P::None);
  CHECK(with(plain_map(), [](TensorMap& m) { m.rank = 0; }) == P::Rank);
  CHECK(with(plain_map(), [](TensorMap& m) { m.is_im2col = true; }) == P::Rank);
  CHECK(with(plain_map(), [](TensorMap& m) { m.address += 8; }) == P::Address);
  CHECK(with(plain_map(), [](TensorMap& m) { m.dims[1] = 0; }) == P::Dim);
  CHECK(with(plain_map(), [](TensorMap& m) { m.dims[0] = (uint64_t{1} << 32) + 1; }) == P::Dim);
  CHECK(with(plain_map(), [](TensorMap& m) { m.dims[0] = uint64_t{1} << 32; }) == P::None);
  CHECK(with(plain_map(), [](TensorMap& m) { m.strides[0] = 200; }) == P::Stride);
  CHECK(with(plain_map(), [](TensorMap& m) { m.strides[0] = uint64_t{1} << 40; }) == P::Stride);
  CHECK(with(plain_map(), [](TensorMap& m) { m.box[1] = 257; }) == P::Box);
  CHECK(with(plain_map(), [](TensorMap& m) { m.box[1] = 256; }) == P::None);
  CHECK(with(plain_map(), [](TensorMap& m) { m.box[0] = 3; }) == P::BoxBytes);
  CHECK(with(im2col_map(), [](TensorMap& m) {
          m.interleave = TensorMap::Interleave::Bytes16;
          m.channels = 4;
        }) == P::BoxBytes);
  CHECK(with(plain_map(), [](TensorMap& m) { m.element_strides[1] = 9; }) == P::ElementStride);
  CHECK(with(plain_map(), [](TensorMap& m) { m.fills_nan = true; }) == P::Fill);
  CHECK(with(plain_map(), [](TensorMap& m) { m.swizzle = TensorMap::Swizzle::Bytes32; }) == P::SwizzleSpan);
  CHECK(with(plain_map(), [](TensorMap& m) { m.swizzle = TensorMap::Swizzle::Bytes64; }) == P::None);
  CHECK(with(plain_map(), [](TensorMap& m) { m.interleave = TensorMap::Interleave::Bytes16; }) == P::Rank);
  CHECK(with(im2col_map(), [](TensorMap& m) { m.interleave = TensorMap::Interleave::Bytes32; }) == P::Interleave);
  CHECK(with(im2col_map(), [](TensorMap& m) { m.lower[0] = -129; }) == P::Corner);
  CHECK(with(im2col_map(), [](TensorMap& m) { m.lower[0] = 7; }) == P::Corner);
  CHECK(with(im2col_map(), [](TensorMap& m) { m.channels = 257; }) == P::Channels);
  CHECK(with(im2col_map(), [](TensorMap& m) { m.pixels = 1025; }) == P::Pixels);
  for (int p = 1; p <= static_cast<int>(P::Source); ++p) CHECK(!text(static_cast<P>(p)).empty());
}

TEST_CASE("tensor box: only what lies in the tensor") {
  const TensorMap map = plain_map();
  for (auto [x, y] : {std::pair{0, 0},
                      {3, -2},
                      {-7, 9},
                      {39, 11},
                      {40, 0},
                      {-16, 0},
                      {0, -8},
                      {2147483647, 0},
                      {-2147483647 - 1, -2147483647 - 1}}) {
    TensorCoordinates place;
    place.at = {x, y, 0, 0, 0};
    const auto found = bytes_of(map, place);
    size_t wanted = 0;
    for (int64_t row = 0; row < 8; ++row)
      for (int64_t column = 0; column < 16; ++column) {
        const int64_t at_x = x + column, at_y = y + row;
        if (at_x < 0 || at_x >= 40 || at_y < 0 || at_y >= 12) continue;
        for (uint32_t b = 0; b < 4; ++b, ++wanted) {
          const auto place_in = found.find(static_cast<uint32_t>((row * 16 + column) * 4) + b);
          REQUIRE(place_in != found.end());
          CHECK(place_in->second == map.address + static_cast<uint64_t>(at_y * 192 + at_x * 4) + b);
        }
      }
    CHECK(found.size() == wanted);
  }
  CHECK(map.copy_bytes() == 16 * 8 * 4);
}

TEST_CASE("tensor box: element strides skip elements of all dimensions but the first") {
  TensorMap map = plain_map();
  map.element_strides = {4, 3, 1, 1, 1};
  CHECK(map.copy_bytes() == 16 * 3 * 4);
  const auto found = bytes_of(map, {{1, 2}, {}});
  CHECK(found.size() == map.copy_bytes());
  CHECK(found.at(16 * 4) == map.address + 5 * 192 + 4);
  CHECK(found.at(2 * 16 * 4 + 4) == map.address + 8 * 192 + 8);
}

TEST_CASE("tensor box: im2col passes the pixels of the bounding box") {
  TensorMap map = im2col_map();
  TensorCoordinates place;
  place.at = {4, 2, -1, 1, 0};
  place.offsets = {1, 2, 0};
  for (uint32_t step : {1u, 2u, 3u}) {
    map.element_strides = {1, step, step, 1, 1};
    const auto found = bytes_of(map, place);
    int64_t w = 2, h = -1, n = 1;
    size_t wanted = 0;
    for (uint32_t pixel = 0; pixel < map.pixels; ++pixel) {
      const int64_t at_w = w + 1, at_h = h + 2;
      if (at_w >= 0 && at_w < 7 && at_h >= 0 && at_h < 6 && n < 3)
        for (uint32_t b = 0; b < 16; ++b, ++wanted)
          CHECK(found.at(pixel * 16 + b) ==
                map.address + 8 + static_cast<uint64_t>(n * 1344 + at_h * 224 + at_w * 32) + b);
      w += step;
      if (w < 7) continue;  // the bounding box is -1 to 6 along W, -2 to 4 along H
      w = -1;
      h += step;
      if (h < 5) continue;
      h = -2;
      ++n;
    }
    CHECK(found.size() == wanted);
  }
}

TEST_CASE("tensor box: interleaved, units are slices of channels, one slice for a copy") {
  TensorMap map;
  map.type = TensorMap::Type::U32;
  map.rank = 4;  // W, H, slices, N
  map.interleave = TensorMap::Interleave::Bytes16;
  map.address = 0x10000;
  map.dims = {6, 5, 3, 2, 1};
  map.strides = {96, 480, 1440, 0};
  map.box = {4, 3, 2, 2, 1};
  CHECK(problem_of(map) == TensorProblem::None);
  CHECK(map.copy_bytes() == 4 * 3 * 2 * 16);
  const auto found = bytes_of(map, {{3, 2, 1, 0, 0}, {}});
  CHECK(found.size() == 3 * 3 * 2 * 16);
  CHECK(found.at(0) == 0x10000 + 480 + 2 * 96 + 3 * 16);
  CHECK(found.at((4 + 2) * 16 + 5) == 0x10000 + 480 + 3 * 96 + 5 * 16 + 5);
  CHECK(found.at(12 * 16) == 0x10000 + 1440 + 480 + 2 * 96 + 3 * 16);
  CHECK(!found.contains(3 * 16));
}

TEST_CASE("tensor box: im2col of an interleaved tensor passes W and H, one slice a pixel") {
  TensorMap map;
  map.type = TensorMap::Type::U16;
  map.rank = 4;  // W, H, slices, N
  map.is_im2col = true;
  map.interleave = TensorMap::Interleave::Bytes16;
  map.address = 0x10000;
  map.dims = {6, 5, 3, 2, 1};
  map.strides = {96, 480, 1440, 0};
  map.channels = 16;  // of which a slice has 8
  map.pixels = 10;
  map.lower = {-1, -1, 0};
  CHECK(problem_of(map) == TensorProblem::None);
  CHECK(map.copy_bytes() == 10 * 16);
  const auto found = bytes_of(map, {{0, 0, 1, 0, 0}, {1, 1, 0}});
  CHECK(found.at(0) == 0x10000 + 480 + 96 + 16);
  CHECK(!found.contains(5 * 16));  // W is 6
  CHECK(found.at(6 * 16 + 3) == 0x10000 + 480 + 2 * 96 + 3);
  map.lower = {-1, 4, 0};
  CHECK(problem_of(map) == TensorProblem::None);
  map.lower = {-1, 5, 0};
  CHECK(problem_of(map) == TensorProblem::Corner);  // H is 5
}

TEST_CASE("rows of a box that are shorter than the swizzle begin at multiples of its bytes") {
  TensorMap map = plain_map();
  map.swizzle = TensorMap::Swizzle::Bytes64;
  CHECK(map.short_row_bytes() == 0);  // 16 elements of 4 bytes
  map.box[0] = 12;
  CHECK(map.short_row_bytes() == 48);
  CHECK(map.copy_bytes() == 8 * 48);
  const uint32_t mask = swizzle_mask(map.swizzle);
  CHECK(placed(47, 48, mask) == 47);
  CHECK(placed(48, 48, mask) == 64);
  CHECK(placed(3 * 48 + 5, 48, mask) == 3 * 64 + 5);
  CHECK(placed_bytes(8 * 48, 48, mask) == 7 * 64 + 48);
  CHECK(placed(100, 0, mask) == 100);
  CHECK(placed_bytes(0, 48, mask) == 0);
  map.swizzle = TensorMap::Swizzle::None;
  CHECK(map.short_row_bytes() == 0);
  TensorMap im2col = im2col_map();  // pixels of 16 bytes
  im2col.swizzle = TensorMap::Swizzle::Bytes32;
  CHECK(im2col.short_row_bytes() == 16);
  im2col.interleave = TensorMap::Interleave::Bytes16;
  CHECK(im2col.short_row_bytes() == 0);
}

TEST_CASE("tensor map: the bytes of the whole tensor") {
  TensorMap map = plain_map();
  CHECK(map.tensor_bytes() == 11 * 192 + 160);
  map.rank = 3;
  map.dims[2] = uint64_t{1} << 32;
  map.strides[1] = (uint64_t{1} << 40) - 16;
  CHECK(problem_of(map) == TensorProblem::None);
  CHECK(map.tensor_bytes() == ~uint64_t{0});
}

TEST_CASE("swizzles: units of 16 bytes, by the number of the 128 bytes that they are in") {
  // PTX ISA 9.0, 5.5.7: within 128, 64 and 32 bytes the unit's number is combined with that of the row, which
  // counts to 8, of every two rows to 4, of every four to 2.
  for (uint32_t address = 0; address < 4096; ++address) {
    const uint32_t row = address / 128, unit = address / 16 % 8, rest = address % 16;
    CHECK(swizzled(address, swizzle_mask(TensorMap::Swizzle::None)) == address);
    CHECK(swizzled(address, swizzle_mask(TensorMap::Swizzle::Bytes128)) == row * 128 + (unit ^ row % 8) * 16 + rest);
    CHECK(swizzled(address, swizzle_mask(TensorMap::Swizzle::Bytes64)) == row * 128 + (unit ^ row % 4) * 16 + rest);
    CHECK(swizzled(address, swizzle_mask(TensorMap::Swizzle::Bytes32)) == row * 128 + (unit ^ row % 2) * 16 + rest);
  }
  // In the manual's picture of 128 bytes, each unit of a row stands in another column in each of eight rows.
  for (uint32_t unit = 0; unit < 8; ++unit) {
    uint32_t columns = 0;
    for (uint32_t row = 0; row < 8; ++row) columns |= 1u << swizzled(row * 128 + unit * 16, 7) / 16 % 8;
    CHECK(columns == 0xff);
  }
}

}  // namespace warptime::sim
