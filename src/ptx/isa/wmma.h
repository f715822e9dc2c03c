// wmma: products of matrices that lie in memory. PTX ISA 9.0, section 9.7.14.4. Which lane holds which element is left
// open by the manual; here it is as an H200 has it (place_in_wmma). Without .aligned (PTX 6.0 to 6.2): not there.
#pragma once

#include "ptx/isa/matrix.h"

namespace warptime::ptx::inline WARPTIME_ISA {

/// What its forms are made of.
struct WmmaForms {
  static constexpr ModSet kShapes = mods(Mod::M16N16K16, Mod::M8N32K16, Mod::M32N8K16);
  static constexpr ModSet kSquare = mods(Mod::M16N16K16), kWide = mods(Mod::M8N32K16), kTall = mods(Mod::M32N8K16);
  static constexpr ModSet kThin = mods(Mod::M16N16K8), kDouble = mods(Mod::M8N8K4);
  static constexpr ModSet kNibbles = mods(Mod::M8N8K32), kBitShape = mods(Mod::M8N8K128);
  static constexpr ModSet kEitherA = mods(Mod::RowA, Mod::ColA), kEitherB = mods(Mod::RowB, Mod::ColB);
  static constexpr TypeSet kByte = types(Type::S8, Type::U8), kNibble = types(Type::S4, Type::U4);
  static constexpr Since kFirst{63, 70}, kBytesSince{63, 72}, kSmallSince{63, 75}, kSince80{70, 80};

  static constexpr Form memory(Mod what, Mod which, ModSet layout, ModSet shape, TypeSet of, std::string_view operands,
                               Since since) {
    return Form{.types = of,
                .slots = slots(one(what), one(which), one(Mod::Sync), one(Mod::Aligned), one(layout), one(shape),
                               opt(mods(Mod::Shared, Mod::SharedCta, Mod::Global)))}
        .with(operands)
        .does(what == Mod::MatrixLoad ? Effect::Load : Effect::Store)
        .in(Unit::Memory)
        .takes(Latency::Memory)
        .from(since.ptx, since.target)
        .needs(Feature::Tensor);
  }
  static constexpr Form load(Mod which, ModSet shape, TypeSet of, std::string_view operands, Since since,
                             ModSet layout = kEitherA) {
    return memory(Mod::MatrixLoad, which, layout, shape, of, operands, since);
  }
  static constexpr Form store(ModSet shape, TypeSet of, std::string_view operands, Since since) {
    return memory(Mod::MatrixStore, Mod::MatrixD, kEitherA, shape, of, operands, since);
  }
  static constexpr Form product(Slots words, ProductTypes of, std::string_view operands, Since since) {
    Form form = ptx::typed(Form{.slots = words}, of).with(operands).needs(Feature::Tensor);
    form.since = since;
    form.type_slot = 6;
    return form;
  }
  static constexpr Slots any_layout(ModSet shape) {
    return slots(one(Mod::MatrixMma), one(Mod::Sync), one(Mod::Aligned), one(kEitherA), one(kEitherB), one(shape));
  }
  static constexpr Slots saturated(Slots words) {
    words.list[words.count++] = opt(Mod::Satfinite);
    return words;
  }
  static constexpr Form integers(ModSet shape, Type of, std::string_view operands) {
    return product(saturated(any_layout(shape)), product_of(one_type(Type::S32), one_type(of)), operands, kBytesSince);
  }
  static constexpr Form nibbles(Type of) {
    Slots words =
        slots(one(Mod::MatrixMma), one(Mod::Sync), one(Mod::Aligned), one(Mod::RowA), one(Mod::ColB), one(kNibbles));
    return product(saturated(words), product_of(one_type(Type::S32), one_type(of)), "d:2s32, a:1b32, b:1b32, c:2s32",
                   kSmallSince);
  }
  static constexpr Form bit_product(Mod operation, Since since) {
    Form form = product(slots(one(Mod::MatrixMma), one(operation), one(Mod::Popc), one(Mod::Sync), one(Mod::Aligned),
                              one(Mod::RowA), one(Mod::ColB), one(kBitShape)),
                        product_of(one_type(Type::S32), one_type(Type::B1)), "d:2s32, a:1b32, b:1b32, c:2s32", since);
    form.type_slot = 8;
    return form;
  }
  static constexpr Form halves(Type d, Type c, std::string_view operands) {
    return product(any_layout(kShapes), {one_type(d), one_type(c), {}, {}}, operands, kFirst);
  }
  static constexpr TypeSet kOneF16 = one_type(Type::F16), kOneBF16 = one_type(Type::BF16);
  static constexpr TypeSet kOneTF32 = one_type(Type::TF32), kOneS32 = one_type(Type::S32), kOneB1 = one_type(Type::B1);
  static constexpr Mod A = Mod::MatrixA, B = Mod::MatrixB, C = Mod::MatrixC;
  static constexpr ProductTypes kOfBF16 = product_of(kF32, kOneBF16);
};

struct Wmma : WmmaForms {
  static constexpr Card card{.name = "wmma",
                             .operands = "d, a, b, c",
                             .unit = kMatrixUnit,
                             .latency = kMatrixLatency,
                             .effect = Effect::Matrix,
                             .summary = "matrices of memory: load, product, store",
                             .manual = "9.7.14.4"};
  static constexpr std::array forms{
      load(A, kShapes, kOneF16, "d:8f16x2, [a]{, b:u32}", kFirst),
      load(B, kShapes, kOneF16, "d:8f16x2, [a]{, b:u32}", kFirst),
      load(C, kShapes, kOneF16, "d:4f16x2, [a]{, b:u32}", kFirst),
      load(C, kShapes, kF32, "d:8f32, [a]{, b:u32}", kFirst),
      load(A, kSquare, kOneBF16, "d:4bf16x2, [a]{, b:u32}", kSince80),
      load(A, kWide, kOneBF16, "d:2bf16x2, [a]{, b:u32}", kSince80),
      load(A, kTall, kOneBF16, "d:8bf16x2, [a]{, b:u32}", kSince80),
      load(B, kSquare, kOneBF16, "d:4bf16x2, [a]{, b:u32}", kSince80),
      load(B, kWide, kOneBF16, "d:8bf16x2, [a]{, b:u32}", kSince80),
      load(B, kTall, kOneBF16, "d:2bf16x2, [a]{, b:u32}", kSince80),
      load(A, kThin, kOneTF32, "d:4tf32, [a]{, b:u32}", kSince80),
      load(B, kThin, kOneTF32, "d:4tf32, [a]{, b:u32}", kSince80),
      load(C, kThin, kF32, "d:8f32, [a]{, b:u32}", kSince80),
      load(A, kDouble, kF64, "d:1b64, [a]{, b:u32}", kSince80),
      load(B, kDouble, kF64, "d:1b64, [a]{, b:u32}", kSince80),
      load(C, kDouble, kF64, "d:2b64, [a]{, b:u32}", kSince80),
      load(A, kSquare, kByte, "d:2b32, [a]{, b:u32}", kBytesSince),
      load(A, kWide, kByte, "d:1b32, [a]{, b:u32}", kBytesSince),
      load(A, kTall, kByte, "d:4b32, [a]{, b:u32}", kBytesSince),
      load(B, kSquare, kByte, "d:2b32, [a]{, b:u32}", kBytesSince),
      load(B, kWide, kByte, "d:4b32, [a]{, b:u32}", kBytesSince),
      load(B, kTall, kByte, "d:1b32, [a]{, b:u32}", kBytesSince),
      load(C, kShapes, kOneS32, "d:8s32, [a]{, b:u32}", kBytesSince),
      load(A, kNibbles, kNibble, "d:1b32, [a]{, b:u32}", kSmallSince, mods(Mod::RowA)),
      load(B, kNibbles, kNibble, "d:1b32, [a]{, b:u32}", kSmallSince, mods(Mod::ColA)),
      load(A, kBitShape, kOneB1, "d:1b32, [a]{, b:u32}", kSmallSince, mods(Mod::RowA)),
      load(B, kBitShape, kOneB1, "d:1b32, [a]{, b:u32}", kSmallSince, mods(Mod::ColA)),
      load(C, kNibbles | kBitShape, kOneS32, "d:2s32, [a]{, b:u32}", kSmallSince),
      store(kShapes, kOneF16, "[a], b:4f16x2{, c:u32}", kFirst),
      store(kShapes, kF32, "[a], b:8f32{, c:u32}", kFirst),
      store(kThin, kF32, "[a], b:8f32{, c:u32}", kSince80),
      store(kDouble, kF64, "[a], b:2b64{, c:u32}", kSince80),
      store(kShapes, kOneS32, "[a], b:8s32{, c:u32}", kBytesSince),
      store(kNibbles | kBitShape, kOneS32, "[a], b:2s32{, c:u32}", kSmallSince),
      halves(Type::F32, Type::F32, "d:8f32, a:8f16x2, b:8f16x2, c:8f32"),
      halves(Type::F32, Type::F16, "d:8f32, a:8f16x2, b:8f16x2, c:4f16x2"),
      halves(Type::F16, Type::F32, "d:4f16x2, a:8f16x2, b:8f16x2, c:8f32"),
      halves(Type::F16, Type::F16, "d:4f16x2, a:8f16x2, b:8f16x2, c:4f16x2"),
      product(any_layout(kSquare), kOfBF16, "d:8f32, a:4bf16x2, b:4bf16x2, c:8f32", kSince80),
      product(any_layout(kWide), kOfBF16, "d:8f32, a:2bf16x2, b:8bf16x2, c:8f32", kSince80),
      product(any_layout(kTall), kOfBF16, "d:8f32, a:8bf16x2, b:2bf16x2, c:8f32", kSince80),
      product(any_layout(kThin), product_of(kF32, kOneTF32), "d:8f32, a:4tf32, b:4tf32, c:8f32", kSince80),
      product(slots(one(Mod::MatrixMma), one(Mod::Sync), one(Mod::Aligned), one(kEitherA), one(kEitherB), one(kDouble),
                    kOptRounding),
              product_of(kF64, kF64), "d:2b64, a:1b64, b:1b64, c:2b64", kSince80)
          .type_after(7),
      integers(kSquare, Type::S8, "d:8s32, a:2b32, b:2b32, c:8s32"),
      integers(kSquare, Type::U8, "d:8s32, a:2b32, b:2b32, c:8s32"),
      integers(kWide, Type::S8, "d:8s32, a:1b32, b:4b32, c:8s32"),
      integers(kWide, Type::U8, "d:8s32, a:1b32, b:4b32, c:8s32"),
      integers(kTall, Type::S8, "d:8s32, a:4b32, b:1b32, c:8s32"),
      integers(kTall, Type::U8, "d:8s32, a:4b32, b:1b32, c:8s32"),
      nibbles(Type::S4),
      nibbles(Type::U4),
      bit_product(Mod::Xor, kSmallSince),
      bit_product(Mod::And, {71, 80})};
};

using WmmaCards = CardList<Wmma>;

}  // namespace warptime::ptx::inline WARPTIME_ISA
