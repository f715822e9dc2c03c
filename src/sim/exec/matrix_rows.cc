// ldmatrix, stmatrix and movmatrix: matrices of 8 x 8 elements of 16 bits, two neighbours of a row in each lane.
#include <cstring>

#include "sim/exec/lanes_of_mask.h"
#include "sim/exec/matrix_operation.h"

namespace warptime::sim {

namespace {

constexpr uint32_t kRowsOfMatrix = 8, kElementBytes = 2;

/// Calls f(lane, element, row of the matrix, byte in the row).
template <class F>
void for_each_element(bool transposed, const F& f) {
  for (uint32_t lane = 0; lane < kWarpSize; ++lane)
    for (uint32_t element = 0; element < 2; ++element) {
      const ptx::MatrixPlace at = ptx::place_in_8x8(transposed, lane, element);
      f(lane, element, at.row, at.column * kElementBytes);
    }
}

}  // namespace

void load_matrices(const WarpValues& warp, const Insn& insn, const std::array<const std::byte*, kWarpSize>& rows) {
  const LoadStorePayload& values = insn.load_store();
  for (uint32_t m = 0; m < values.matrices; ++m) {
    std::byte* to = warp.rows() + values.data[m].bits;
    for_each_element(values.transposed, [&](uint32_t lane, uint32_t element, uint32_t row, uint32_t at) {
      std::memcpy(to + lane * 4 + element * kElementBytes, rows[m * kRowsOfMatrix + row] + at, kElementBytes);
    });
  }
}

void store_matrices(const WarpValues& warp, const Insn& insn, const std::array<std::byte*, kWarpSize>& rows) {
  const LoadStorePayload& values = insn.load_store();
  for (uint32_t m = 0; m < values.matrices; ++m) {
    const std::byte* from = values.data[m].in(warp);
    for_each_element(values.transposed, [&](uint32_t lane, uint32_t element, uint32_t row, uint32_t at) {
      std::memcpy(rows[m * kRowsOfMatrix + row] + at, from + lane * 4 + element * kElementBytes, kElementBytes);
    });
  }
}

void move_transposed(const WarpValues& warp, const Insn& insn, uint32_t) {
  const MatrixOperation& operation = *insn.matrix().operation;
  std::array<std::array<std::byte, kRowsOfMatrix * kElementBytes>, kRowsOfMatrix> matrix;
  const std::byte* from = operation.a[0].in(warp);
  std::byte* to = warp.rows() + operation.d[0].bits;
  for_each_element(false, [&](uint32_t lane, uint32_t element, uint32_t row, uint32_t at) {
    std::memcpy(matrix[row].data() + at, from + lane * 4 + element * kElementBytes, kElementBytes);
  });
  for_each_element(true, [&](uint32_t lane, uint32_t element, uint32_t row, uint32_t at) {
    std::memcpy(to + lane * 4 + element * kElementBytes, matrix[row].data() + at, kElementBytes);
  });
}

}  // namespace warptime::sim
