// Tensor maps of the driver API: with the layout of sim/mem/tensor_map.h, which no program may look into.
#include <cstring>

#include "cuda/driver.h"
#include "sim/mem/tensor_map.h"

namespace warptime::cuda {

namespace {

using sim::TensorMap, sim::TensorProblem;

/// What tiled and im2col tensor maps have in common, from arrays of as many elements as there are dimensions.
struct TensorArguments {
  void* to;
  int type;
  uint32_t rank;
  void* address;
  const uint64_t *dims, *strides;
  const uint32_t* element_strides;
  int interleave, swizzle, promotion, fill;
};

bool is_in(int value, int count) { return value >= 0 && value < count; }

/// False: an argument is out of its range.
bool read(const TensorArguments& a, TensorMap& out) {
  const bool is_aligned = reinterpret_cast<uintptr_t>(a.to) % TensorMap::kAlignment == 0;
  if (a.to == nullptr || !is_aligned || a.rank == 0 || a.rank > TensorMap::kMaxRank || a.dims == nullptr ||
      a.element_strides == nullptr || (a.rank > 1 && a.strides == nullptr) || a.address == nullptr)
    return false;
  if (!is_in(a.type, static_cast<int>(TensorMap::Type::Count)) ||
      !is_in(a.interleave, static_cast<int>(TensorMap::Interleave::Count)) ||
      !is_in(a.swizzle, static_cast<int>(TensorMap::Swizzle::Count)) || !is_in(a.promotion, TensorMap::kPromotions) ||
      !is_in(a.fill, TensorMap::kFills))
    return false;
  out.type = static_cast<TensorMap::Type>(a.type);
  out.rank = a.rank;
  out.address = reinterpret_cast<uintptr_t>(a.address);
  for (uint32_t d = 0; d < a.rank; ++d) {
    out.dims[d] = a.dims[d];
    out.element_strides[d] = a.element_strides[d];
    if (d + 1 < a.rank) out.strides[d] = a.strides[d];
  }
  out.interleave = static_cast<TensorMap::Interleave>(a.interleave);
  out.swizzle = static_cast<TensorMap::Swizzle>(a.swizzle);
  out.promotion = static_cast<uint8_t>(a.promotion);
  out.fills_nan = a.fill != 0;
  return true;
}

Error write(const TensorMap& map, void* to) {
  if (problem_of(map) != TensorProblem::None) return Error::InvalidValue;
  std::array<std::byte, TensorMap::kBytes> bytes{};
  map.write(bytes);
  std::memcpy(to, bytes.data(), bytes.size());
  return Error::Success;
}

}  // namespace

DRIVER_FUNCTION(cuTensorMapEncodeTiled)
(void* to, int type, uint32_t rank, void* address, const uint64_t* dims, const uint64_t* strides, const uint32_t* box,
 const uint32_t* element_strides, int interleave, int swizzle, int promotion, int fill) {
  return drive([&](Runtime&) {
    TensorMap map;
    if (box == nullptr ||
        !read({to, type, rank, address, dims, strides, element_strides, interleave, swizzle, promotion, fill}, map))
      return Error::InvalidValue;
    for (uint32_t d = 0; d < rank; ++d) map.box[d] = box[d];
    return write(map, to);
  });
}

DRIVER_FUNCTION(cuTensorMapEncodeIm2col)
(void* to, int type, uint32_t rank, void* address, const uint64_t* dims, const uint64_t* strides, const int* lower,
 const int* upper, uint32_t channels, uint32_t pixels, const uint32_t* element_strides, int interleave, int swizzle,
 int promotion, int fill) {
  return drive([&](Runtime&) {
    TensorMap map;
    constexpr uint32_t kLeast = 3;
    if (rank < kLeast || lower == nullptr || upper == nullptr ||
        !read({to, type, rank, address, dims, strides, element_strides, interleave, swizzle, promotion, fill}, map))
      return Error::InvalidValue;
    map.is_im2col = true;
    map.channels = channels;
    map.pixels = pixels;
    for (uint32_t s = 0; s < rank - 2; ++s) {
      map.lower[s] = lower[s];
      map.upper[s] = upper[s];
    }
    return write(map, to);
  });
}

DRIVER_FUNCTION(cuTensorMapReplaceAddress)(void* map, void* address) {
  return drive([&](Runtime&) {
    std::array<std::byte, TensorMap::kBytes> bytes{};
    if (map == nullptr) return Error::InvalidValue;
    std::memcpy(bytes.data(), map, bytes.size());
    auto known = TensorMap::of(bytes);
    if (!known) return Error::InvalidValue;
    known->address = reinterpret_cast<uintptr_t>(address);
    return write(*known, map);
  });
}

}  // namespace warptime::cuda
