// The key of an instruction's compiled lane code: its card, form, types, and the suffix words that change a value. The
// lists of handlers (compiled for each host instruction set) and the decoder compute the key with the same function.
#pragma once

#include "ptx/isa/card.h"
#include "sim/exec/insn.h"

namespace warptime::sim {

struct HandlerKey {
  ptx::CardId card = 0;
  uint8_t form = 0;  // index in the card's forms
  ptx::Type type = ptx::Type::None;
  ptx::Type type2 = ptx::Type::None;
  ptx::ModSet mods{};
  constexpr bool operator==(const HandlerKey&) const = default;
};

/// The suffix words that may change a value; spaces, orders, scopes, caches and how masks are combined do not.
inline constexpr ptx::ModSet kValueMods = [] {
  using enum ptx::Mod;
  return ptx::kRounding | ptx::kIntRounding | ptx::mods(Rna) |
         ptx::mods(Approx, Full, Ftz, Sat, Satfinite, Oob, Relu, NaN, XorSign, Abs, Lo, Hi, Wide, Left, Right, Wrap,
                   Clamp, ShiftAmt) |
         ptx::mods(Eq, Ne, Lt, Le, Gt, Ge, Lo_, Ls, Hi_, Hs, Equ, Neu, Ltu, Leu, Gtu, Geu, Num, Nan) |
         ptx::mods(F4e, B4e, Rc8, Ecl, Ecr, Rc16, Finite, Infinite, Number, NotANumber, Normal, Subnormal);
}();

constexpr bool has_slot(const ptx::Form& form, ptx::Mod mod) {
  for (size_t i = 0; i < form.slots.count; ++i)
    if (form.slots.list[i].choices.has(mod)) return true;
  return false;
}

/// The words on which the lanes depend, with what is left out filled in. `legacy`: sm_1x, where f32 subnormals are
/// always flushed (PTX ISA 9.7.3) and mad.f32 without a rounding has a rule of its own (9.7.3.7).
constexpr ptx::ModSet value_mods(const ptx::Card& card, const ptx::Form& form, ptx::ModSet mods, ptx::Type type,
                                 ptx::Type type2, bool legacy) {
  using ptx::Mod, ptx::ModSet;
  ModSet m = mods & kValueMods;
  auto rename = [&m](Mod from, Mod to) {
    if (m.has(from)) m = m.without(ModSet::of(from)) | ModSet::of(to);
  };
  rename(Mod::Lo_, Mod::Lt);
  rename(Mod::Ls, Mod::Le);
  rename(Mod::Hi_, Mod::Gt);
  rename(Mod::Hs, Mod::Ge);
  ptx::Type source = type2 == ptx::Type::None ? type : type2;
  bool sources_f32 = source == ptx::Type::F32 || source == ptx::Type::F32x2, sources_f64 = source == ptx::Type::F64;
  bool narrows = sources_f64 && type == ptx::Type::F32;
  bool approximates = sources_f64 && has_slot(form, Mod::Approx), sources_half = ptx::is_half(source);
  if (!sources_f32 && !sources_half && !narrows && !approximates)
    m = m.without(ModSet::of(Mod::Ftz));  // integers, and results that are never subnormal
  else if (legacy && has_slot(form, Mod::Ftz)) m = m | ModSet::of(Mod::Ftz);
  if ((sources_f32 || sources_f64 || sources_half) && (m & ptx::kRounding).empty() && has_slot(form, Mod::Rn) &&
      !(legacy && sources_f32 && card.truncates_on_sm_1x))
    m = m | ModSet::of(Mod::Rn);
  if (has_slot(form, Mod::Approx) && !m.has(Mod::Full)) m = m | ModSet::of(Mod::Approx);
  return m;
}

}  // namespace warptime::sim
