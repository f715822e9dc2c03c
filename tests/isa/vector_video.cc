// Video instructions, numbers of 8 bits, sums of vectors in memory, and registers of 128 bits: forms with handlers of
// their own. Of the many spellings each type has one with each selector, saturation and second operation.
#include <fmt/format.h>

#include <array>

#include "vector_forms.h"

namespace warptime::sim {

namespace {

using Texts = std::vector<std::string>;
constexpr std::array kSigns{"u32", "s32"};
constexpr std::array kParts{"", ".b0", ".h1", ".b3", ".h0", ".b2", ".b1", ""};

std::string part(std::string_view letter, size_t which) { return fmt::format("%{}_u32{}", letter, kParts[which % 8]); }

/// d, a and b: the type of each of all eight choices.
struct Types {
  const char *d, *a, *b;
};
Types types_of(size_t i) { return {kSigns[i & 1], kSigns[i >> 1 & 1], kSigns[i >> 2 & 1]}; }

void single(Texts& out) {
  constexpr std::array kSecond{"add", "min", "max"};
  constexpr std::array kTargets{".b0", ".h1", ".b2", ".h0", ".b3", ".b1"};
  size_t n = 0;
  for (const char* op : {"vadd", "vsub", "vabsdiff", "vmin", "vmax"})
    for (size_t i = 0; i < 8; ++i, ++n) {
      Types t = types_of(i);
      std::string name = fmt::format("{}.{}.{}.{}", op, t.d, t.a, t.b), sat = n % 2 != 0 ? ".sat" : "";
      std::string from = part("a", n) + ", " + part("b", n + n / 8);
      out.push_back(fmt::format("{} %d_u32, %a_u32, %b_u32; {}.sat %q_u32, {};", name, name, from));
      out.push_back(fmt::format("{}{}.{} %d_u32, {}, %c_u32;", name, sat, kSecond[n % 3], from));
      out.push_back(fmt::format("{}{} %d_u32{}, {}, %c_u32;", name, sat, kTargets[n % 6], from));
    }
  for (const char* op : {"vshl", "vshr"})
    for (size_t i = 0; i < 4; ++i)
      for (const char* mode : {"clamp", "wrap"}) {
        std::string name = fmt::format("{}.{}.{}.u32", op, kSigns[i & 1], kSigns[i >> 1]);
        out.push_back(fmt::format("{}.{} %d_u32, %a_u32, %b_u32; {}.sat.{} %q_u32, {}, {};", name, mode, name, mode,
                                  part("a", n), part("b", n + 3)));
        out.push_back(fmt::format("{}.{}.{} %d_u32, {}, {}, %c_u32; {}.sat.{} %q_u32{}, {}, %b_u32, %c_u32;", name,
                                  mode, kSecond[n % 3], part("a", n), part("b", n), name, mode, kTargets[n % 6],
                                  part("a", n + 1)));
        ++n;
      }
  struct Sum {
    const char *word, *a, *b, *c;
  };
  for (size_t i = 0; i < 4; ++i)
    for (const Sum& sum : {Sum{"", "", "", ""}, Sum{".po", "", "", ""}, Sum{"", "-", "", ""}, Sum{"", "", "", "-"},
                           Sum{"", "-", "-", ""}}) {
      std::string name = fmt::format("vmad.{}.{}.{}{}", kSigns[n & 1], kSigns[i & 1], kSigns[i >> 1], sum.word);
      std::string whole = fmt::format("{}%a_u32, {}%b_u32, {}%c_u32", sum.a, sum.b, sum.c);
      std::string some = fmt::format("{}{}, {}{}, {}%c_u32", sum.a, part("a", n), sum.b, part("b", n + 2), sum.c);
      out.push_back(fmt::format(
          "{0} %d_u32, {1}; {0}.sat %q_u32, {1}; {0}.shr7 %r_u32, {2}; {0}.sat.shr15 %s_u32, {1};", name, whole, some));
      ++n;
    }
  for (size_t i = 0; i < 4; ++i)
    for (const char* compare : {"eq", "ne", "lt", "le", "gt", "ge"}) {
      std::string name = fmt::format("vset.{}.{}.{}", kSigns[i & 1], kSigns[i >> 1], compare);
      out.push_back(fmt::format("{} %d_u32, %a_u32, %b_u32; {}.{} %q_u32, {}, {}, %c_u32; {} %r_u32{}, {}, {}, %c_u32;",
                                name, name, kSecond[n % 3], part("a", n), part("b", n), name, kTargets[n % 6],
                                part("a", n + 1), part("b", n + 2)));
      ++n;
    }
}

/// Selectors and masks of two half words and of four bytes.
struct Shape {
  char elements;
  std::array<const char*, 4> masks, a, b;
};
constexpr Shape kHalves{'2', {"", ".h0", ".h1", ".h10"}, {"", ".h32", ".h01", ".h23"}, {"", ".h10", ".h33", ".h12"}};
constexpr Shape kBytes{
    '4', {"", ".b210", ".b3", ".b31"}, {"", ".b7654", ".b0123", ".b5170"}, {"", ".b3210", ".b4444", ".b6271"}};

void side_by_side(Texts& out) {
  size_t n = 0;
  for (const Shape& shape : {kHalves, kBytes}) {
    auto rest = [&](size_t i) { return fmt::format("%a_u32{}, %b_u32{}, %c_u32", shape.a[i % 4], shape.b[i / 2 % 4]); };
    for (const char* op : {"vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"})
      for (size_t i = 0; i < 8; ++i, ++n) {
        Types t = types_of(i);
        std::string name = fmt::format("{}{}.{}.{}.{}", op, shape.elements, t.d, t.a, t.b);
        out.push_back(fmt::format("{} %d_u32, %a_u32, %b_u32, %c_u32; {}.sat %q_u32{}, {};", name, name,
                                  shape.masks[n % 4], rest(n)));
        out.push_back(fmt::format("{}.add %d_u32{}, {};", name, shape.masks[(n + 1) % 4], rest(n + 1)));
      }
    for (size_t i = 0; i < 4; ++i)
      for (const char* compare : {"eq", "ne", "lt", "le", "gt", "ge"}) {
        std::string name = fmt::format("vset{}.{}.{}.{}", shape.elements, kSigns[i & 1], kSigns[i >> 1], compare);
        out.push_back(fmt::format("{} %d_u32{}, {}; {}.add %q_u32{}, {};", name, shape.masks[n % 4], rest(n), name,
                                  shape.masks[n / 4 % 4], rest(n + 1)));
        ++n;
      }
  }
}

void small_numbers(Texts& out) {
  for (const char* type : {"e4m3x2", "e5m2x2"})
    for (const char* relu : {"", ".relu"}) {
      out.push_back(fmt::format("cvt.rn.satfinite{}.{}.f32 %d_b16, %a_f32, %b_f32;", relu, type));
      out.push_back(fmt::format("cvt.rn.satfinite{}.{}.f16x2 %d_b16, %a_f16x2;", relu, type));
      out.push_back(fmt::format("cvt.rn{}.f16x2.{} %d_f16x2, %a_b16;", relu, type));
    }
}

/// Sums of vectors: what was there, the operation, what is there.
void vectors_in_memory(Texts& out) {
  struct Vector {
    const char *type, *noftz, *bits;
  };
  for (const Vector& v : {Vector{"f32", "", "b32"}, Vector{"f16", ".noftz", "b16"}, Vector{"bf16", ".noftz", "b16"},
                          Vector{"f16x2", ".noftz", "b32"}, Vector{"bf16x2", ".noftz", "b32"}}) {
    std::string before = fmt::format("st.global.v2.{} [%word], {{%a_{}, %b_{}}}; ", v.bits, v.type, v.type);
    std::string after = fmt::format(" ld.global.v2.{} {{%r_{}, %s_{}}}, [%word];", v.bits, v.type, v.type);
    out.push_back(before +
                  fmt::format("atom.global.add{}.v2.{} {{%d_{}, %q_{}}}, [%word], {{%c_{}, %e_{}}};", v.noftz, v.type,
                              v.type, v.type, v.type, v.type) +
                  after);
    out.push_back(before +
                  fmt::format("red.global.add{}.v2.{} [%word], {{%c_{}, %e_{}}};", v.noftz, v.type, v.type, v.type) +
                  after);
  }
  out.emplace_back(
      "st.global.v4.b32 [%word], {%a_f32, %b_f32, %b_f32, %a_f32}; red.global.add.v4.f32 [%word], {%c_f32, %a_f32, "
      "%c_f32, %b_f32}; ld.global.v4.b32 {%d_f32, %q_f32, %r_f32, %s_f32}, [%word];");
}

void pairs(Texts& out) {
  out.emplace_back(
      "mov.b128 %k_b128, {%a_b64, %b_b64}; mov.b128 %l_b128, %k_b128; mov.b128 {%d_b64, %q_b64}, %l_b128;");
  out.emplace_back(
      "mov.b128 %k_b128, {%a_b32, %b_b32, %c_b32, %e_b32}; mov.b128 {%d_b32, %q_b32, %r_b32, %s_b32}, %k_b128;");
  out.emplace_back(
      "mov.b128 %k_b128, {%a_b64, %b_b64}; st.global.b128 [%word], %k_b128; ld.global.b64 %d_b64, [%word+8]; "
      "ld.global.b128 %l_b128, [%word]; mov.b128 {%q_b64, _}, %l_b128;");
  // A sum where a register is read.
  out.emplace_back("add.u32 %d_u32, %a_u32+5, %b_u32; shl.b32 %q_b32, %c_b32+1, 3; mov.u64 %r_u64, %e_u64+4096;");
}

}  // namespace

std::vector<std::string> vector_video() {
  Texts out;
  single(out);
  side_by_side(out);
  small_numbers(out);
  vectors_in_memory(out);
  pairs(out);
  return out;
}

}  // namespace warptime::sim
