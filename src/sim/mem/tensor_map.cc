#include "sim/mem/tensor_map.h"

#include <algorithm>
#include <cstring>

namespace warptime::sim {

namespace {

constexpr size_t kAddressAt = 0, kDimsAt = 8, kTypeAt = 28, kRankAt = 29, kLayoutAt = 30, kFillAt = 31, kStridesAt = 32,
                 kBoxAt = 64, kChannelsAt = 74, kElementStridesAt = 78, kCornersAt = 84, kMarkAt = 120;
constexpr uint8_t kIm2colBit = 0x80;
constexpr uint64_t kMostStride = uint64_t{1} << 40, kMostDim = uint64_t{1} << 32;
constexpr uint32_t kMostBox = 256, kMostElementStride = 8, kMostPixels = 1024, kChunk = 16;

template <class T>
T get(std::span<const std::byte, TensorMap::kBytes> bytes, size_t at) {
  T out{};
  std::memcpy(&out, bytes.data() + at, sizeof out);
  return out;
}
template <class T>
void put(std::span<std::byte, TensorMap::kBytes> bytes, size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

uint32_t inner_bytes(const TensorMap& map) { return (map.is_im2col ? map.channels : map.box[0]) * map.element_bytes(); }

/// The range of the corners of a bounding box, which depends on how many there are.
TensorProblem check_im2col(const TensorMap& map) {
  constexpr std::array<int32_t, 3> kMost{32767, 127, 15};
  const uint32_t corners = map.rank - 2;
  const int32_t most = kMost[corners - 1];
  for (uint32_t i = 0; i < corners; ++i) {
    if (map.lower[i] < -most - 1 || map.lower[i] > most || map.upper[i] < -most - 1 || map.upper[i] > most)
      return TensorProblem::Corner;
    const auto size = static_cast<int64_t>(map.dims[map.spatial(i)]);
    if (size + map.upper[i] - map.lower[i] <= 0) return TensorProblem::Corner;
  }
  if (map.channels == 0 || map.channels > kMostBox) return TensorProblem::Channels;
  return map.pixels == 0 || map.pixels > kMostPixels ? TensorProblem::Pixels : TensorProblem::None;
}

TensorProblem check_shape(const TensorMap& map) {
  const bool wide = map.interleave == TensorMap::Interleave::Bytes32;
  if (map.address % (wide ? 32 : 16) != 0) return TensorProblem::Address;
  for (uint32_t d = 0; d < map.rank; ++d)
    if (map.dims[d] == 0 || map.dims[d] > kMostDim) return TensorProblem::Dim;
  for (uint32_t d = 0; d + 1 < map.rank; ++d)
    if (map.strides[d] % (wide ? 32 : 16) != 0 || map.strides[d] >= kMostStride) return TensorProblem::Stride;
  for (uint32_t d = 0; d < map.rank; ++d) {
    if (!map.is_im2col && (map.box[d] == 0 || map.box[d] > kMostBox)) return TensorProblem::Box;
    if (map.element_strides[d] == 0 || map.element_strides[d] > kMostElementStride) return TensorProblem::ElementStride;
  }
  return TensorProblem::None;
}

}  // namespace

uint32_t TensorMap::element_bytes() const { return element_bytes_of(type); }

uint32_t element_bytes_of(TensorMap::Type type) {
  using Type = TensorMap::Type;
  switch (type) {
    case Type::U8: return 1;
    case Type::U16:
    case Type::F16:
    case Type::BF16: return 2;
    case Type::U32:
    case Type::S32:
    case Type::F32:
    case Type::F32Ftz:
    case Type::TF32:
    case Type::TF32Ftz: return 4;
    case Type::U64:
    case Type::S64:
    case Type::F64: return 8;
    case Type::Count: break;
  }
  return 1;
}

uint64_t TensorMap::fill() const {
  if (!fills_nan) return 0;
  constexpr uint64_t kNan = 0x7ff77ff77ff77ff7;  // of all types, as an H200 has it
  return kNan >> (64 - 8 * element_bytes());
}

uint32_t TensorMap::unit_bytes() const {
  switch (interleave) {
    case Interleave::None: return element_bytes();
    case Interleave::Bytes16: return 16;
    case Interleave::Bytes32: return 32;
    case Interleave::Count: break;
  }
  return element_bytes();
}

uint32_t TensorMap::count(uint32_t dimension) const {
  if (interleave != Interleave::None && dimension + 2 == rank) return 1;
  if (dimension == 0 && interleave == Interleave::None) return box[0];
  return (box[dimension] + element_strides[dimension] - 1) / element_strides[dimension];
}

uint64_t TensorMap::tensor_bytes() const {
  constexpr uint64_t kMost = ~uint64_t{0};
  uint64_t bytes = dims[0] * unit_bytes();
  for (uint32_t d = 1; d < rank; ++d) {
    const uint64_t steps = dims[d] - 1;
    if (steps != 0 && strides[d - 1] > (kMost - bytes) / steps) return kMost;
    bytes += steps * strides[d - 1];
  }
  return bytes;
}

uint32_t TensorMap::short_row_bytes() const {
  if (interleave != Interleave::None || swizzle == Swizzle::None) return 0;
  const uint32_t bytes = inner_bytes(*this);
  return bytes < kChunk << static_cast<uint32_t>(swizzle) ? bytes : 0;
}

uint32_t TensorMap::copy_bytes() const {
  if (is_im2col) return pixels * (interleave == Interleave::None ? channels * element_bytes() : unit_bytes());
  uint32_t elements = 1;
  for (uint32_t d = 0; d < rank; ++d) elements *= count(d);
  return elements * unit_bytes();
}

std::optional<TensorMap> TensorMap::of(std::span<const std::byte, kBytes> bytes) {
  if (get<uint64_t>(bytes, kMarkAt) != kMark) return std::nullopt;
  TensorMap out;
  out.address = get<uint64_t>(bytes, kAddressAt);
  out.type = static_cast<Type>(get<uint8_t>(bytes, kTypeAt));
  const auto rank = get<uint8_t>(bytes, kRankAt);
  out.is_im2col = (rank & kIm2colBit) != 0;
  out.rank = std::min<uint32_t>(rank & ~kIm2colBit, kMaxRank);
  const auto layout = get<uint8_t>(bytes, kLayoutAt), fill = get<uint8_t>(bytes, kFillAt);
  out.interleave = static_cast<Interleave>(layout & 3);
  out.swizzle = static_cast<Swizzle>(layout >> 2);
  out.promotion = fill & 15;
  out.fills_nan = (fill >> 4) != 0;
  for (size_t d = 0; d < kMaxRank; ++d) {
    out.dims[d] = uint64_t{get<uint32_t>(bytes, kDimsAt + 4 * d)} + 1;
    out.box[d] = get<uint16_t>(bytes, kBoxAt + 2 * d);
    out.element_strides[d] = get<uint8_t>(bytes, kElementStridesAt + d);
    if (d != 0) out.strides[d - 1] = get<uint64_t>(bytes, kStridesAt + 8 * (d - 1));
  }
  out.channels = get<uint16_t>(bytes, kChannelsAt);
  out.pixels = get<uint16_t>(bytes, kChannelsAt + 2);
  for (size_t d = 0; d < 3; ++d) {
    out.lower[d] = get<int16_t>(bytes, kCornersAt + 2 * d);
    out.upper[d] = get<int16_t>(bytes, kCornersAt + 6 + 2 * d);
  }
  return out;
}

void TensorMap::write(std::span<std::byte, kBytes> bytes) const {
  std::fill(bytes.begin(), bytes.end(), std::byte{0});
  put(bytes, kAddressAt, address);
  put(bytes, kTypeAt, static_cast<uint8_t>(type));
  put(bytes, kRankAt, static_cast<uint8_t>(rank | (is_im2col ? kIm2colBit : 0)));
  put(bytes, kLayoutAt, static_cast<uint8_t>(static_cast<uint32_t>(interleave) | static_cast<uint32_t>(swizzle) << 2));
  put(bytes, kFillAt, static_cast<uint8_t>(promotion | (fills_nan ? 1u << 4 : 0u)));
  for (size_t d = 0; d < kMaxRank; ++d) {
    put(bytes, kDimsAt + 4 * d, static_cast<uint32_t>(dims[d] - 1));
    put(bytes, kBoxAt + 2 * d, static_cast<uint16_t>(box[d]));
    put(bytes, kElementStridesAt + d, static_cast<uint8_t>(element_strides[d]));
    if (d != 0) put(bytes, kStridesAt + 8 * (d - 1), strides[d - 1]);
  }
  put(bytes, kChannelsAt, static_cast<uint16_t>(channels));
  put(bytes, kChannelsAt + 2, static_cast<uint16_t>(pixels));
  for (size_t d = 0; d < 3; ++d) {
    put(bytes, kCornersAt + 2 * d, static_cast<int16_t>(lower[d]));
    put(bytes, kCornersAt + 6 + 2 * d, static_cast<int16_t>(upper[d]));
  }
  put(bytes, kMarkAt, kMark);
}

TensorProblem problem_of(const TensorMap& map) {
  const bool interleaved = map.interleave != TensorMap::Interleave::None;
  if (map.type >= TensorMap::Type::Count) return TensorProblem::Type;
  if (map.rank == 0 || map.rank > TensorMap::kMaxRank || (map.rank < 3 && (interleaved || map.is_im2col)))
    return TensorProblem::Rank;
  if (map.interleave >= TensorMap::Interleave::Count) return TensorProblem::Interleave;
  if (map.swizzle >= TensorMap::Swizzle::Count) return TensorProblem::Swizzle;
  if (map.promotion >= TensorMap::kPromotions) return TensorProblem::Promotion;
  if (map.fills_nan && !map.is_float()) return TensorProblem::Fill;
  if (const TensorProblem found = check_shape(map); found != TensorProblem::None) return found;
  if (map.is_im2col)
    if (const TensorProblem found = check_im2col(map); found != TensorProblem::None) return found;
  if (inner_bytes(map) % kChunk != 0) return TensorProblem::BoxBytes;
  const uint32_t span = kChunk << static_cast<uint32_t>(map.swizzle);
  if (!interleaved && map.swizzle != TensorMap::Swizzle::None && inner_bytes(map) > span)
    return TensorProblem::SwizzleSpan;
  const bool is_wide = map.interleave == TensorMap::Interleave::Bytes32;
  return is_wide && map.swizzle != TensorMap::Swizzle::Bytes32 ? TensorProblem::Interleave : TensorProblem::None;
}

ptx::Type reduced_type(TensorMap::Type type, ptx::ModSet operation) {
  using ptx::Mod, ptx::Type;
  const bool logic = operation.has(Mod::And) || operation.has(Mod::Or) || operation.has(Mod::Xor);
  const bool counts = operation.has(Mod::Inc) || operation.has(Mod::Dec), adds = operation.has(Mod::Add);
  switch (type) {
    case TensorMap::Type::U32: return logic ? Type::B32 : Type::U32;
    case TensorMap::Type::S32: return logic ? Type::B32 : counts ? Type::None : Type::S32;
    case TensorMap::Type::U64: return logic ? Type::B64 : counts ? Type::None : Type::U64;
    case TensorMap::Type::S64: return logic || counts || adds ? Type::None : Type::S64;
    case TensorMap::Type::F16: return logic || counts ? Type::None : Type::F16;
    case TensorMap::Type::BF16: return logic || counts ? Type::None : Type::BF16;
    case TensorMap::Type::F32:
    case TensorMap::Type::F32Ftz:
    case TensorMap::Type::TF32:
    case TensorMap::Type::TF32Ftz: return adds ? Type::F32 : Type::None;
    case TensorMap::Type::F64: return adds ? Type::F64 : Type::None;
    case TensorMap::Type::U8:
    case TensorMap::Type::U16:
    case TensorMap::Type::Count: break;
  }
  return Type::None;
}

std::string_view text(TensorProblem problem) {
  switch (problem) {
    case TensorProblem::None: return "";
    case TensorProblem::NotAMap: return "there is no tensor map at its address";
    case TensorProblem::MapAlignment: return "the address of a tensor map is a multiple of 64";
    case TensorProblem::Type: return "the type of its elements is unknown";
    case TensorProblem::Rank: return "a tensor has 1 to 5 dimensions, with im2col or interleaved at least 3";
    case TensorProblem::Address: return "the address is a multiple of 16 bytes, interleaved by 32 bytes of 32";
    case TensorProblem::Dim: return "each dimension has 1 to 2^32 elements";
    case TensorProblem::Stride:
      return "each stride is a multiple of 16 bytes (interleaved by 32 bytes: of 32) and less than 2^40";
    case TensorProblem::Box: return "a box has 1 to 256 elements along each dimension";
    case TensorProblem::BoxBytes: return "the box has a multiple of 16 bytes along the first dimension";
    case TensorProblem::ElementStride: return "each element stride is 1 to 8";
    case TensorProblem::Interleave: return "interleaved by 32 bytes needs the swizzle of 32 bytes";
    case TensorProblem::Swizzle: return "the swizzle is unknown";
    case TensorProblem::SwizzleSpan: return "the box has more bytes along the first dimension than the swizzle";
    case TensorProblem::Promotion: return "the L2 promotion is unknown";
    case TensorProblem::Fill: return "only elements of floating point are filled with NaN";
    case TensorProblem::Corner: return "a corner of the bounding box is out of its range, or the box is empty";
    case TensorProblem::Channels: return "a pixel has 1 to 256 channels";
    case TensorProblem::Pixels: return "a column has 1 to 1024 pixels";
    case TensorProblem::Dimensions: return "the tensor map has another number of dimensions than the instruction";
    case TensorProblem::Mode: return "a map for im2col needs .im2col or .im2col_no_offs, and no other has them";
    case TensorProblem::Offset: return "an im2col offset is out of its range";
    case TensorProblem::Unit: return "the first coordinate is not at a multiple of 16 bytes";
    case TensorProblem::Start: return "an im2col copy begins outside of its bounding box";
    case TensorProblem::Negative: return "a coordinate of a store or a reduction is negative";
    case TensorProblem::StoreCorner: return "the bounding box of an im2col store is within the tensor";
    case TensorProblem::SharedAlignment: return "the address in shared memory is a multiple of 128";
    case TensorProblem::Operation: return "the operation is not one of the tensor's type";
    case TensorProblem::Object: return "the mbarrier object is in another block than the target";
    case TensorProblem::Source: return "the source is in the shared memory of another block";
    case TensorProblem::Blocks: return "the mask names no block, or one that the cluster does not have";
  }
  return "";
}

}  // namespace warptime::sim
