// The layouts of fragments against the manual's formulas, one for each figure (PTX ISA 9.0, 9.7.14.5.1 to 9.7.14.5.11),
// and that every element of a matrix is somewhere.
#include "ptx/isa/matrix_layout.h"

#include <catch2/catch.hpp>
#include <map>
#include <vector>

namespace warptime::ptx {

namespace {

using Formula = MatrixPlace (*)(uint32_t group, uint32_t member, uint32_t i);

struct Figure {
  MatrixShape shape;
  Type type;
  uint32_t a_registers, b_registers;
  Formula a, b;
};

// `i` counts the elements of a lane; group and member are the manual's groupID and threadID_in_group.
const Figure kFigures[] = {
    {{16, 8, 8},
     Type::F16,
     2,
     1,
     [](uint32_t g, uint32_t t, uint32_t i) {
       return MatrixPlace{i < 2 ? g : g + 8, t * 2 + (i & 1)};
     },
     [](uint32_t g, uint32_t t, uint32_t i) {
       return MatrixPlace{t * 2 + i, g};
     }},
    {{16, 8, 16},
     Type::BF16,
     4,
     2,
     [](uint32_t g, uint32_t t, uint32_t i) {
       return MatrixPlace{i < 2 || (i >= 4 && i < 6) ? g : g + 8, t * 2 + (i & 1) + (i >= 4 ? 8 : 0)};
     },
     [](uint32_t g, uint32_t t, uint32_t i) {
       return MatrixPlace{t * 2 + (i & 1) + (i >= 2 ? 8 : 0), g};
     }},
    {{16, 8, 4},
     Type::TF32,
     2,
     1,
     [](uint32_t g, uint32_t t, uint32_t i) {
       return MatrixPlace{i == 0 ? g : g + 8, t};
     },
     [](uint32_t g, uint32_t t, uint32_t) {
       return MatrixPlace{t, g};
     }},
    {{16, 8, 8},
     Type::TF32,
     4,
     2,
     [](uint32_t g, uint32_t t, uint32_t i) {
       return MatrixPlace{i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4};
     },
     [](uint32_t g, uint32_t t, uint32_t i) {
       return MatrixPlace{i == 0 ? t : t + 4, g};
     }},
    {{8, 8, 4},
     Type::F64,
     1,
     1,
     [](uint32_t g, uint32_t t, uint32_t) {
       return MatrixPlace{g, t};
     },
     [](uint32_t g, uint32_t t, uint32_t) {
       return MatrixPlace{t, g};
     }},
    {{16, 8, 16},
     Type::F64,
     8,
     4,
     [](uint32_t g, uint32_t t, uint32_t i) {
       return MatrixPlace{i % 2 == 0 ? g : g + 8, i * 2 - i % 2 * 2 + t};
     },
     [](uint32_t g, uint32_t t, uint32_t i) {
       return MatrixPlace{i * 4 + t, g};
     }},
    {{8, 8, 16},
     Type::S8,
     1,
     1,
     [](uint32_t g, uint32_t t, uint32_t i) {
       return MatrixPlace{g, t * 4 + i};
     },
     [](uint32_t g, uint32_t t, uint32_t i) {
       return MatrixPlace{t * 4 + i, g};
     }},
    {{16, 8, 16},
     Type::U8,
     2,
     1,
     [](uint32_t g, uint32_t t, uint32_t i) {
       return MatrixPlace{i < 4 ? g : g + 8, t * 4 + (i & 3)};
     },
     [](uint32_t g, uint32_t t, uint32_t i) {
       return MatrixPlace{t * 4 + i, g};
     }},
    {{16, 8, 32},
     Type::E4M3,
     4,
     2,
     [](uint32_t g, uint32_t t, uint32_t i) {
       return MatrixPlace{i < 4 || (i >= 8 && i < 12) ? g : g + 8, t * 4 + (i & 3) + (i >= 8 ? 16 : 0)};
     },
     [](uint32_t g, uint32_t t, uint32_t i) {
       return MatrixPlace{t * 4 + (i & 3) + (i >= 4 ? 16 : 0), g};
     }},
    {{16, 8, 64},
     Type::S4,
     4,
     2,
     [](uint32_t g, uint32_t t, uint32_t i) {
       return MatrixPlace{i < 8 || (i >= 16 && i < 24) ? g : g + 8, t * 8 + (i & 7) + (i >= 16 ? 32 : 0)};
     },
     [](uint32_t g, uint32_t t, uint32_t i) {
       return MatrixPlace{t * 8 + (i & 7) + (i >= 8 ? 32 : 0), g};
     }},
    {{16, 8, 256},
     Type::B1,
     4,
     2,
     [](uint32_t g, uint32_t t, uint32_t i) {
       return MatrixPlace{i < 32 || (i >= 64 && i < 96) ? g : g + 8, t * 32 + (i & 31) + (i >= 64 ? 128 : 0)};
     },
     [](uint32_t g, uint32_t t, uint32_t i) {
       return MatrixPlace{t * 32 + (i & 31) + (i >= 32 ? 128 : 0), g};
     }},
};

/// How often each element of a matrix is in the lanes of a fragment.
template <class Place>
std::map<std::pair<uint32_t, uint32_t>, int> counted(uint32_t registers, uint32_t per_register, const Place& place) {
  std::map<std::pair<uint32_t, uint32_t>, int> out;
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t reg = 0; reg < registers; ++reg)
      for (uint32_t element = 0; element < per_register; ++element) {
        const MatrixPlace at = place(FragmentPlace{lane, reg, element});
        ++out[{at.row, at.column}];
      }
  return out;
}
void check_counts(const std::map<std::pair<uint32_t, uint32_t>, int>& counts, uint32_t rows, uint32_t columns,
                  int each) {
  CHECK(counts.size() == size_t{rows} * columns);
  for (const auto& [at, count] : counts) CHECK((at.first < rows && at.second < columns && count == each));
}

}  // namespace

TEST_CASE("fragments of A and B are where the manual's formulas have them") {
  for (const Figure& figure : kFigures) {
    INFO("m" << figure.shape.m << "k" << figure.shape.k << " " << name(figure.type));
    const uint32_t per = elements_per_register(figure.type);
    for (uint32_t lane = 0; lane < 32; ++lane) {
      for (uint32_t i = 0; i < figure.a_registers * per; ++i)
        CHECK(place_in_a(figure.shape, per, {lane, i / per, i % per}) == figure.a(lane / 4, lane % 4, i));
      for (uint32_t i = 0; i < figure.b_registers * per; ++i)
        CHECK(place_in_b(per, {lane, i / per, i % per}) == figure.b(lane / 4, lane % 4, i));
    }
    check_counts(counted(figure.a_registers, per, [&](FragmentPlace at) { return place_in_a(figure.shape, per, at); }),
                 figure.shape.m, figure.shape.k, 1);
    check_counts(counted(figure.b_registers, per, [&](FragmentPlace at) { return place_in_b(per, at); }),
                 figure.shape.k, figure.shape.n, 1);
  }
}

TEST_CASE("accumulators are where the manual's formulas have them") {
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t i = 0; i < 4; ++i) {
      const MatrixPlace expected{i < 2 ? lane / 4 : lane / 4 + 8, lane % 4 * 2 + (i & 1)};
      CHECK(place_in_c(1, {lane, i, 0}) == expected);
      CHECK(place_in_c(2, {lane, i / 2, i % 2}) == expected);
    }
}

TEST_CASE("the four products of m8n8k4 are where the manual's formulas have them") {
  for (uint32_t lane = 0; lane < 32; ++lane) {
    const uint32_t of_four = lane % 4, of_eight = lane < 16 ? of_four : of_four + 4;
    CHECK(quad_of(lane) == (lane < 16 ? lane / 4 : (lane - 16) / 4));
    for (uint32_t i = 0; i < 4; ++i) {
      const FragmentPlace at{lane, i / 2, i % 2};
      const uint32_t shifted = lane < 16 ? i : i + 4;
      CHECK(place_in_quad_a(true, at) == MatrixPlace{of_eight, i});
      CHECK(place_in_quad_a(false, at) == MatrixPlace{shifted, of_four});
      CHECK(place_in_quad_b(true, at) == MatrixPlace{of_four, shifted});
      CHECK(place_in_quad_b(false, at) == MatrixPlace{i, of_eight});
    }
    for (uint32_t i = 0; i < 8; ++i) {
      CHECK(place_in_quad_c(2, {lane, i / 2, i % 2}) == MatrixPlace{of_eight, i});
      const uint32_t x = (lane & 1) + (i & 2);
      CHECK(place_in_quad_c(1, {lane, i, 0}) == MatrixPlace{lane < 16 ? x : x + 4, (i & 4) + (lane & 2) + (i & 1)});
    }
  }
}

TEST_CASE("fragments of wmma have every element equally often") {
  struct Case {
    MatrixShape shape;
    Type type;
    uint32_t a, b, c;
  };
  for (const Case& c : {Case{{16, 16, 16}, Type::F16, 8, 8, 8},
                        {{8, 32, 16}, Type::F16, 8, 8, 8},
                        {{32, 8, 16}, Type::F16, 8, 8, 8},
                        {{8, 32, 16}, Type::BF16, 2, 8, 8},
                        {{16, 16, 8}, Type::TF32, 4, 4, 8},
                        {{32, 8, 16}, Type::S8, 4, 1, 8},
                        {{8, 8, 32}, Type::S4, 1, 1, 2},
                        {{8, 8, 4}, Type::F64, 1, 1, 2},
                        {{8, 8, 128}, Type::B1, 1, 1, 2}}) {
    const uint32_t per = elements_per_register(c.type);
    const auto [m, n, k] = c.shape;
    auto in = [&](MatrixRole role, uint32_t each) {
      return [&, role, each](FragmentPlace at) { return place_in_wmma(role, c.shape, each, at); };
    };
    check_counts(counted(c.a, per, in(MatrixRole::A, per)), m, k, static_cast<int>(c.a * 32 * per / (m * k)));
    check_counts(counted(c.b, per, in(MatrixRole::B, per)), k, n, static_cast<int>(c.b * 32 * per / (k * n)));
    check_counts(counted(c.c, 1, in(MatrixRole::C, 1)), m, n, 1);
    if (c.c == 8) check_counts(counted(4, 2, in(MatrixRole::C, 2)), m, n, 1);
  }
}

TEST_CASE("the words of shapes are their numbers") {
  CHECK(shape_named(".m16n8k256") == MatrixShape{16, 8, 256});
  CHECK(shape_named(".m8n32k16") == MatrixShape{8, 32, 16});
  for (std::string_view word : {".m8n8", ".row", ".max", ".m", ""}) CHECK(shape_named(word) == MatrixShape{});
}

}  // namespace warptime::ptx
