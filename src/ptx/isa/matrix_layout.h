// Where the elements of matrices are in the registers of a warp (PTX ISA 9.0, 9.7.14.5): the formulas of the manual's
// figures, in one place. A group of four lanes has a row of A or a column of B; a register has neighbours in k. So one
// rule serves all element types: only how many elements a register has differs.
#pragma once

#include <array>
#include <cstdint>

#include "ptx/isa/types.h"

namespace warptime::ptx {

/// D (m x n) = A (m x k) * B (k x n) + C (m x n).
struct MatrixShape {
  uint32_t m = 0, n = 0, k = 0;
  constexpr bool operator==(const MatrixShape&) const = default;
};

/// The numbers of a word such as ".m16n8k32"; of ".m64nNk16", n is 0; zeros if it is not a shape.
constexpr MatrixShape shape_named(std::string_view word) {
  std::array<uint32_t, 3> numbers{};
  constexpr std::string_view kLetters = "mnk";
  size_t at = 1;
  for (size_t i = 0; i < 3; ++i) {
    if (at >= word.size() || word[at] != kLetters[i]) return {};
    for (++at; at < word.size() && word[at] >= '0' && word[at] <= '9'; ++at)
      numbers[i] = 10 * numbers[i] + static_cast<uint32_t>(word[at] - '0');
    if (i == 1 && at < word.size() && word[at] == 'N') ++at;
  }
  return {numbers[0], numbers[1], numbers[2]};
}
/// The shape among the words of an instruction; `columns`: its N, if the word does not say so.
constexpr MatrixShape shape_of(ModSet mods, uint32_t columns = 0) {
  for (size_t m = 0; m < kModNames.size(); ++m) {
    if (!mods.has(static_cast<Mod>(m))) continue;
    MatrixShape shape = shape_named(kModNames[m]);
    if (shape.n == 0) shape.n = columns;
    if (shape.k != 0) return shape;
  }
  return {};
}

struct MatrixPlace {
  uint32_t row = 0, column = 0;
  constexpr bool operator==(const MatrixPlace&) const = default;
};
/// An element of a fragment: its lane, its register, and its number in the register, from the lowest bits on.
struct FragmentPlace {
  uint32_t lane = 0, reg = 0, element = 0;
};

/// Elements of A or B of a type in a register: several of less than 32 bits.
constexpr uint32_t elements_per_register(Type type) { return bits(type) >= 32 ? 1 : 32 / bits(type); }

// Fragments of m16n8 and m8n8, of all types. Registers take turns between the upper and lower eight rows of A, then
// between parts of k.
constexpr MatrixPlace place_in_a(MatrixShape shape, uint32_t per_register, FragmentPlace at) {
  const uint32_t halves = shape.m / 8;
  return {at.lane / 4 + 8 * (at.reg % halves),
          at.reg / halves * 4 * per_register + at.lane % 4 * per_register + at.element};
}
constexpr MatrixPlace place_in_b(uint32_t per_register, FragmentPlace at) {
  return {at.reg * 4 * per_register + at.lane % 4 * per_register + at.element, at.lane / 4};
}
/// Accumulators: two neighbours in a row, then those eight rows below. `per_register`: 2 of f16, else 1.
constexpr MatrixPlace place_in_c(uint32_t per_register, FragmentPlace at) {
  const uint32_t i = at.reg * per_register + at.element;
  return {at.lane / 4 + 8 * (i / 2), at.lane % 4 * 2 + i % 2};
}

/// Accumulators of wmma and mma are in tiles of m16n8, A and B in the parts of these; m8n32 is n32 by m8, transposed.
/// The manual does not say so: it is what an H200 does. Registers that are more than the elements need have them once
/// more.
enum class MatrixRole : uint8_t { A, B, C };
constexpr MatrixPlace place_in_wmma(MatrixRole role, MatrixShape shape, uint32_t per_register, FragmentPlace at) {
  if (shape.m == 8 && shape.n == 32) {
    const MatrixRole other = role == MatrixRole::A ? MatrixRole::B : role == MatrixRole::B ? MatrixRole::A : role;
    const MatrixPlace place = place_in_wmma(other, {shape.n, shape.m, shape.k}, per_register, at);
    return {place.column, place.row};
  }
  const uint32_t rows = shape.m < 16 ? shape.m : 16;
  if (role == MatrixRole::C) {
    const uint32_t each = rows / 4 / per_register, tile = at.reg / each;
    at.reg %= each;
    const MatrixPlace place = place_in_c(per_register, at);
    return shape.m > 16 ? MatrixPlace{place.row + 16 * tile, place.column}
                        : MatrixPlace{place.row, place.column + 8 * tile};
  }
  const bool is_a = role == MatrixRole::A;
  const uint32_t each = (is_a ? rows : 8) * shape.k / (32 * per_register);
  at.reg %= each * (is_a ? shape.m / rows : shape.n / 8);
  const uint32_t tile = at.reg / each;
  at.reg %= each;
  if (is_a) {
    const MatrixPlace place = place_in_a({rows, 8, shape.k}, per_register, at);
    return {place.row + 16 * tile, place.column};
  }
  const MatrixPlace place = place_in_b(per_register, at);
  return {place.row, place.column + 8 * tile};
}

/// Sparse A: in each chunk of a row (four elements, two of tf32, four pairs of numbers of 4 bits) half of them count,
/// which four bits of metadata name. A lane's 32 bits are of four chunks of its group's row and four of that eight rows
/// below; of elements of 8 or 4 bits, of eight chunks of one of these rows.
struct SparseMetadata {
  uint32_t lane = 0, shift = 0;
};
constexpr SparseMetadata metadata_of(Type type, uint32_t row, uint32_t chunk, uint32_t chunks, uint32_t selector) {
  if (bits(type) <= 8) return {row % 8 * 4 + selector * 2 + chunk / 8 * 2 + row / 8, chunk % 8 * 4};
  return {row % 8 * 4 + selector * (chunks / 4) + chunk / 4, row / 8 * 16 + chunk % 4 * 4};
}
/// The column of an element that is stored at `stored` of its row.
constexpr uint32_t column_of(Type type, uint32_t stored, uint32_t metadata) {
  if (type == Type::TF32) return 2 * stored + (metadata >> 1 & 1);
  const uint32_t unit = bits(type) == 4 ? 2 : 1, at = stored / unit;
  return (at / 2 * 4 + (metadata >> at % 2 * 2 & 3)) * unit + stored % unit;
}

// mma.m8n8k4 of f16: four products, each of eight lanes: four of the lower sixteen and the four that are 16 above.
constexpr uint32_t quad_of(uint32_t lane) { return lane % 16 / 4; }
/// The four elements of a lane are neighbours in a row of A or a column of B (`along_k`), or else the other way.
constexpr MatrixPlace place_in_quad_a(bool row_major, FragmentPlace at) {
  const uint32_t i = 2 * at.reg + at.element, high = at.lane < 16 ? 0 : 4;
  return row_major ? MatrixPlace{at.lane % 4 + high, i} : MatrixPlace{i + high, at.lane % 4};
}
constexpr MatrixPlace place_in_quad_b(bool row_major, FragmentPlace at) {
  const uint32_t i = 2 * at.reg + at.element, high = at.lane < 16 ? 0 : 4;
  return row_major ? MatrixPlace{at.lane % 4, i + high} : MatrixPlace{i, at.lane % 4 + high};
}
constexpr MatrixPlace place_in_quad_c(uint32_t per_register, FragmentPlace at) {
  const uint32_t i = at.reg * per_register + at.element, high = at.lane < 16 ? 0 : 4;
  if (per_register == 2) return {at.lane % 4 + high, i};
  return {at.lane % 2 + (i & 2) + high, (i & 4) + (at.lane & 2) + (i & 1)};
}

/// ldmatrix, stmatrix, movmatrix: the two elements of a lane in a matrix of 8 x 8 elements of 16 bits.
constexpr MatrixPlace place_in_8x8(bool transposed, uint32_t lane, uint32_t element) {
  const uint32_t along = lane % 4 * 2 + element;
  return transposed ? MatrixPlace{along, lane / 4} : MatrixPlace{lane / 4, along};
}

}  // namespace warptime::ptx
