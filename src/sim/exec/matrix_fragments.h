// The matrices of a product in the registers of a warp: where an element is, and its bits there.
#pragma once

#include "sim/exec/lanes_of_mask.h"
#include "sim/exec/matrix_operation.h"

namespace warptime::sim {

/// Where elements are, and of which of the products that an instruction has: four of mma.m8n8k4 of f16, else one.
struct FragmentLayout {
  ptx::MatrixShape shape;
  bool quads = false, a_by_rows = true, b_by_rows = false, wmma = false;

  uint32_t products() const { return quads ? 4 : 1; }
  ptx::MatrixPlace a(uint32_t per_register, ptx::FragmentPlace at) const {
    if (wmma) return ptx::place_in_wmma(ptx::MatrixRole::A, shape, per_register, at);
    return quads ? ptx::place_in_quad_a(a_by_rows, at) : ptx::place_in_a(shape, per_register, at);
  }
  ptx::MatrixPlace b(uint32_t per_register, ptx::FragmentPlace at) const {
    if (wmma) return ptx::place_in_wmma(ptx::MatrixRole::B, shape, per_register, at);
    return quads ? ptx::place_in_quad_b(b_by_rows, at) : ptx::place_in_b(per_register, at);
  }
  ptx::MatrixPlace c(uint32_t per_register, ptx::FragmentPlace at) const {
    if (wmma) return ptx::place_in_wmma(ptx::MatrixRole::C, shape, per_register, at);
    return quads ? ptx::place_in_quad_c(per_register, at) : ptx::place_in_c(per_register, at);
  }
};

inline FragmentLayout fragment_layout(const MatrixOperation& operation) {
  FragmentLayout out{operation.shape};
  out.wmma = operation.is_wmma;
  out.quads = !out.wmma && operation.shape == ptx::MatrixShape{8, 8, 4} && operation.a_type == ptx::Type::F16;
  out.a_by_rows = operation.mods.has(ptx::Mod::RowA);
  out.b_by_rows = operation.mods.has(ptx::Mod::RowB);
  return out;
}

/// The bits of an element in the register `row`.
inline uint64_t element_bits(const WarpValues& warp, RowRef row, ptx::Type type, ptx::FragmentPlace at) {
  if (ptx::bits(type) == 64) return lane_of<uint64_t>(row.in(warp), at.lane);
  const auto word = lane_of<uint32_t>(row.in(warp), at.lane);
  const uint32_t bits = ptx::bits(type);
  return bits == 32 ? word : word >> (at.element * bits) & ((1u << bits) - 1);
}

}  // namespace warptime::sim
