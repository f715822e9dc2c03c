// What a copy of a whole range, or of a box of a tensor, has beyond its addresses; a CompiledKernel has it, and the
// instruction's payload points to it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/exec/payload.h"

namespace warptime::sim {

/// A field of a tensor map that tensormap.replace changes.
enum class MapField : uint8_t { Address, Rank, Box, Dim, Stride, ElementStride, Type, Interleave, Swizzle, Fill };

struct BulkDetail {
  enum class Kind : uint8_t {
    Range,      // one after the other
    Tensor,     // the map is at the global address; a reduction's word is of its type
    MapField,   // the tensor map at the address changes
    Registers,  // st.async, red.async: what a lane has in registers
  };
  static constexpr size_t kMapTypes = 13;  // of the elements of tensors

  Kind kind = Kind::Range;
  bool of_warp = false;  // all lanes execute it together, as one
  bool is_multicast = false;
  bool is_generic = false;    // shared addresses of Registers, the address of MapField
  bool is_in_shared = false;  // MapField: the map
  bool reduces = false;
  bool is_im2col = false;
  bool is_value_64 = false;  // MapField: the new value
  uint8_t dimensions = 0;
  uint8_t element_bytes = 0;  // of Registers
  uint32_t ordinal = 0;       // MapField: of the dimension
  MapField field = MapField::Address;
  AtomicOperation reduce = nullptr;                    // not of Tensor
  std::array<AtomicOperation, kMapTypes> reduce_as{};  // of Tensor, by type; nullptr: it has no such operation
  std::array<RowRef, 5> coordinates{};
  std::array<RowRef, 3> offsets{};
  RowRef blocks;               // multicast: a bit for each block of the cluster
  std::vector<RowRef> values;  // of Registers; of MapField: the new value
};

/// Whether the target changes by what the source is; else it becomes the same.
inline bool reduces(const BulkCopyPayload& payload) { return payload.detail != nullptr && payload.detail->reduces; }
inline bool is_tensor(const BulkCopyPayload& payload) {
  return payload.detail != nullptr && payload.detail->kind == BulkDetail::Kind::Tensor;
}
inline bool is_registers(const BulkCopyPayload& payload) {
  return payload.detail != nullptr && payload.detail->kind == BulkDetail::Kind::Registers;
}
inline bool is_multicast(const BulkCopyPayload& payload) {
  return payload.detail != nullptr && payload.detail->is_multicast;
}

}  // namespace warptime::sim
