// Matrix instructions (PTX ISA 9.0, 9.7.14.5) as they are decoded: which registers hold the fragments, and of what. All
// lanes of the warp execute them together.
#pragma once

#include <algorithm>
#include <vector>

#include "ptx/isa/matrix_layout.h"
#include "sim/exec/insn.h"

namespace warptime::sim {

/// mma, wmma.mma: D = A * B + C. movmatrix has only the rows of D and A.
struct MatrixOperation {
  ptx::MatrixShape shape;
  ptx::Type d_type = ptx::Type::None, a_type = ptx::Type::None, b_type = ptx::Type::None, c_type = ptx::Type::None;
  ptx::ModSet mods;                // rounding, .satfinite, .row, .col, .xor, .and
  std::vector<RowRef> d, a, b, c;  // registers, a row each
  bool is_wmma = false, is_sparse = false;
  RowRef metadata;        // of a sparse A
  uint32_t selector = 0;  // which lanes' metadata count
};

/// wmma.load, wmma.store: where a fragment is in memory.
struct MatrixInMemory {
  ptx::MatrixShape shape;
  ptx::MatrixRole role = ptx::MatrixRole::A;
  ptx::Type type = ptx::Type::None;
  bool by_rows = true;
  std::vector<RowRef> registers;
  RowRef stride;  // elements from one row, or column, to the next

  /// What a lane accesses at once: a register, or one of its elements, if they do not lie side by side.
  uint32_t pieces_per_register() const;
  uint32_t piece_bytes() const { return register_bytes() / pieces_per_register(); }
  uint32_t register_bytes() const { return ptx::bits(type) == 64 ? 8 : 4; }
  /// Registers that do not repeat others.
  uint32_t distinct_registers() const;
  /// Bytes from the beginning of the matrix on.
  uint64_t offset(uint32_t lane, uint32_t reg, uint32_t piece, uint64_t stride_elements) const;
};

/// The handler of an instruction with effect Matrix.
Handler matrix_handler(const ptx::Instruction& in);

/// ldmatrix: each lane's part of the matrices, whose rows of 16 bytes begin at `rows`.
void load_matrices(const WarpValues& warp, const Insn& insn, const std::array<const std::byte*, kWarpSize>& rows);
/// stmatrix.
void store_matrices(const WarpValues& warp, const Insn& insn, const std::array<std::byte*, kWarpSize>& rows);

}  // namespace warptime::sim
