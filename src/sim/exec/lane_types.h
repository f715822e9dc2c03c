// Walks a form at compile time: the types of its operands and every combination of types and suffix words that may
// change a value.
#pragma once

#include <array>
#include <initializer_list>

#include "sim/exec/handler_key.h"

namespace warptime::sim {

/// Types of the operands of an instruction of the given types, by the rules of its card's operand list.
struct OperandTypes {
  ptx::Type destination = ptx::Type::None;
  std::array<ptx::Type, 5> sources{};
  size_t count = 0;
};

constexpr ptx::Type twice_as_wide(ptx::Type type) {
  using ptx::Type;
  constexpr std::array<std::array<Type, 2>, 4> kWide{
      {{Type::U16, Type::U32}, {Type::S16, Type::S32}, {Type::U32, Type::U64}, {Type::S32, Type::S64}}};
  for (const auto& [narrow, wide] : kWide)
    if (type == narrow) return wide;
  return type;
}

constexpr OperandTypes operand_types(std::string_view spec, ptx::Type type, ptx::Type type2) {
  OperandTypes out;
  auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  for (size_t at = 0; at < spec.size();) {
    if (!letter(spec[at])) {
      ++at;
      continue;
    }
    char role = spec[at++];
    ptx::Type t = type;
    // d|q:pred: the rule stands behind q.
    if (at < spec.size() && spec[at] == '|') at += 2;
    if (at < spec.size() && spec[at] == ':') {
      size_t end = ++at;
      while (end < spec.size() && letter(spec[end])) ++end;
      std::string_view rule = spec.substr(at, end - at);
      at = end;
      if (rule == "2") t = type2;
      else if (rule == "wide") t = twice_as_wide(type);
      else if (rule == "pred") t = ptx::Type::Pred;
      else if (rule == "u32" || rule == "imm") t = ptx::Type::U32;
      else if (rule == "s32") t = ptx::Type::S32;
    }
    if (role == 'd') out.destination = t;
    else out.sources[out.count++] = t;
  }
  return out;
}

template <class First, class... More>
struct FirstType {
  using type = First;
};
template <class... S>
using FirstOf = typename FirstType<S...>::type;

/// What is left of an instruction's spelling when its lanes are chosen.
struct Variant {
  ptx::ModSet mods{};
  ptx::Type type = ptx::Type::None;
  ptx::Type type2 = ptx::Type::None;
  constexpr bool operator==(const Variant&) const = default;
};

namespace detail {

/// Calls f(ModSet) for every choice of value-changing words in slots [slot, ...).
template <class F>
constexpr void for_each_spelling(const ptx::Form& form, size_t slot, ptx::ModSet chosen, const F& f) {
  if (slot == form.slots.count) return f(chosen);
  ptx::ModSet choices = form.slots.list[slot].choices & kValueMods;
  if (choices.empty() || form.slots.list[slot].optional) for_each_spelling(form, slot + 1, chosen, f);
  const uint64_t words[] = {choices.word0, choices.word1, choices.word2, choices.word3, choices.word4};
  for (unsigned w = 0; w < std::size(words); ++w) {
    for (uint64_t rest = words[w]; rest != 0; rest &= rest - 1) {
      auto mod = static_cast<ptx::Mod>(w * 64 + static_cast<unsigned>(std::countr_zero(rest)));
      for_each_spelling(form, slot + 1, chosen | ptx::ModSet::of(mod), f);
    }
  }
}

inline constexpr size_t kMostVariants = 512;
struct VariantList {
  std::array<Variant, kMostVariants> list{};
  size_t count = 0;
  constexpr void add(const Variant& v) {
    for (size_t i = 0; i < count; ++i)
      if (list[i] == v) return;
    list[count++] = v;
  }
};

constexpr VariantList variants_of(const ptx::Card& card, const ptx::Form& form) {
  VariantList out;
  constexpr size_t kTypes = ptx::kTypes.size();
  for (bool legacy : {false, true}) {
    for (size_t t = 0; t < kTypes; ++t) {
      auto type = static_cast<ptx::Type>(t);
      if (!form.types.has(type) || type == ptx::Type::Pred) continue;
      for (size_t t2 = 0; t2 <= kTypes; ++t2) {
        auto type2 = static_cast<ptx::Type>(t2);  // kTypes: None
        if (form.types2.empty() ? type2 != ptx::Type::None : !form.types2.has(type2)) continue;
        for_each_spelling(form, 0, {}, [&](ptx::ModSet spelled) {
          out.add({value_mods(card, form, spelled, type, type2, legacy), type, type2});
        });
      }
    }
  }
  return out;
}

}  // namespace detail

/// All variants of a form with a type; none for a form on predicates alone.
template <class Card, size_t form>
inline constexpr auto kVariants = [] {
  constexpr detail::VariantList all = detail::variants_of(Card::card, Card::forms[form]);
  std::array<Variant, all.count> out{};
  for (size_t i = 0; i < all.count; ++i) out[i] = all.list[i];
  return out;
}();

}  // namespace warptime::sim
