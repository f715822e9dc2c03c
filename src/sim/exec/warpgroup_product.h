// wgmma.mma_async (PTX ISA 9.0, 9.7.15) as it is decoded, and its values. Each warp of a warpgroup computes 16 of the
// 64 rows of D.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ptx/isa/matrix_layout.h"
#include "sim/exec/insn.h"

namespace warptime::sim {

struct WarpgroupProduct {
  enum class ScaleD : uint8_t { Predicate, One, Zero };
  ptx::MatrixShape shape;
  ptx::Type d_type = ptx::Type::None, a_type = ptx::Type::None, b_type = ptx::Type::None;
  std::vector<RowRef> d, a;            // registers, a row each; a: empty if A is in shared memory
  RowRef a_descriptor, b_descriptor;   // 64 bits; that of the first lane counts
  ScaleD scale_d = ScaleD::Predicate;  // whether D is added
  RowRef predicate;
  bool predicate_negated = false;
  bool negate_a = false, negate_b = false;
  bool a_by_mn = false, b_by_mn = false;
  bool clamps = false;  // .satfinite
  bool is_sparse = false;
  RowRef metadata;        // of a sparse A
  uint32_t selector = 0;  // which lanes' metadata count
};

/// What a warp of the group multiplies.
struct ProductInput {
  const WarpValues& values;
  uint32_t warp = 0;  // in the group
  std::span<const std::byte> shared;
};
using RegisterLanes = std::array<uint32_t, kWarpSize>;

/// Whether D is added to the product.
bool adds_accumulator(const WarpgroupProduct& of, const WarpValues& values);

/// D of a warp, by register; `before`: the registers' lanes before. Otherwise the first address that is outside of
/// shared memory.
std::optional<uint32_t> multiply(const WarpgroupProduct& of, const ProductInput& in,
                                 std::span<const uint32_t* const> before, std::span<RegisterLanes> results);

}  // namespace warptime::sim
