// Comparison and selection. PTX ISA 9.0, section 9.7.6; the operators are those of 9.3.
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

/// setp: p = (a op b) combined with c; q = !(a op b) combined with c.
struct Setp {
  static constexpr Card card{
      .name = "setp", .operands = "d|q:pred, a, b", .summary = "compare into predicates", .manual = "9.7.6.2"};
  static constexpr bool combines = true;  // c is no argument of the lanes: it combines the finished masks
  static constexpr std::string_view kCombined = "d|q:pred, a, b, !c:pred";
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
      double_form(slots(one(kCompareFloat), one(kCombine))).with(kCombined)};
  static constexpr LaneKind kind(ModSet m) { return compare_kind(m); }
  template <ModSet M, class P, class V>
  static P lanes(V a, V b) {
    return compare<M>(a, b);
  }
};

/// set: the same as a number: all ones (1.0 for f32) if true, else zero. The manual has .ftz for comparisons of f32
/// alone.
struct Set {
  static constexpr Card card{
      .name = "set", .operands = "d, a:2, b:2", .summary = "compare into a register", .manual = "9.7.6.1"};
  static constexpr bool combines = true;
  static constexpr std::string_view kCombined = "d, a:2, b:2, !c:pred";
  static constexpr TypeSet kResult = types(Type::U32, Type::S32, Type::F32);
  static constexpr std::array forms{
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
  static constexpr LaneKind kind(ModSet m) { return compare_kind(m); }
  template <ModSet M, class P, class V>
  static P lanes(V a, V b) {
    return compare<M>(a, b);
  }
};

/// selp: d = c ? a : b.
struct Selp {
  static constexpr Card card{.name = "selp",
                             .operands = "d:bits, a:bits, b:bits, c:pred",
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

}  // namespace warptime::ptx::inline WARPTIME_ISA
