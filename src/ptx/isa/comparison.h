// Comparison and selection. PTX ISA 9.0, sections 9.7.6 and 9.7.7; the operators are those of 9.3.
#pragma once

#include "ptx/isa/float_lanes.h"

namespace warptime::ptx::inline WARPTIME_ISA {

/// The mask of `a op b`. Ordered comparisons are false if there is a NaN, the others (.equ ...) true.
template <ModSet M, class V>
inline Mask<V> compare(V a, V b) {
  if constexpr (kIsFloat<V>) {
    a = flush<M>(a);
    b = flush<M>(b);
  }
  if constexpr (M.has(Mod::Eq)) return mask_of<V>(a == b);
  if constexpr (M.has(Mod::Ne)) return mask_of<V>(a < b) | mask_of<V>(a > b);
  if constexpr (M.has(Mod::Lt)) return mask_of<V>(a < b);
  if constexpr (M.has(Mod::Le)) return mask_of<V>(a <= b);
  if constexpr (M.has(Mod::Gt)) return mask_of<V>(a > b);
  if constexpr (M.has(Mod::Ge)) return mask_of<V>(a >= b);
  if constexpr (M.has(Mod::Equ)) return ~(mask_of<V>(a < b) | mask_of<V>(a > b));
  if constexpr (M.has(Mod::Neu)) return mask_of<V>(a != b);
  if constexpr (M.has(Mod::Ltu)) return ~mask_of<V>(a >= b);
  if constexpr (M.has(Mod::Leu)) return ~mask_of<V>(a > b);
  if constexpr (M.has(Mod::Gtu)) return ~mask_of<V>(a <= b);
  if constexpr (M.has(Mod::Geu)) return ~mask_of<V>(a < b);
  auto number = mask_of<V>(a == a) & mask_of<V>(b == b);
  return M.has(Mod::Num) ? number : ~number;
}
/// Signs do not matter to equality.
constexpr LaneKind compare_kind(ModSet m) {
  return m.has(Mod::Eq) || m.has(Mod::Ne) ? LaneKind::SignFree : LaneKind::Exact;
}

inline constexpr ModSet kCompareBits = mods(Mod::Eq, Mod::Ne);
inline constexpr ModSet kCompareSigned = mods(Mod::Eq, Mod::Ne, Mod::Lt, Mod::Le, Mod::Gt, Mod::Ge);
inline constexpr ModSet kCompareUnsigned = kCompareSigned | mods(Mod::Lo_, Mod::Ls, Mod::Hi_, Mod::Hs);
inline constexpr ModSet kCompareFloat =
    kCompareSigned | mods(Mod::Equ, Mod::Neu, Mod::Ltu, Mod::Leu, Mod::Gtu, Mod::Geu, Mod::Num, Mod::Nan);
inline constexpr ModSet kCombine = mods(Mod::And, Mod::Or, Mod::Xor);

/// Comparisons of half-precision numbers, without their types.
inline constexpr Form kOfF16 = f16_form(slots(one(kCompareFloat), kOptFtz));
inline constexpr Form kOfBF16 = bf16_form(slots(one(kCompareFloat)));
/// A comparison whose result is combined with a predicate: that word stands behind the comparison's.
constexpr Form combining(Form form) {
  for (size_t i = form.slots.count++; i > 1; --i) form.slots.list[i] = form.slots.list[i - 1];
  form.slots.list[1] = one(kCombine);
  return form;
}

/// A half-precision 1.0 or 0 from comparing other numbers.
constexpr Form to_f16(TypeSet source, ModSet comparisons) {
  return f16_form(slots(one(comparisons))).typed(types(Type::F16), source);
}
constexpr Form to_bf16(TypeSet source, ModSet comparisons) {
  return bf16_form(slots(one(comparisons))).typed(types(Type::BF16), source);
}

/// setp: p = (a op b) combined with c; q = !(a op b) combined with c. Of two numbers side by side p compares the lower
/// ones and q the upper ones; of one half-precision number there is no q.
struct Setp {
  static constexpr Card card{
      .name = "setp", .operands = "d|q:pred, a, b", .summary = "compare into predicates", .manual = "9.7.6.2"};
  static constexpr bool combines = true;  // c is not an argument of the lanes: it combines the finished masks
  static constexpr std::string_view kCombined = "d|q:pred, a, b, !c:pred";
  static constexpr std::string_view kHalf = "d:pred, a, b", kHalfCombined = "d:pred, a, b, !c:pred";
  static constexpr std::array forms{
      Form{.types = kBits, .slots = slots(one(kCompareBits))},
      Form{.types = kUnsigned, .slots = slots(one(kCompareUnsigned))},
      Form{.types = kSigned, .slots = slots(one(kCompareSigned))},
      Form{.types = kF32, .slots = slots(one(kCompareFloat), kOptFtz)}.takes(Latency::FloatAlu),
      double_form(slots(one(kCompareFloat))),
      Form{.types = kBits, .slots = slots(one(kCompareBits), one(kCombine))}.with(kCombined),
      Form{.types = kUnsigned, .slots = slots(one(kCompareUnsigned), one(kCombine))}.with(kCombined),
      Form{.types = kSigned, .slots = slots(one(kCompareSigned), one(kCombine))}.with(kCombined),
      Form{.types = kF32, .slots = slots(one(kCompareFloat), one(kCombine), kOptFtz)}.with(kCombined).takes(
          Latency::FloatAlu),
      double_form(slots(one(kCompareFloat), one(kCombine))).with(kCombined),
      kOfF16.typed(types(Type::F16), {}).with(kHalf),
      kOfF16.typed(types(Type::F16x2), {}),
      kOfBF16.typed(types(Type::BF16), {}).with(kHalf),
      kOfBF16.typed(types(Type::BF16x2), {}),
      combining(kOfF16.typed(types(Type::F16), {})).with(kHalfCombined),
      combining(kOfF16.typed(types(Type::F16x2), {})).with(kCombined),
      combining(kOfBF16.typed(types(Type::BF16), {})).with(kHalfCombined),
      combining(kOfBF16.typed(types(Type::BF16x2), {})).with(kCombined)};
  static constexpr LaneKind kind(ModSet m) { return compare_kind(m); }
  template <ModSet M, class P, class V>
  static P lanes(V a, V b) {
    return compare<M>(a, b);
  }
};

/// set: the same as a number: all ones (1.0 for floating point) if true, else zero; of two half-precision numbers two
/// such halves. The manual has .ftz for comparisons of f32 and f16 alone.
struct Set {
  static constexpr Card card{
      .name = "set", .operands = "d, a:2, b:2", .summary = "compare into a register", .manual = "9.7.6.1"};
  static constexpr bool combines = true;
  static constexpr std::string_view kCombined = "d, a:2, b:2, !c:pred";
  static constexpr TypeSet kResult = types(Type::U32, Type::S32, Type::F32);
  static constexpr TypeSet kOfHalf = kInteger32 | kInteger16;  // whole registers from one comparison
  static constexpr std::array kHalfForms{kOfF16.typed(kOfHalf, types(Type::F16)).from(65, 53),
                                         kOfF16.typed(kInteger32, types(Type::F16x2)).from(65, 53),
                                         kOfF16.typed(types(Type::F16), types(Type::F16)),
                                         kOfF16.typed(types(Type::F16x2), types(Type::F16x2)),
                                         to_bf16(types(Type::F16), kCompareFloat),
                                         kOfBF16.typed(kOfHalf | types(Type::BF16), types(Type::BF16)),
                                         kOfBF16.typed(kInteger32 | types(Type::BF16x2), types(Type::BF16x2)),
                                         to_f16(kBits, kCompareBits),
                                         to_f16(kUnsigned, kCompareUnsigned),
                                         to_f16(kSigned, kCompareSigned),
                                         kOfF16.typed(types(Type::F16), kF32),
                                         to_f16(kF64, kCompareFloat),
                                         to_bf16(kBits, kCompareBits),
                                         to_bf16(kUnsigned, kCompareUnsigned),
                                         to_bf16(kSigned, kCompareSigned),
                                         to_bf16(kF32 | kF64, kCompareFloat)};
  static constexpr std::array kOtherForms{
      Form{.types = kResult, .types2 = kBits, .slots = slots(one(kCompareBits))},
      Form{.types = kResult, .types2 = kUnsigned, .slots = slots(one(kCompareUnsigned))},
      Form{.types = kResult, .types2 = kSigned, .slots = slots(one(kCompareSigned))},
      Form{.types = kResult, .types2 = kF32, .slots = slots(one(kCompareFloat), kOptFtz)}.takes(Latency::FloatAlu),
      double_form(slots(one(kCompareFloat))).typed(kResult, kF64),
      Form{.types = kResult, .types2 = kBits, .slots = slots(one(kCompareBits), one(kCombine))}.with(kCombined),
      Form{.types = kResult, .types2 = kUnsigned, .slots = slots(one(kCompareUnsigned), one(kCombine))}.with(kCombined),
      Form{.types = kResult, .types2 = kSigned, .slots = slots(one(kCompareSigned), one(kCombine))}.with(kCombined),
      Form{.types = kResult, .types2 = kF32, .slots = slots(one(kCompareFloat), one(kCombine), kOptFtz)}
          .with(kCombined)
          .takes(Latency::FloatAlu),
      double_form(slots(one(kCompareFloat), one(kCombine))).typed(kResult, kF64).with(kCombined)};
  static constexpr auto forms = [] {
    std::array<Form, kOtherForms.size() + 2 * kHalfForms.size()> all{};
    size_t count = 0;
    for (const Form& form : kOtherForms) all[count++] = form;
    for (const Form& form : kHalfForms) {
      all[count++] = form;
      all[count++] = combining(form).with(kCombined);
    }
    return all;
  }();
  static constexpr LaneKind kind(ModSet m) { return compare_kind(m); }
  template <ModSet M, class P, class V>
  static P lanes(V a, V b) {
    return compare<M>(a, b);
  }
};

/// selp: d = c ? a : b.
struct Selp {
  static constexpr Card card{.name = "selp",
                             .operands = "d:bits, a:bits, b:bits, !c:pred",
                             .summary = "select by a predicate",
                             .manual = "9.7.6.3"};
  static constexpr std::array forms{Form{.types = kBits | kInteger | types(Type::F32, Type::F64)}};
  static constexpr LaneKind kind(ModSet) { return LaneKind::Bits; }
  template <ModSet M, class V, class P>
  static V lanes(V a, V b, P c) {
    return select(c, a, b);
  }
};

/// slct: d = c >= 0 ? a : b; a NaN selects b, and -0 counts as 0.
struct Slct {
  static constexpr Card card{
      .name = "slct", .operands = "d:bits, a:bits, b:bits, c:2", .summary = "select by a sign", .manual = "9.7.6.4"};
  static constexpr TypeSet kValue = kBits | kInteger | types(Type::F32, Type::F64);
  static constexpr std::array forms{
      Form{.types = kValue, .types2 = types(Type::S32)},
      Form{.types = kValue, .types2 = kF32, .slots = slots(kOptFtz)}.takes(Latency::FloatAlu)};
  template <ModSet M, class V, class C>
  static V lanes(V a, V b, C c) {
    if constexpr (kIsFloat<C>) c = flush<M>(c);
    return select(to<Sint<Lane<V>>>(mask_of<C>(c >= C{})), a, b);
  }
};

using ComparisonCards = CardList<Setp, Set, Selp, Slct>;

}  // namespace warptime::ptx::inline WARPTIME_ISA
