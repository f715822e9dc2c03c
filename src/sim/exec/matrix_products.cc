// mma: the fragments of a warp as matrices, their product, and the result as fragments. What numbers do is in
// matrix_numbers.h; integers and bits are exact; f64 are fused multiply-adds in the order of k. All as an H200 has it.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "ptx/isa/cards.h"
#include "sim/exec/lanes_of_mask.h"
#include "sim/exec/matrix_element.h"
#include "sim/exec/matrix_fragments.h"
#include "sim/exec/matrix_numbers.h"

namespace warptime::sim {

using ptx::FragmentPlace, ptx::MatrixPlace, ptx::MatrixShape, ptx::Mod, ptx::Type;

namespace {

constexpr uint32_t kMostRows = 32;

/// A is by rows and B by columns, so that what is multiplied lies side by side. C and D are by rows.
template <class Factor, class Sum>
struct Matrices {
  std::array<Factor, size_t{kMostRows} * kMostDepth> a, b;
  std::array<Sum, size_t{kMostRows} * kMostRows> c;
};

/// The factors of an element of D: a row of A and, as far as A has elements there, a column of B.
template <class Factor>
struct Factors {
  std::array<Factor, kMostDepth> chosen;  // of a sparse A, these of B
  std::span<const Factor> a, b;

  template <class Sum>
  void find(const WarpValues& warp, const MatrixOperation& of, const Matrices<Factor, Sum>& matrices, uint32_t row,
            uint32_t column) {
    const uint32_t k = of.shape.k, stored = of.is_sparse ? k / 2 : k;
    a = {&matrices.a[row * k], stored};
    b = {&matrices.b[column * k], k};
    if (!of.is_sparse) return;
    const uint32_t chunk_bits = of.a_type == Type::TF32 ? 1 : of.a_type == Type::S4 || of.a_type == Type::U4 ? 4 : 2;
    for (uint32_t i = 0; i < stored; ++i) {
      const auto at = ptx::metadata_of(of.a_type, row, i / chunk_bits, stored / chunk_bits, of.selector);
      chosen[i] = b[ptx::column_of(of.a_type, i, lane_of<uint32_t>(of.metadata.in(warp), at.lane) >> at.shift)];
    }
    b = {chosen.data(), stored};
  }
};

/// Calls f(place, its register's row) for all elements of a fragment in the lanes of a product.
template <class F>
void for_each_place(const FragmentLayout& layout, uint32_t product, size_t registers, uint32_t per_register,
                    const F& f) {
  for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
    if (layout.quads && ptx::quad_of(lane) != product) continue;
    for (uint32_t reg = 0; reg < registers; ++reg)
      for (uint32_t element = 0; element < per_register; ++element) f(FragmentPlace{lane, reg, element});
  }
}

/// `factor` and `sum` make numbers of the bits of elements.
template <class Factor, class Sum, class MakeFactor, class MakeSum>
void gather(const WarpValues& warp, const MatrixOperation& of, const FragmentLayout& layout, uint32_t product,
            Matrices<Factor, Sum>& out, const MakeFactor& factor, const MakeSum& sum) {
  const MatrixShape shape = of.shape;
  auto each = [&](const std::vector<RowRef>& rows, Type type, const auto& f) {
    const uint32_t per_register = ptx::elements_per_register(type);
    for_each_place(layout, product, rows.size(), per_register,
                   [&](FragmentPlace at) { f(per_register, at, element_bits(warp, rows[at.reg], type, at)); });
  };
  each(of.a, of.a_type, [&](uint32_t per_register, FragmentPlace at, uint64_t bits) {
    const MatrixPlace place = layout.a(per_register, at);
    out.a[place.row * shape.k + place.column] = factor(of.a_type, bits);
  });
  each(of.b, of.b_type, [&](uint32_t per_register, FragmentPlace at, uint64_t bits) {
    const MatrixPlace place = layout.b(per_register, at);
    out.b[place.column * shape.k + place.row] = factor(of.b_type, bits);
  });
  each(of.c, of.c_type, [&](uint32_t per_register, FragmentPlace at, uint64_t bits) {
    const MatrixPlace place = layout.c(per_register, at);
    out.c[place.row * shape.n + place.column] = sum(of.c_type, bits);
  });
}

/// `result(row, column)` gives the bits of an element of D.
template <class Result>
void scatter(const WarpValues& warp, const MatrixOperation& of, const FragmentLayout& layout, uint32_t product,
             const Result& result) {
  const uint32_t per_register = ptx::elements_per_register(of.d_type), bits = ptx::bits(of.d_type);
  for_each_place(layout, product, of.d.size(), 1, [&](FragmentPlace at) {
    uint64_t value = 0;
    for (at.element = 0; at.element < per_register; ++at.element) {
      const MatrixPlace place = layout.c(per_register, at);
      value |= uint64_t{result(place.row, place.column)} << (at.element * bits);
    }
    std::byte* row = warp.rows() + of.d[at.reg].bits;
    if (bits == 64) set_lane(row, at.lane, value);
    else set_lane(row, at.lane, static_cast<uint32_t>(value));
  });
}

// --- integers and bits ---

int32_t integer_of(Type type, uint64_t bits) {
  const uint32_t unused = 32 - ptx::bits(type);
  const bool is_signed = type == Type::S8 || type == Type::S4 || type == Type::S32;
  const auto word = static_cast<uint32_t>(bits) << unused;
  return is_signed ? static_cast<int32_t>(word) >> unused : static_cast<int32_t>(word >> unused);
}

void run_integers(const WarpValues& warp, const Insn& insn, uint32_t) {
  const MatrixOperation& of = *insn.matrix().operation;
  const FragmentLayout layout = fragment_layout(of);
  Matrices<int16_t, int32_t> matrices;
  gather(
      warp, of, layout, 0, matrices,
      [](Type type, uint64_t bits) { return static_cast<int16_t>(integer_of(type, bits)); }, integer_of);
  const bool differ = of.mods.has(Mod::Xor), both = of.mods.has(Mod::And), clamp = of.mods.has(Mod::Satfinite);
  Factors<int16_t> factors;
  scatter(warp, of, layout, 0, [&](uint32_t row, uint32_t column) {
    factors.find(warp, of, matrices, row, column);
    int64_t sum = matrices.c[row * of.shape.n + column];
    int32_t products = 0;
    for (size_t i = 0; i < factors.a.size(); ++i) {
      const int32_t a = factors.a[i], b = factors.b[i];
      products += differ ? a ^ b : both ? a & b : a * b;
    }
    sum += products;
    if (clamp) sum = std::clamp<int64_t>(sum, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max());
    return static_cast<uint32_t>(sum);
  });
}

// --- f64 ---

/// A result that is not a number is the first operand that is none, made quiet; b before c before a.
template <ptx::ModSet M>
double fused(double a, double b, double c) {
  double result = 0;
  if (!ptx::is_finite(a) || !ptx::is_finite(b)) result = a * b + c;
  else result = ptx::is_finite(c) ? ptx::rounded_sum<M>(ptx::exact_product(a, b), ptx::exact(c)) : c;
  if (result == result) [[likely]]
    return result;
  constexpr uint64_t kQuiet = uint64_t{1} << 51;
  for (double operand : {b, c, a})
    if (operand != operand) return std::bit_cast<double>(std::bit_cast<uint64_t>(operand) | kQuiet);
  return std::bit_cast<double>(ptx::kInvalidDouble);
}

template <ptx::ModSet M>
void run_doubles(const WarpValues& warp, const Insn& insn, uint32_t) {
  const MatrixOperation& of = *insn.matrix().operation;
  const FragmentLayout layout = fragment_layout(of);
  Matrices<double, double> matrices;
  auto number = [](Type, uint64_t bits) { return std::bit_cast<double>(bits); };
  gather(warp, of, layout, 0, matrices, number, number);
  scatter(warp, of, layout, 0, [&](uint32_t row, uint32_t column) {
    double sum = matrices.c[row * of.shape.n + column];
    for (uint32_t k = 0; k < of.shape.k; ++k)
      sum = fused<M>(matrices.a[row * of.shape.k + k], matrices.b[column * of.shape.k + k], sum);
    return std::bit_cast<uint64_t>(sum);
  });
}

// --- the other floating-point types ---

void run_numbers(const WarpValues& warp, const Insn& insn, uint32_t) {
  const MatrixOperation& of = *insn.matrix().operation;
  const FragmentLayout layout = fragment_layout(of);
  const bool bytes = ptx::bits(of.a_type) == 8;
  auto* element = layout.quads ? in_turn : bytes ? in_halves : in_blocks;
  const ElementTypes types{of.d_type, of.a_type, of.c_type, of.is_wmma};
  Matrices<MatrixNumber, MatrixNumber> matrices;
  for (uint32_t product = 0; product < layout.products(); ++product) {
    auto number = [](Type type, uint64_t bits) { return matrix_number(type, static_cast<uint32_t>(bits)); };
    auto factor = [bytes](Type type, uint64_t bits) {
      const auto word = static_cast<uint32_t>(bits);
      return bytes ? as_f16(type, word) : matrix_number(type, word);
    };
    gather(warp, of, layout, product, matrices, factor, number);
    Factors<MatrixNumber> factors;
    scatter(warp, of, layout, product, [&](uint32_t row, uint32_t column) {
      factors.find(warp, of, matrices, row, column);
      return element({types, factors.a, factors.b, matrices.c[row * of.shape.n + column]});
    });
  }
}

Handler doubles(ptx::ModSet mods) {
  if (mods.has(Mod::Rz)) return run_doubles<ptx::mods(Mod::Rz)>;
  if (mods.has(Mod::Rm)) return run_doubles<ptx::mods(Mod::Rm)>;
  return mods.has(Mod::Rp) ? run_doubles<ptx::mods(Mod::Rp)> : run_doubles<ptx::mods(Mod::Rn)>;
}

}  // namespace

void move_transposed(const WarpValues& warp, const Insn& insn, uint32_t lanes);  // matrix_rows.cc

Handler matrix_handler(const ptx::Instruction& in) {
  if (ptx::is<ptx::Movmatrix>(in)) return move_transposed;
  if (in.type == Type::F64) return doubles(in.mods);
  return in.type == Type::S32 ? run_integers : run_numbers;
}

}  // namespace warptime::sim
