// Matrix instructions of whole warps: mma, ldmatrix, stmatrix, movmatrix. PTX ISA 9.0, sections 9.7.14.5 and 9.7.9.
// Their operands are lists of registers, fragments of matrices; matrix_layout.h says which element is where, and
// sim/exec/matrix_numbers.h how products are rounded. Left out: m16n16 and m8n16 of ldmatrix and stmatrix, block
// scales and .kind (sm_100 and later).
#pragma once

#include "ptx/isa/card_sets.h"
#include "ptx/isa/matrix_layout.h"

namespace warptime::ptx::inline WARPTIME_ISA {

/// What executes products.
inline constexpr Unit kMatrixUnit = Unit::Tensor;
inline constexpr Latency kMatrixLatency = Latency::Tensor;

/// The four types of a product, in the order in which they are spelled.
struct ProductTypes {
  TypeSet d, a, b, c;
};
inline constexpr TypeSet kFp8 = types(Type::E4M3, Type::E5M2);
constexpr ProductTypes product_of(TypeSet accumulator, TypeSet element) {
  return {accumulator, element, element, accumulator};
}
constexpr TypeSet one_type(Type type) { return types(type); }

constexpr Form typed(Form form, ProductTypes of) {
  form.types = of.d;
  form.types2 = of.a;
  form.types3 = of.b;
  form.types4 = of.c;
  return form;
}

/// Rows of A by columns of B, as all shapes but the first have them. `tail`: words before the types.
template <class... S>
constexpr Form product_form(Mod shape, ProductTypes of, std::string_view operands, S... tail) {
  return typed(Form{.slots =
                        slots(one(Mod::Sync), one(Mod::Aligned), one(shape), one(Mod::RowA), one(Mod::ColB), tail...)},
               of)
      .type_after(5 + sizeof...(tail))
      .with(operands)
      .needs(Feature::Tensor);
}
/// A product of bits: what is counted stands behind the types.
constexpr Form bit_product_form(Mod shape, std::string_view operands, Mod operation) {
  return typed(Form{.slots = slots(one(Mod::Sync), one(Mod::Aligned), one(shape), one(Mod::RowA), one(Mod::ColB),
                                   one(operation), one(Mod::Popc))},
               product_of(one_type(Type::S32), one_type(Type::B1)))
      .type_after(5)
      .with(operands)
      .needs(Feature::Tensor);
}
/// A product of the first shape, in which both matrices may lie either way.
constexpr Form quad_product_form(Type d, Type c, std::string_view operands) {
  return typed(Form{.slots = slots(one(Mod::Sync), one(Mod::Aligned), one(Mod::M8N8K4), one(mods(Mod::RowA, Mod::ColA)),
                                   one(mods(Mod::RowB, Mod::ColB)))},
               {one_type(d), one_type(Type::F16), one_type(Type::F16), one_type(c)})
      .type_after(5)
      .with(operands)
      .from(64, 70)
      .needs(Feature::Tensor);
}

/// A product of a sparse A, of which the registers have half: which half, the metadata e say, in lanes that f chooses.
constexpr Form sparse_form(Mod kind, Mod shape, ProductTypes of, std::string_view operands, Since since,
                           Slot saturated = {}) {
  Slots words = slots(one(kind), one(Mod::Sync), one(Mod::Aligned), one(shape), one(Mod::RowA), one(Mod::ColB));
  if (!saturated.choices.empty()) words.list[words.count++] = saturated;
  if (kind == Mod::SparseOrdered) since.ptx = 85;
  return typed(Form{.slots = words}, of)
      .type_after(static_cast<uint8_t>(words.count))
      .with(operands)
      .from(since.ptx, since.target)
      .needs(since.target > 80 ? Feature::TensorFp8 : Feature::Tensor);
}
template <size_t... N>
constexpr auto joined(const std::array<Form, N>&... lists) {
  std::array<Form, (N + ...)> out{};
  size_t at = 0;
  auto append = [&](const auto& list) {
    for (const Form& form : list) out[at++] = form;
  };
  (append(lists), ...);
  return out;
}

/// What its forms are made of.
struct MmaForms {
  static constexpr Slot kSaturated = opt(Mod::Satfinite);
  static constexpr std::string_view kHalf8 = "d:2f16x2, a:2f16x2, b:1f16x2, c:2f16x2";
  static constexpr std::string_view kHalf16 = "d:2f16x2, a:4f16x2, b:2f16x2, c:2f16x2";
  static constexpr std::string_view kSmall = "d:4f32, a:2bf16x2, b:1bf16x2, c:4f32";
  static constexpr std::string_view kLarge = "d:4f32, a:4bf16x2, b:2bf16x2, c:4f32";
  static constexpr std::string_view kBytes = "d:4f32, a:4b32, b:2b32, c:4f32";
  static constexpr std::string_view kFewBytes = "d:4f32, a:2b32, b:1b32, c:4f32";
  static constexpr std::string_view kInteger1 = "d:2s32, a:1b32, b:1b32, c:2s32";
  static constexpr std::string_view kInteger2 = "d:4s32, a:2b32, b:1b32, c:4s32";
  static constexpr std::string_view kInteger4 = "d:4s32, a:4b32, b:2b32, c:4s32";
  static constexpr TypeSet kByte = types(Type::S8, Type::U8), kNibble = types(Type::S4, Type::U4);
  static constexpr ProductTypes kOfF16 = product_of(kF32, one_type(Type::F16));
  static constexpr ProductTypes kInF16 = product_of(one_type(Type::F16), one_type(Type::F16));
  static constexpr ProductTypes kOfBF16 = product_of(kF32, one_type(Type::BF16));
  static constexpr ProductTypes kOfTF32 = product_of(kF32, one_type(Type::TF32));
  static constexpr ProductTypes kOfF64 = product_of(kF64, kF64);
  static constexpr std::array kDense{
      quad_product_form(Type::F32, Type::F32, "d:8f32, a:2f16x2, b:2f16x2, c:8f32"),
      quad_product_form(Type::F32, Type::F16, "d:8f32, a:2f16x2, b:2f16x2, c:4f16x2"),
      quad_product_form(Type::F16, Type::F16, "d:4f16x2, a:2f16x2, b:2f16x2, c:4f16x2"),
      product_form(Mod::M16N8K8, kOfF16, "d:4f32, a:2f16x2, b:1f16x2, c:4f32").from(65, 75),
      product_form(Mod::M16N8K8, kInF16, kHalf8).from(65, 75),
      product_form(Mod::M16N8K16, kOfF16, "d:4f32, a:4f16x2, b:2f16x2, c:4f32").from(70, 80),
      product_form(Mod::M16N8K16, kInF16, kHalf16).from(70, 80),
      product_form(Mod::M16N8K8, kOfBF16, kSmall).from(70, 80),
      product_form(Mod::M16N8K16, kOfBF16, kLarge).from(70, 80),
      product_form(Mod::M16N8K4, kOfTF32, "d:4f32, a:2tf32, b:1tf32, c:4f32").from(70, 80),
      product_form(Mod::M16N8K8, kOfTF32, "d:4f32, a:4tf32, b:2tf32, c:4f32").from(70, 80),
      product_form(Mod::M16N8K32, product_of(kF32, kFp8), kBytes).from(84, 89).needs(Feature::TensorFp8),
      product_form(Mod::M16N8K32, product_of(one_type(Type::F16), kFp8), "d:2f16x2, a:4b32, b:2b32, c:2f16x2")
          .from(87, 89)
          .needs(Feature::TensorFp8),
      product_form(Mod::M16N8K16, product_of(kF32, kFp8), kFewBytes).from(87, 89).needs(Feature::TensorFp8),
      product_form(Mod::M16N8K16, product_of(one_type(Type::F16), kFp8), "d:2f16x2, a:2b32, b:1b32, c:2f16x2")
          .from(87, 89)
          .needs(Feature::TensorFp8),
      product_form(Mod::M8N8K4, kOfF64, "d:2b64, a:1b64, b:1b64, c:2b64", kOptRounding).from(70, 80),
      product_form(Mod::M16N8K4, kOfF64, "d:4b64, a:2b64, b:1b64, c:4b64", kOptRounding).from(78, 90),
      product_form(Mod::M16N8K8, kOfF64, "d:4b64, a:4b64, b:2b64, c:4b64", kOptRounding).from(78, 90),
      product_form(Mod::M16N8K16, kOfF64, "d:4b64, a:8b64, b:4b64, c:4b64", kOptRounding).from(78, 90),
      product_form(Mod::M8N8K16, product_of(one_type(Type::S32), kByte), kInteger1, kSaturated).from(65, 75),
      product_form(Mod::M16N8K16, product_of(one_type(Type::S32), kByte), kInteger2, kSaturated).from(70, 80),
      product_form(Mod::M16N8K32, product_of(one_type(Type::S32), kByte), kInteger4, kSaturated).from(70, 80),
      product_form(Mod::M8N8K32, product_of(one_type(Type::S32), kNibble), kInteger1, kSaturated).from(65, 75),
      product_form(Mod::M16N8K32, product_of(one_type(Type::S32), kNibble), kInteger2, kSaturated).from(70, 80),
      product_form(Mod::M16N8K64, product_of(one_type(Type::S32), kNibble), kInteger4, kSaturated).from(70, 80),
      bit_product_form(Mod::M8N8K128, kInteger1, Mod::Xor).from(70, 75),
      bit_product_form(Mod::M16N8K128, kInteger2, Mod::Xor).from(70, 80),
      bit_product_form(Mod::M16N8K256, kInteger4, Mod::Xor).from(70, 80),
      bit_product_form(Mod::M8N8K128, kInteger1, Mod::And).from(71, 80),
      bit_product_form(Mod::M16N8K128, kInteger2, Mod::And).from(71, 80),
      bit_product_form(Mod::M16N8K256, kInteger4, Mod::And).from(71, 80)};

  /// The last operand chooses the lanes whose metadata count: each of a group, each pair, or all four.
  static constexpr std::array<Form, 13> sparse(Mod kind) {
    constexpr Since kSince{71, 80};
    constexpr ProductTypes kBytesOf = product_of(one_type(Type::S32), kByte);
    constexpr ProductTypes kNibblesOf = product_of(one_type(Type::S32), kNibble);
    constexpr std::string_view kFew = "d:4s32, a:2b32, b:2b32, c:4s32, e:b32, f:bit";
    constexpr std::string_view kMany = "d:4s32, a:4b32, b:4b32, c:4s32, e:b32, f:zero";
    auto form = [&](Mod shape, ProductTypes of, std::string_view operands, Slot saturated = {}) {
      return sparse_form(kind, shape, of, operands, kSince, saturated);
    };
    return {form(Mod::M16N8K16, kOfF16, "d:4f32, a:2f16x2, b:2f16x2, c:4f32, e:b32, f:quarter"),
            form(Mod::M16N8K32, kOfF16, "d:4f32, a:4f16x2, b:4f16x2, c:4f32, e:b32, f:bit"),
            form(Mod::M16N8K16, kInF16, "d:2f16x2, a:2f16x2, b:2f16x2, c:2f16x2, e:b32, f:quarter"),
            form(Mod::M16N8K32, kInF16, "d:2f16x2, a:4f16x2, b:4f16x2, c:2f16x2, e:b32, f:bit"),
            form(Mod::M16N8K16, kOfBF16, "d:4f32, a:2bf16x2, b:2bf16x2, c:4f32, e:b32, f:quarter"),
            form(Mod::M16N8K32, kOfBF16, "d:4f32, a:4bf16x2, b:4bf16x2, c:4f32, e:b32, f:bit"),
            form(Mod::M16N8K8, kOfTF32, "d:4f32, a:2tf32, b:2tf32, c:4f32, e:b32, f:quarter"),
            form(Mod::M16N8K16, kOfTF32, "d:4f32, a:4tf32, b:4tf32, c:4f32, e:b32, f:bit"),
            form(Mod::M16N8K32, kBytesOf, kFew, kSaturated),
            form(Mod::M16N8K64, kBytesOf, kMany, kSaturated),
            form(Mod::M16N8K64, kNibblesOf, kFew, kSaturated),
            form(Mod::M16N8K128, kNibblesOf, kMany, kSaturated),
            sparse_form(kind, Mod::M16N8K64, product_of(kF32, kFp8), "d:4f32, a:4b32, b:4b32, c:4f32, e:b32, f:zero",
                        {84, 89})};
  }
};

/// mma: D = A * B + C.
struct Mma : MmaForms {
  static constexpr Card card{.name = "mma",
                             .operands = "d, a, b, c",
                             .unit = kMatrixUnit,
                             .latency = kMatrixLatency,
                             .effect = Effect::Matrix,
                             .summary = "product of two matrices, plus a third",
                             .manual = "9.7.14.5"};
  static constexpr std::array forms = joined(kDense, sparse(Mod::Sparse), sparse(Mod::SparseOrdered));
};

/// One, two or four matrices of 8 x 8 elements, whose rows are 16 bytes in shared memory: lanes 0 to 7 have the
/// addresses of the first one's, and so on.
constexpr Form rows_form(Mod count, std::string_view operands) {
  return Form{.types = types(Type::B16),
              .slots = slots(one(Mod::Sync), one(Mod::Aligned), one(Mod::M8N8), one(count), opt(Mod::Trans),
                             opt(mods(Mod::Shared, Mod::SharedCta)))}
      .with(operands);
}
struct Ldmatrix {
  static constexpr Card card{.name = "ldmatrix",
                             .operands = "d, [a]",
                             .unit = Unit::Memory,
                             .latency = Latency::Memory,
                             .effect = Effect::Load,
                             .summary = "load matrices from shared memory",
                             .manual = "9.7.14.5.15"};
  static constexpr std::array forms{rows_form(Mod::X1, "d:1b32, [a]").from(65, 75).needs(Feature::Tensor),
                                    rows_form(Mod::X2, "d:2b32, [a]").from(65, 75).needs(Feature::Tensor),
                                    rows_form(Mod::X4, "d:4b32, [a]").from(65, 75).needs(Feature::Tensor)};
};
struct Stmatrix {
  static constexpr Card card{.name = "stmatrix",
                             .operands = "[a], b",
                             .unit = Unit::Memory,
                             .latency = Latency::Memory,
                             .effect = Effect::Store,
                             .summary = "store matrices to shared memory",
                             .manual = "9.7.14.5.16"};
  static constexpr std::array forms{rows_form(Mod::X1, "[a], b:1b32").from(78, 90).needs(Feature::MatrixStores),
                                    rows_form(Mod::X2, "[a], b:2b32").from(78, 90).needs(Feature::MatrixStores),
                                    rows_form(Mod::X4, "[a], b:4b32").from(78, 90).needs(Feature::MatrixStores)};
};

/// movmatrix: a matrix of 8 x 8 elements, transposed.
struct Movmatrix {
  static constexpr Card card{.name = "movmatrix",
                             .operands = "d:b32, a:b32",
                             .effect = Effect::Matrix,
                             .summary = "transpose a matrix in registers",
                             .manual = "9.7.14.5.17"};
  static constexpr std::array forms{Form{
      .types = types(Type::B16), .slots = slots(one(Mod::Sync), one(Mod::Aligned), one(Mod::M8N8), one(Mod::Trans))}
                                        .from(78, 75)
                                        .needs(Feature::Tensor)};
};

using MatrixCards = CardList<Mma, Ldmatrix, Stmatrix, Movmatrix>;

}  // namespace warptime::ptx::inline WARPTIME_ISA
