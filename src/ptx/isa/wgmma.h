// Asynchronous products of four warps. PTX ISA 9.0, section 9.7.15. A warpgroup is four warps, of which the first has a
// number that is a multiple of four; each computes 16 of the 64 rows of D. B is in shared memory, A there or in
// registers (descriptors: sim/exec/shared_matrix.h); D is in registers, and is there when a group is waited for.
#pragma once

#include <array>
#include <string_view>

#include "ptx/isa/matrix.h"

namespace warptime::ptx::inline WARPTIME_ISA {

/// Which N there are: multiples of 8 up to 256; of bytes and bits, above 32 multiples of 16.
constexpr bool is_product_width(Type element, uint32_t columns) {
  if (columns < 8 || columns > 256 || columns % 8 != 0) return false;
  const bool is_integer = element == Type::S8 || element == Type::U8 || element == Type::B1;
  return !is_integer || columns <= 32 || columns % 16 == 0;
}

struct WgmmaForms {
  static constexpr TypeSet kF16In = types(Type::F16);
  /// The forms of one type: A in shared memory, A in registers. `a`: its registers; `tail`: operands behind the
  /// predicate, with and without the one that says how A lies.
  struct Tail {
    std::string_view shared, registers;
  };
  static constexpr Slots words(Mod shape, bool sparse, Slot last) {
    Slots out = sparse ? slots(one(Mod::MmaAsync), one(Mod::Sparse), one(Mod::Sync), opt(Mod::Aligned), one(shape))
                       : slots(one(Mod::MmaAsync), one(Mod::Sync), opt(Mod::Aligned), one(shape));
    if (!last.choices.empty()) out.list[out.count++] = last;
    return out;
  }
  static constexpr Form form(Mod shape, bool sparse, ProductTypes of, std::string_view operands, uint16_t ptx,
                             Slot last = {}) {
    of.c = {};
    return typed(Form{.slots = words(shape, sparse, last)}, of)
        .type_after(sparse ? 5 : 4)
        .with(operands)
        .from(ptx, 90, 'a')
        .needs(Feature::Wgmma);
  }
  static constexpr ProductTypes of(TypeSet d, TypeSet a, TypeSet b) { return {d, a, b, {}}; }
  static constexpr Form bits(std::string_view operands) {
    Form out = form(Mod::M64K256, false, of(one_type(Type::S32), one_type(Type::B1), one_type(Type::B1)), operands, 80);
    out.slots.list[out.slots.count++] = one(Mod::And);
    out.slots.list[out.slots.count++] = one(Mod::Popc);
    return out;
  }
  static constexpr Form group(Mod word, std::string_view operands) {
    return Form{.slots = slots(one(word), one(Mod::Sync), opt(Mod::Aligned))}
        .with(operands)
        .in(Unit::Control)
        .from(80, 90, 'a')
        .needs(Feature::Wgmma);
  }

  /// Operands of the forms: those of A in shared memory, then of A in registers.
  using Pair = std::array<std::string_view, 2>;
  static constexpr Pair kHalves{"d:nf32, a:descriptor, b:descriptor, !p:addend, e:sign, f:sign, g:bit, h:bit",
                                "d:nf32, a:4f16x2, b:descriptor, !p:addend, e:sign, f:sign, h:bit"};
  static constexpr Pair kHalvesInF16{"d:nf16x2, a:descriptor, b:descriptor, !p:addend, e:sign, f:sign, g:bit, h:bit",
                                     "d:nf16x2, a:4f16x2, b:descriptor, !p:addend, e:sign, f:sign, h:bit"};
  static constexpr Pair kWords{"d:nf32, a:descriptor, b:descriptor, !p:addend, e:sign, f:sign",
                               "d:nf32, a:4tf32, b:descriptor, !p:addend, e:sign, f:sign"};
  static constexpr Pair kBytes{"d:nf32, a:descriptor, b:descriptor, !p:addend, e:sign, f:sign",
                               "d:nf32, a:4b32, b:descriptor, !p:addend, e:sign, f:sign"};
  static constexpr Pair kBytesInF16{"d:nf16x2, a:descriptor, b:descriptor, !p:addend, e:sign, f:sign",
                                    "d:nf16x2, a:4b32, b:descriptor, !p:addend, e:sign, f:sign"};
  static constexpr Pair kIntegers{"d:ns32, a:descriptor, b:descriptor, !p:addend",
                                  "d:ns32, a:4b32, b:descriptor, !p:addend"};
  // Those of a sparse A: m, its metadata, and s, which threads have them.
  static constexpr Pair kSparseHalves{
      "d:nf32, a:descriptor, b:descriptor, m:metadata, s:bit, !p:addend, e:sign, f:sign, g:bit, h:bit",
      "d:nf32, a:4f16x2, b:descriptor, m:metadata, s:bit, !p:addend, e:sign, f:sign, h:bit"};
  static constexpr Pair kSparseHalvesInF16{
      "d:nf16x2, a:descriptor, b:descriptor, m:metadata, s:bit, !p:addend, e:sign, f:sign, g:bit, h:bit",
      "d:nf16x2, a:4f16x2, b:descriptor, m:metadata, s:bit, !p:addend, e:sign, f:sign, h:bit"};
  static constexpr Pair kSparseWords{"d:nf32, a:descriptor, b:descriptor, m:metadata, s:bit, !p:addend, e:sign, f:sign",
                                     "d:nf32, a:4tf32, b:descriptor, m:metadata, s:bit, !p:addend, e:sign, f:sign"};
  static constexpr Pair kSparseBytes{
      "d:nf32, a:descriptor, b:descriptor, m:metadata, s:zero, !p:addend, e:sign, f:sign",
      "d:nf32, a:4b32, b:descriptor, m:metadata, s:zero, !p:addend, e:sign, f:sign"};
  static constexpr Pair kSparseBytesInF16{
      "d:nf16x2, a:descriptor, b:descriptor, m:metadata, s:zero, !p:addend, e:sign, f:sign",
      "d:nf16x2, a:4b32, b:descriptor, m:metadata, s:zero, !p:addend, e:sign, f:sign"};
  static constexpr Pair kSparseIntegers{"d:ns32, a:descriptor, b:descriptor, m:metadata, s:zero, !p:addend",
                                        "d:ns32, a:4b32, b:descriptor, m:metadata, s:zero, !p:addend"};

  static constexpr std::array<Form, 20> products(bool sparse) {
    std::array<Form, 20> out{};
    size_t count = 0;
    const uint16_t first = sparse ? 82 : 80;
    auto both = [&](Mod dense_shape, Mod sparse_shape, ProductTypes types, const Pair& dense_operands,
                    const Pair& sparse_operands, uint16_t ptx, Slot last = {}) {
      for (std::string_view operands : sparse ? sparse_operands : dense_operands)
        out[count++] = form(sparse ? sparse_shape : dense_shape, sparse, types, operands, ptx, last);
    };
    const TypeSet f32 = kF32, f16 = one_type(Type::F16), bf16 = one_type(Type::BF16), tf32 = one_type(Type::TF32);
    both(Mod::M64K16, Mod::M64K32, of(f32, f16, f16), kHalves, kSparseHalves, first);
    both(Mod::M64K16, Mod::M64K32, of(f16, f16, f16), kHalvesInF16, kSparseHalvesInF16, first);
    both(Mod::M64K16, Mod::M64K32, of(f32, bf16, bf16), kHalves, kSparseHalves, first);
    both(Mod::M64K8, Mod::M64K16, of(f32, tf32, tf32), kWords, kSparseWords, first);
    both(Mod::M64K32, Mod::M64K64, of(f32, kFp8, kFp8), kBytes, kSparseBytes, first);
    both(Mod::M64K32, Mod::M64K64, of(f16, kFp8, kFp8), kBytesInF16, kSparseBytesInF16, first);
    for (Type a : {Type::S8, Type::U8})
      for (Type b : {Type::S8, Type::U8})
        both(Mod::M64K32, Mod::M64K64, of(one_type(Type::S32), one_type(a), one_type(b)), kIntegers, kSparseIntegers,
             a == b ? first : 84, opt(Mod::Satfinite));
    return out;
  }
};

/// wgmma: D = A * B + D by a warpgroup, asynchronously, and what orders it with the rest.
struct WgmmaCard : WgmmaForms {
  static constexpr Card card{.name = "wgmma",
                             .operands = "",
                             .unit = kMatrixUnit,
                             .latency = kMatrixLatency,
                             .effect = Effect::AsyncMatrix,
                             .summary = "asynchronous product of two matrices by four warps",
                             .manual = "9.7.15"};
  static constexpr std::array forms =
      joined(products(false), products(true), std::array{bits(kIntegers[0]), bits(kIntegers[1])},
             std::array{group(Mod::FenceWord, " "), group(Mod::CommitGroup, " "), group(Mod::WaitGroup, "a:groups")});
};

using WgmmaCards = CardList<WgmmaCard>;

}  // namespace warptime::ptx::inline WARPTIME_ISA
