// Video instructions: integers of 8, 16 and 32 bits that lie in parts of registers. PTX ISA 9.0, sections 9.7.18 (one
// at a time, exact before it is cut or saturated) and 9.7.17 (two half words or four bytes side by side).
//
// The three types of an instruction are those of the result and of the two sources; the third is a word of a slot.
#pragma once

#include "ptx/isa/comparison.h"

namespace warptime::ptx::inline WARPTIME_ISA {

inline constexpr Slot kSourceType = one(mods(Mod::SourceU32, Mod::SourceS32));
inline constexpr Slot kSecondOperation = one(mods(Mod::Add, Mod::Min, Mod::Max));
inline constexpr Slot kVideoCompare = one(kCompareSigned);

/// The types come before all slots.
constexpr Form video_form(Slots slots, std::string_view operands) {
  return Form{.types = kInteger32, .types2 = kInteger32, .slots = slots}
      .with(operands)
      .type_after(0)
      .from(20, 20)
      .needs(Feature::Video);
}
/// A result; a result put in the place of a part of c; a result that a second operation combines with c.
template <class... S>
constexpr std::array<Form, 3> video_forms(S... words) {
  return {video_form(slots(words...), "d:u32, a:part, b:part"),
          video_form(slots(words...), "d:part, a:part, b:part, c:u32"),
          video_form(slots(words..., kSecondOperation), "d:u32, a:part, b:part, c:u32")};
}
inline constexpr std::array kVideoForms = video_forms(kSourceType, kOptSat);

constexpr Card video_card(std::string_view name, std::string_view summary, Latency latency = Latency::IntAlu) {
  return {.name = name,
          .operands = "d, a, b",
          .latency = latency,
          .effect = Effect::Collective,
          .summary = summary,
          .manual = "9.7.18"};
}

struct Vadd {
  static constexpr Card card = video_card("vadd", "add parts of registers");
  static constexpr auto forms = kVideoForms;
};
struct Vsub {
  static constexpr Card card = video_card("vsub", "subtract parts of registers");
  static constexpr auto forms = kVideoForms;
};
struct Vabsdiff {
  static constexpr Card card = video_card("vabsdiff", "absolute difference of parts of registers");
  static constexpr auto forms = kVideoForms;
};
struct Vmin {
  static constexpr Card card = video_card("vmin", "minimum of parts of registers");
  static constexpr auto forms = kVideoForms;
};
struct Vmax {
  static constexpr Card card = video_card("vmax", "maximum of parts of registers");
  static constexpr auto forms = kVideoForms;
};

/// vshl, vshr: a shift by b, which is unsigned: at most 32 (.clamp) or modulo 32 (.wrap).
inline constexpr std::array kVideoShifts = video_forms(one(Mod::SourceU32), kOptSat, one(mods(Mod::Clamp, Mod::Wrap)));
struct Vshl {
  static constexpr Card card = video_card("vshl", "shift a part of a register left");
  static constexpr auto forms = kVideoShifts;
};
struct Vshr {
  static constexpr Card card = video_card("vshr", "shift a part of a register right");
  static constexpr auto forms = kVideoShifts;
};

/// vmad: a * b + c, one of whose terms may be negated, or one more (.po); exact, then shifted right (.shr7, .shr15).
struct Vmad {
  static constexpr Card card = video_card("vmad", "multiply and add parts of registers", Latency::IntMul);
  static constexpr std::array forms{
      video_form(slots(kSourceType, opt(Mod::PlusOne), kOptSat, opt(mods(Mod::Shr7, Mod::Shr15))),
                 "d:u32, -a:part, -b:part, -c:u32")};
};

/// vset: 1 if the comparison is true, else 0. Its types are those of the sources.
struct Vset {
  static constexpr Card card = video_card("vset", "compare parts of registers");
  static constexpr auto forms = video_forms(kVideoCompare);
};

/// Two half words or four bytes: those of the result that the mask names are put in the place of those of c; or
/// they are added to c.
constexpr std::array<Form, 2> simd_forms(Slots words, std::string_view operands) {
  Slots sums = words;
  if (words.list[words.count - 1] == kOptSat) --sums.count;  // sums are not saturated
  sums.list[sums.count++] = one(Mod::Add);
  return {video_form(words, operands).from(30, 30).needs(Feature::VideoSimd),
          video_form(sums, operands).from(30, 30).needs(Feature::VideoSimd)};
}
inline constexpr std::string_view kTwoHalves = "d:halves, a:halves, b:halves, c:register";
inline constexpr std::string_view kFourBytes = "d:bytes, a:bytes, b:bytes, c:register";
inline constexpr std::array kHalvesForms = simd_forms(slots(kSourceType, kOptSat), kTwoHalves);
inline constexpr std::array kBytesForms = simd_forms(slots(kSourceType, kOptSat), kFourBytes);

constexpr Card simd_card(std::string_view name, std::string_view summary) {
  Card card = video_card(name, summary);
  card.operands = "d, a, b, c";
  card.manual = "9.7.17";
  return card;
}

struct Vadd2 {
  static constexpr Card card = simd_card("vadd2", "add two half words");
  static constexpr auto forms = kHalvesForms;
};
struct Vsub2 {
  static constexpr Card card = simd_card("vsub2", "subtract two half words");
  static constexpr auto forms = kHalvesForms;
};
struct Vavrg2 {
  static constexpr Card card = simd_card("vavrg2", "average of two half words");
  static constexpr auto forms = kHalvesForms;
};
struct Vabsdiff2 {
  static constexpr Card card = simd_card("vabsdiff2", "absolute difference of two half words");
  static constexpr auto forms = kHalvesForms;
};
struct Vmin2 {
  static constexpr Card card = simd_card("vmin2", "minimum of two half words");
  static constexpr auto forms = kHalvesForms;
};
struct Vmax2 {
  static constexpr Card card = simd_card("vmax2", "maximum of two half words");
  static constexpr auto forms = kHalvesForms;
};
struct Vset2 {
  static constexpr Card card = simd_card("vset2", "compare two half words");
  static constexpr auto forms = simd_forms(slots(kVideoCompare), kTwoHalves);
};
struct Vadd4 {
  static constexpr Card card = simd_card("vadd4", "add four bytes");
  static constexpr auto forms = kBytesForms;
};
struct Vsub4 {
  static constexpr Card card = simd_card("vsub4", "subtract four bytes");
  static constexpr auto forms = kBytesForms;
};
struct Vavrg4 {
  static constexpr Card card = simd_card("vavrg4", "average of four bytes");
  static constexpr auto forms = kBytesForms;
};
struct Vabsdiff4 {
  static constexpr Card card = simd_card("vabsdiff4", "absolute difference of four bytes");
  static constexpr auto forms = kBytesForms;
};
struct Vmin4 {
  static constexpr Card card = simd_card("vmin4", "minimum of four bytes");
  static constexpr auto forms = kBytesForms;
};
struct Vmax4 {
  static constexpr Card card = simd_card("vmax4", "maximum of four bytes");
  static constexpr auto forms = kBytesForms;
};
struct Vset4 {
  static constexpr Card card = simd_card("vset4", "compare four bytes");
  static constexpr auto forms = simd_forms(slots(kVideoCompare), kFourBytes);
};

using VideoCards = CardList<Vadd, Vsub, Vabsdiff, Vmin, Vmax, Vshl, Vshr, Vmad, Vset, Vadd2, Vsub2, Vavrg2, Vabsdiff2,
                            Vmin2, Vmax2, Vset2, Vadd4, Vsub4, Vavrg4, Vabsdiff4, Vmin4, Vmax4, Vset4>;

}  // namespace warptime::ptx::inline WARPTIME_ISA
