// Matching suffix words with slots. Words may come in another order than the manual's where that is unambiguous (old
// compilers did so); types keep their place after or between the slots.
#include "ptx/syntax/mnemonic.h"

#include <algorithm>

#include "base/ascii.h"

namespace warptime::ptx {

namespace {

/// Words of txq and suq.
constexpr ModSet kAskedOfTextures = mods(Mod::Width, Mod::Height, Mod::Depth, Mod::ArraySize, Mod::Levels, Mod::Samples,
                                         Mod::ChannelType, Mod::ChannelOrder, Mod::Normalized);

/// N of a shape of 64 rows; kMaxColumns + 1 if it is none.
constexpr uint32_t kMaxColumns = 999;
constexpr std::string_view kRows = ".m64n";
struct WideShape {
  uint32_t columns = 0;    // 0: the word is none
  std::string_view depth;  // "k16"
};
WideShape wide_shape(std::string_view word) {
  if (!word.starts_with(kRows)) return {};
  size_t at = kRows.size();
  uint32_t columns = 0;
  for (; at < word.size() && ascii::is_digit(word[at]) && columns <= kMaxColumns; ++at)
    columns = 10 * columns + static_cast<uint32_t>(word[at] - '0');
  const bool is_number = at > kRows.size() && word[kRows.size()] != '0' && columns <= kMaxColumns;
  return is_number ? WideShape{columns, word.substr(at)} : WideShape{};
}

/// The word of a suffix, with its N.
std::string word_text(Mod mod, uint32_t columns) {
  std::string out(name(mod));
  if (columns != 0 && out.starts_with(kRows)) out.replace(kRows.size(), 1, fmt::format("{}", columns));
  return out;
}

size_t slots_before_type(const Form& form) { return std::min<size_t>(form.type_slot, form.slots.count); }

Space space_of(ModSet mods) {
  if (mods.has(Mod::Const)) return Space::Const;
  if (mods.has(Mod::Global)) return Space::Global;
  if (mods.has(Mod::Local)) return Space::Local;
  if (mods.has(Mod::Param) || mods.has(Mod::ParamEntry) || mods.has(Mod::ParamFunc)) return Space::Param;
  if (mods.has(Mod::Shared) || mods.has(Mod::SharedCta) || mods.has(Mod::SharedCluster)) return Space::Shared;
  if (dimensions_of(mods) != 0 || !(mods & kAskedOfTextures).empty()) return Space::Tex;
  return Space::None;
}

uint8_t vector_of(ModSet mods) {
  if (mods.has(Mod::V8)) return 8;
  if (mods.has(Mod::V4)) return 4;
  return mods.has(Mod::V2) ? 2 : 1;
}

/// Their place says whether they are of A or of B.
constexpr ModSet kLayouts = mods(Mod::RowA, Mod::ColA, Mod::RowB, Mod::ColB);

/// The first free slot that takes one of `choices`, from `from` on or else before it; kMaxSlots if there is none.
size_t find_slot(const Form& form, ModSet choices, uint32_t used, size_t from) {
  auto takes = [&](size_t s) { return !((used >> s) & 1) && !(form.slots.list[s].choices & choices).empty(); };
  for (size_t s = from; s < form.slots.count; ++s)
    if (takes(s)) return s;
  if (!(choices & kLayouts).empty()) return kMaxSlots;
  for (size_t s = 0; s < from; ++s)
    if (takes(s)) return s;
  return kMaxSlots;
}

/// ptxas takes most words also behind a type (GCC writes set.u32.ge.s32), but not these.
bool precedes_type(ModSet words) { return !(words & mods(Mod::Lo, Mod::Hi, Mod::Wide, Mod::Full)).empty(); }

/// Whether the words fit, but for slots that must be filled and are not: those go to `missing`.
bool match(const Form& form, const std::vector<SuffixWord>& words, Spelling& out, std::vector<size_t>& missing) {
  out.form = &form;
  missing.clear();
  uint32_t used = 0;
  size_t next = 0, type_count = 0;
  const auto sets = form.type_words();
  std::array<Type, Form::kTypeWords> found{Type::None, Type::None, Type::None, Type::None};
  bool behind_type = false;
  for (const SuffixWord& word : words) {
    if (auto type = type_named(word.text.substr(1))) {
      if (type_count < sets.size() && sets[type_count].has(*type)) {
        found[type_count++] = *type;
        continue;
      }
    }
    ModSet choices = mods_named(word.text);
    size_t slot = find_slot(form, choices, used, next);
    if (slot == kMaxSlots) return false;
    if (type_count > 0 && slot < slots_before_type(form)) {
      if (precedes_type(choices & form.slots.list[slot].choices)) return false;
      behind_type = true;
    }
    if (const uint32_t columns = wide_shape(word.text).columns; columns != 0)
      out.columns = static_cast<uint16_t>(columns);
    // Two Mods may share a spelling, but no slot has both.
    out.mods = out.mods | (choices & form.slots.list[slot].choices);
    used |= 1u << slot;
    next = slot + 1;
  }
  if (type_count < sets.size() && !sets[type_count].empty()) return false;
  for (size_t s = 0; s < form.slots.count; ++s)
    if (!form.slots.list[s].optional && !((used >> s) & 1)) missing.push_back(s);
  if (behind_type && !missing.empty()) return false;
  out.type = found[0];
  out.type2 = found[1];
  out.type3 = found[2];
  out.type4 = found[3];
  out.space = space_of(out.mods);
  out.vector = vector_of(out.mods);
  return true;
}

void append_types(std::string& out, TypeSet set) {
  if (set.empty()) return;
  std::string list;
  size_t count = 0;
  for (size_t i = 0; i < kTypes.size(); ++i) {
    if (!set.has(static_cast<Type>(i))) continue;
    list += fmt::format("{}{}", count++ ? "," : "", kTypes[i].name);
  }
  out += count > 1 ? fmt::format(".{{{}}}", list) : "." + list;
}

void append_slot(std::string& out, const Slot& slot) {
  std::string list;
  size_t count = 0;
  for (size_t m = 0; m < kModNames.size(); ++m)
    if (slot.choices.has(static_cast<Mod>(m))) list += fmt::format("{}{}", count++ ? "|" : "", kModNames[m]);
  if (slot.optional) out += fmt::format("{{{}}}", list);
  else out += count > 1 ? fmt::format("({})", list) : list;
}

}  // namespace

ModSet mods_named(std::string_view text) {
  static const auto table = [] {
    std::unordered_map<std::string_view, ModSet> map;
    for (size_t m = 0; m < kModNames.size(); ++m) {
      ModSet& set = map[kModNames[m]];
      set = set | ModSet::of(static_cast<Mod>(m));
    }
    return map;
  }();
  auto it = table.find(text);
  if (it != table.end()) return it->second;
  if (const WideShape shape = wide_shape(text); shape.columns != 0) [[unlikely]] {
    it = table.find(fmt::format("{}N{}", kRows, shape.depth));
    if (it != table.end()) return it->second;
  }
  return {};
}

std::vector<Spelling> match_forms(const CardRow& card, const std::vector<SuffixWord>& words) {
  std::vector<Spelling> found;
  std::vector<size_t> missing;
  for (const Form& form : card.forms) {
    Spelling spelling;
    spelling.card = &card;
    if (!match(form, words, spelling, missing) || !missing.empty()) continue;
    spelling.rules = parse_operand_rules(operands_of(*card.card, form));
    for (OperandRule& rule : spelling.rules.list)  // 64 rows of D by 128 threads
      if (rule.by_columns)
        rule.registers = static_cast<uint8_t>(spelling.columns / (bits(spelling.type) == 16 ? 4 : 2));
    found.push_back(spelling);
  }
  return found;
}

ModSet missing_words(const CardRow& card, const std::vector<SuffixWord>& words) {
  ModSet out;
  std::vector<size_t> missing;
  for (const Form& form : card.forms) {
    Spelling spelling;
    if (match(form, words, spelling, missing) && missing.size() == 1) out = out | form.slots.list[missing[0]].choices;
  }
  return out;
}

std::string form_text(const Card& card, const Form& form, const std::vector<SuffixWord>* words) {
  std::string out(card.name);
  ModSet given;
  TypeSet types;
  if (words != nullptr) {
    for (const SuffixWord& word : *words) {
      given = given | mods_named(word.text);
      if (auto type = type_named(word.text.substr(1))) types = types | ptx::types(*type);
    }
  }
  auto slot = [&](size_t s) {
    Slot shown = form.slots.list[s];
    ModSet chosen = shown.choices & given;
    if (words != nullptr && chosen.empty() && shown.optional) return;
    if (!chosen.empty()) shown = {chosen, false};
    append_slot(out, shown);
  };
  auto type = [&](TypeSet set) {
    append_types(out, (set.mask & types.mask) == 0 ? set : TypeSet{set.mask & types.mask});
  };
  size_t before = slots_before_type(form);
  for (size_t s = 0; s < before; ++s) slot(s);
  for (TypeSet set : form.type_words()) type(set);
  for (size_t s = before; s < form.slots.count; ++s) slot(s);
  return out;
}

std::string spelling_text(const Card& card, const Form& form, ModSet mods, std::array<Type, Form::kTypeWords> types,
                          uint32_t columns) {
  std::string out(card.name);
  auto append = [&](size_t s) {
    for (size_t m = 0; m < kModNames.size(); ++m)
      if ((mods & form.slots.list[s].choices).has(static_cast<Mod>(m))) out += word_text(static_cast<Mod>(m), columns);
  };
  size_t before = slots_before_type(form);
  for (size_t s = 0; s < before; ++s) append(s);
  for (Type type : types)
    if (type != Type::None) out += fmt::format(".{}", name(type));
  for (size_t s = before; s < form.slots.count; ++s) append(s);
  return out;
}

}  // namespace warptime::ptx
