// Matrix instructions (PTX ISA 9.0, 9.7.14.5) as they are decoded: which registers hold the fragments, and of what. All
// lanes of the warp execute them together.
#pragma once

#include <vector>

#include "ptx/isa/matrix_layout.h"
#include "sim/exec/insn.h"

namespace warptime::sim {

/// mma: D = A * B + C. movmatrix has only the rows of D and A.
struct MatrixOperation {
  ptx::MatrixShape shape;
  ptx::Type d_type = ptx::Type::None, a_type = ptx::Type::None, b_type = ptx::Type::None, c_type = ptx::Type::None;
  ptx::ModSet mods;                // rounding, .satfinite, .row, .col, .xor, .and
  std::vector<RowRef> d, a, b, c;  // registers, a row each
};

/// The handler of an instruction with effect Matrix.
Handler matrix_handler(const ptx::Instruction& in);

/// ldmatrix: each lane's part of the matrices, whose rows of 16 bytes begin at `rows`.
void load_matrices(const WarpValues& warp, const Insn& insn, const std::array<const std::byte*, kWarpSize>& rows);
/// stmatrix.
void store_matrices(const WarpValues& warp, const Insn& insn, const std::array<std::byte*, kWarpSize>& rows);

}  // namespace warptime::sim
