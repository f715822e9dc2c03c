// wmma.load and wmma.store: where the elements of a fragment are in memory.
#include "sim/exec/matrix_operation.h"

namespace warptime::sim {

using ptx::MatrixPlace, ptx::MatrixRole;

namespace {

uint64_t element_offset(const MatrixInMemory& of, MatrixPlace place, uint64_t stride) {
  return of.by_rows ? place.row * stride + place.column : place.column * stride + place.row;
}

MatrixPlace place_of(const MatrixInMemory& of, ptx::FragmentPlace at) {
  return place_in_wmma(of.role, of.shape, ptx::elements_per_register(of.type), at);
}

}  // namespace

uint32_t MatrixInMemory::pieces_per_register() const {
  const uint32_t elements = ptx::elements_per_register(type);
  if (elements == 1 || ptx::bits(type) < 8) return 1;
  constexpr uint64_t kAnyStride = 1024;
  const uint64_t first = element_offset(*this, place_of(*this, {0, 0, 0}), kAnyStride);
  return element_offset(*this, place_of(*this, {0, 0, 1}), kAnyStride) == first + 1 ? 1 : elements;
}

uint32_t MatrixInMemory::distinct_registers() const {
  const auto all = static_cast<uint32_t>(registers.size());
  if (role == MatrixRole::C) return all;
  const uint32_t elements = (role == MatrixRole::A ? shape.m : shape.n) * shape.k;
  return std::min(all, elements / (kWarpSize * ptx::elements_per_register(type)));
}

uint64_t MatrixInMemory::offset(uint32_t lane, uint32_t reg, uint32_t piece, uint64_t stride_elements) const {
  return element_offset(*this, place_of(*this, {lane, reg, piece}), stride_elements) * ptx::bits(type) / 8;
}

}  // namespace warptime::sim
