#include "sim/exec/warpgroup_product.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "ptx/isa/wgmma.h"
#include "sim/exec/lanes_of_mask.h"
#include "sim/exec/matrix_element.h"
#include "sim/exec/product_pieces.h"
#include "sim/exec/shared_matrix.h"

namespace warptime::sim {

using ptx::FragmentPlace, ptx::MatrixPlace, ptx::Type;

namespace {

constexpr uint32_t kWarpRows = 16, kTileColumns = 8;  // of a warp, and of what is computed at a time
constexpr uint32_t kMostWide = 64;                    // k of a sparse product of bytes

uint32_t integer_word(Type type, uint32_t bits) {
  return type == Type::S8 ? static_cast<uint32_t>(static_cast<int8_t>(bits)) : bits;
}

/// A product of numbers of a kind: how bits become factors and accumulators, and factors an element.
struct IntegerProduct {
  using Factor = uint32_t;
  const WarpgroupProduct& of;
  Factor a(uint32_t bits) const { return integer_word(of.a_type, bits); }
  Factor b(uint32_t bits) const { return integer_word(of.b_type, bits); }
  uint32_t element(std::span<const Factor> a, std::span<const Factor> b, uint32_t accumulator, bool adds) const {
    uint32_t products = 0;
    const bool counts = of.a_type == Type::B1;  // a factor is 32 of them
    for (size_t i = 0; i < a.size(); ++i)
      products += counts ? static_cast<uint32_t>(std::popcount(a[i] & b[i])) : a[i] * b[i];
    const int64_t sum = int64_t{static_cast<int32_t>(products)} + (adds ? static_cast<int32_t>(accumulator) : 0);
    using Limits = std::numeric_limits<int32_t>;
    return static_cast<uint32_t>(of.clamps ? std::clamp<int64_t>(sum, Limits::min(), Limits::max()) : sum);
  }
};

struct NumberProduct {
  using Factor = MatrixNumber;
  const WarpgroupProduct& of;
  static Factor factor(Type type, uint32_t bits, bool negate) {
    Factor out = ptx::bits(type) == 8 ? as_f16(type, bits) : matrix_number(type, bits);
    if (negate) {
      out.digits = -out.digits;
      if (out.digits == 0) out.negative_zero = !out.negative_zero;
    }
    return out;
  }
  Factor a(uint32_t bits) const { return factor(of.a_type, bits, of.negate_a); }
  Factor b(uint32_t bits) const { return factor(of.b_type, bits, of.negate_b); }
  uint32_t element(std::span<const Factor> a, std::span<const Factor> b, uint32_t accumulator, bool adds) const {
    const Element d{{of.d_type, of.a_type, of.d_type}, a, b, matrix_number(of.d_type, adds ? accumulator : 0)};
    return ptx::bits(of.a_type) == 8 ? in_wide_blocks(d) : in_blocks(d);
  }
};

/// The matrices of a warp's part of a product.
template <class Product>
class WarpProduct {
 public:
  using Factor = typename Product::Factor;
  WarpProduct(const WarpgroupProduct& of, const ProductInput& in)
      : of_(of),
        in_(in),
        product_{of},
        element_bits_(of.a_type == Type::B1 ? 32 : ptx::bits(of.a_type)),
        k_(of.a_type == Type::B1 ? of.shape.k / 32 : of.shape.k),
        stored_(of.is_sparse ? k_ / 2 : k_) {}

  std::optional<uint32_t> run(std::span<const uint32_t* const> before, std::span<RegisterLanes> results) {
    const bool adds = adds_accumulator(of_, in_.values), halves = of_.d_type == Type::F16;
    if (!gather_a()) return outside_;
    if (of_.is_sparse) find_columns();
    const uint32_t each = halves ? 2 : 4;  // registers for eight columns
    for (uint32_t first = 0; first < of_.shape.n; first += kTileColumns) {
      if (!gather_b(first)) return outside_;
      for (uint32_t row = 0; row < kWarpRows; ++row)
        for (uint32_t column = 0; column < kTileColumns; ++column) {
          const uint32_t lane = row % 8 * 4 + column / 2, low = column % 2, shift = halves ? 16 * low : 0;
          const uint32_t reg = first / kTileColumns * each + row / 8 * (each / 2) + (halves ? 0 : low);
          const uint32_t c = before[reg][lane] >> shift & (halves ? 0xffff : 0xffffffff);
          const uint32_t bits = element(row, column, c, adds);
          uint32_t& result = results[reg][lane];
          result = low != 0 && halves ? result | bits << 16 : bits;
        }
    }
    return std::nullopt;
  }

 private:
  uint32_t element(uint32_t row, uint32_t column, uint32_t accumulator, bool adds) {
    const std::span<const Factor> a{&a_[row * kMostWide], stored_};
    std::span<const Factor> b{&b_[column * kMostWide], k_};
    if (of_.is_sparse) {
      for (uint32_t i = 0; i < stored_; ++i) chosen_[i] = b[columns_[row * kMostWide + i]];
      b = {chosen_.data(), stored_};
    }
    return product_.element(a, b, accumulator, adds);
  }

  /// False: outside_ is not in shared memory.
  bool read(const SharedMatrix& matrix, uint32_t mn, uint32_t k, uint32_t& bits) {
    const uint32_t address = matrix.address(mn, k), bytes = element_bits_ / 8;
    if (in_.shared.size() < bytes || address > in_.shared.size() - bytes) {
      outside_ = address;
      return false;
    }
    bits = 0;
    std::memcpy(&bits, in_.shared.data() + address, bytes);
    return true;
  }
  SharedMatrix described(RowRef row, bool by_mn) const {
    return SharedMatrix::described(lane_of<uint64_t>(row.in(in_.values), 0), by_mn, element_bits_);
  }

  bool gather_a() {
    if (of_.a.empty()) {
      const SharedMatrix matrix = described(of_.a_descriptor, of_.a_by_mn);
      for (uint32_t row = 0; row < kWarpRows; ++row)
        for (uint32_t i = 0; i < stored_; ++i) {
          uint32_t bits = 0;
          if (!read(matrix, in_.warp * kWarpRows + row, i, bits)) return false;
          a_[row * kMostWide + i] = product_.a(bits);
        }
      return true;
    }
    const uint32_t per_register = 32 / element_bits_;
    for (uint32_t reg = 0; reg < of_.a.size(); ++reg)
      for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
        const auto word = lane_of<uint32_t>(of_.a[reg].in(in_.values), lane);
        for (uint32_t e = 0; e < per_register; ++e) {
          const MatrixPlace at = ptx::place_in_a({kWarpRows, kTileColumns, stored_}, per_register, {lane, reg, e});
          const uint32_t bits = element_bits_ == 32 ? word : word >> (e * element_bits_) & ((1u << element_bits_) - 1);
          a_[at.row * kMostWide + at.column] = product_.a(bits);
        }
      }
    return true;
  }

  bool gather_b(uint32_t first) {
    const SharedMatrix matrix = described(of_.b_descriptor, of_.b_by_mn);
    for (uint32_t column = 0; column < kTileColumns; ++column)
      for (uint32_t k = 0; k < k_; ++k) {
        uint32_t bits = 0;
        if (!read(matrix, first + column, k, bits)) return false;
        b_[column * kMostWide + k] = product_.b(bits);
      }
    return true;
  }

  /// Which columns the stored elements of a sparse A are of.
  void find_columns() {
    const uint32_t in_chunk = of_.a_type == Type::TF32 ? 1 : 2;
    for (uint32_t row = 0; row < kWarpRows; ++row)
      for (uint32_t i = 0; i < stored_; ++i) {
        const auto at = ptx::metadata_of(of_.a_type, row, i / in_chunk, stored_ / in_chunk, of_.selector);
        const auto word = lane_of<uint32_t>(of_.metadata.in(in_.values), at.lane);
        columns_[row * kMostWide + i] = static_cast<uint8_t>(ptx::column_of(of_.a_type, i, word >> at.shift));
      }
  }

  const WarpgroupProduct& of_;
  const ProductInput& in_;
  Product product_;
  uint32_t element_bits_, k_, stored_;
  uint32_t outside_ = 0;
  std::array<Factor, size_t{kWarpRows} * kMostWide> a_;
  std::array<Factor, size_t{kTileColumns} * kMostWide> b_;
  std::array<Factor, kMostWide> chosen_;
  std::array<uint8_t, size_t{kWarpRows} * kMostWide> columns_;
};

}  // namespace

std::vector<uint32_t> pieces_read(const WarpgroupProduct& of, const ProductInput& in) {
  const uint32_t bits = of.a_type == Type::B1 ? 32 : ptx::bits(of.a_type);
  const uint32_t k = of.a_type == Type::B1 ? of.shape.k / 32 : of.shape.k;
  std::vector<uint32_t> out;
  auto add = [&](RowRef row, bool by_mn, uint32_t first, uint32_t count, uint32_t depth) {
    const auto matrix = SharedMatrix::described(lane_of<uint64_t>(row.in(in.values), 0), by_mn, bits);
    for (uint32_t mn = first; mn < first + count; ++mn)
      for (uint32_t i = 0; i < depth; ++i) {
        const uint32_t piece = matrix.address(mn, i) / SharedMatrix::kPiece * SharedMatrix::kPiece;
        if (piece < in.shared.size() && (out.empty() || out.back() != piece)) out.push_back(piece);
      }
  };
  if (of.a.empty()) add(of.a_descriptor, of.a_by_mn, in.warp * kWarpRows, kWarpRows, of.is_sparse ? k / 2 : k);
  add(of.b_descriptor, of.b_by_mn, 0, of.shape.n, k);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

bool adds_accumulator(const WarpgroupProduct& of, const WarpValues& values) {
  if (of.scale_d != WarpgroupProduct::ScaleD::Predicate) return of.scale_d == WarpgroupProduct::ScaleD::One;
  return (values.predicates[of.predicate.bits] & 1) != (of.predicate_negated ? 1u : 0u);
}

std::optional<uint32_t> multiply(const WarpgroupProduct& of, const ProductInput& in,
                                 std::span<const uint32_t* const> before, std::span<RegisterLanes> results) {
  if (of.d_type == Type::S32) return WarpProduct<IntegerProduct>(of, in).run(before, results);
  return WarpProduct<NumberProduct>(of, in).run(before, results);
}

}  // namespace warptime::sim
