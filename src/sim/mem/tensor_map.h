// A tensor map: the description of a tensor that a copy of a box reads, in 128 bytes that PTX calls opaque
// (PTX ISA 9.0, section 5.5; CUtensorMap of the CUDA driver). The hardware has another layout, which no program may
// rely on.
//
// Bytes  0: address   8: sizes - 1 (u32 each)   28: type   29: rank, +128 of im2col   30: interleave + 4 x swizzle
//       31: L2 promotion + 16 x fill   32: strides in bytes of dimensions 1 to 4 (u64 each)   64: box (u16 each)
//       74: channels, pixels (u16 each)   78: element strides (u8 each)   84: corners (s16 each: lower, then upper)
//      120: the word by which a tensor map is recognised
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/clock.h"
#include "ptx/isa/types.h"

namespace warptime::sim {

/// Why a tensor map, or a copy with one, is not legal.
enum class TensorProblem : uint8_t {
  None,
  NotAMap,
  MapAlignment,
  Type,
  Rank,
  Address,
  Dim,
  Stride,
  Box,
  BoxBytes,
  ElementStride,
  Interleave,
  Swizzle,
  SwizzleSpan,
  Promotion,
  Fill,
  Corner,
  Channels,
  Pixels,
  Dimensions,
  Mode,
  Offset,
  Unit,
  Start,
  Negative,
  StoreCorner,
  SharedAlignment,
  Operation,
  Blocks,
  Object,
  Source,
};
/// A sentence that says what is wrong.
std::string_view text(TensorProblem problem);

struct TensorMap {
  static constexpr size_t kBytes = 128, kMaxRank = 5, kAlignment = 64;
  static constexpr uint64_t kMark = 0x31504d524f534e54;  // "TNSORMP1"
  /// In the order of CUtensorMapDataType.
  enum class Type : uint8_t { U8, U16, U32, S32, U64, S64, F16, F32, F64, BF16, F32Ftz, TF32, TF32Ftz, Count };
  enum class Interleave : uint8_t { None, Bytes16, Bytes32, Count };
  enum class Swizzle : uint8_t { None, Bytes32, Bytes64, Bytes128, Count };
  static constexpr uint8_t kPromotions = 4, kFills = 2;  // of the L2: none, 64, 128, 256 bytes; zeros, NaN

  Type type = Type::U8;
  uint32_t rank = 1;
  bool is_im2col = false;
  Interleave interleave = Interleave::None;
  Swizzle swizzle = Swizzle::None;
  uint8_t promotion = 0;
  bool fills_nan = false;
  Addr address = 0;
  std::array<uint64_t, kMaxRank> dims{1, 1, 1, 1, 1};  // from the innermost, in elements
  std::array<uint64_t, kMaxRank - 1> strides{};        // in bytes, of dimension 1 and on
  std::array<uint32_t, kMaxRank> box{1, 1, 1, 1, 1};   // what a copy passes, in elements of the tensor
  std::array<uint32_t, kMaxRank> element_strides{1, 1, 1, 1, 1};
  std::array<int32_t, 3> lower{}, upper{};  // im2col: corners of the bounding box, along W, H, D
  uint32_t channels = 0, pixels = 0;        // im2col: of a copy

  uint32_t element_bytes() const;
  /// Bytes that a copy moves as one: an element, or a slice of channels where they are interleaved.
  uint32_t unit_bytes() const;
  bool is_float() const { return type >= Type::F16 && type <= Type::TF32Ftz; }
  /// The bits of an element outside of the tensor.
  uint64_t fill() const;
  /// Units that a copy has along a dimension: none is skipped along the first unless it is interleaved, and then it has
  /// one slice of channels, whatever the box says.
  uint32_t count(uint32_t dimension) const;
  /// im2col: the dimension of the tensor that is the `number`th of W, H and D.
  uint32_t spatial(uint32_t number) const { return interleave == Interleave::None ? number + 1 : number; }
  /// From the tensor's first byte to behind its last; 2^64 - 1 if there are more.
  uint64_t tensor_bytes() const;
  /// Bytes of a row of a copy that has fewer than the swizzle: the next begins where they would end. 0: it has not.
  uint32_t short_row_bytes() const;
  /// Bytes that a copy moves, which its mbarrier object counts.
  uint32_t copy_bytes() const;

  /// nullopt: these bytes are not a tensor map.
  static std::optional<TensorMap> of(std::span<const std::byte, kBytes> bytes);
  void write(std::span<std::byte, kBytes> bytes) const;
};

/// Bytes of an element.
uint32_t element_bytes_of(TensorMap::Type type);
/// The rules of the CUDA driver for a tensor map (cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col).
TensorProblem problem_of(const TensorMap& map);
/// The type in PTX at which an element is reduced.
ptx::Type reduced_type(TensorMap::Type type, ptx::ModSet operation);

}  // namespace warptime::sim
