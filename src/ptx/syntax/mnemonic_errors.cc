// What to say when an instruction's suffix words fit no form of its card.
#include <algorithm>

#include "ptx/isa/not_supported.h"
#include "ptx/syntax/mnemonic.h"

namespace warptime::ptx {

namespace {

bool has_type(const Form& form, Type type) {
  const auto sets = form.type_words();
  return std::any_of(sets.begin(), sets.end(), [type](TypeSet set) { return set.has(type); });
}

constexpr size_t kFormsShown = 5, kLongestForm = 80;

bool allowed_somewhere(const CardRow& card, std::string_view word) {
  auto type = type_named(word.substr(1));
  ModSet choices = mods_named(word);
  for (const Form& form : card.forms) {
    if (type && has_type(form, *type)) return true;
    for (size_t s = 0; s < form.slots.count; ++s)
      if (!(form.slots.list[s].choices & choices).empty()) return true;
  }
  return false;
}

/// How many of the words a form knows, whatever their order: the forms worth showing come first.
size_t likeness(const Form& form, const std::vector<SuffixWord>& words) {
  size_t known = 0;
  for (const SuffixWord& word : words) {
    auto type = type_named(word.text.substr(1));
    bool knows = type && has_type(form, *type);
    for (size_t s = 0; s < form.slots.count; ++s)
      knows = knows || !(form.slots.list[s].choices & mods_named(word.text)).empty();
    known += knows;
  }
  return known;
}

/// The forms nearest to the words, five at most. A long one leaves out the optional words that are not among them.
std::string legal_forms(const CardRow& card, const std::vector<SuffixWord>& words) {
  std::vector<std::pair<size_t, const Form*>> forms;
  for (const Form& form : card.forms) forms.emplace_back(likeness(form, words), &form);
  std::stable_sort(forms.begin(), forms.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> texts;
  for (const auto& [known, form] : forms) {
    std::string text = form_text(*card.card, *form);
    if (text.size() > kLongestForm) text = form_text(*card.card, *form, &words);
    if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(std::move(text));
  }
  size_t shown = std::min(texts.size(), kFormsShown);
  std::string out = texts.size() == 1 ? "legal form: " : "legal forms: ";
  out += fmt::format("{}", fmt::join(texts.begin(), texts.begin() + static_cast<ptrdiff_t>(shown), "; "));
  return texts.size() == shown ? out : out + fmt::format("; and {} more", texts.size() - shown);
}

std::string mods_text(ModSet set) {
  std::string out;
  for (size_t m = 0; m < kModNames.size(); ++m)
    if (set.has(static_cast<Mod>(m))) out += fmt::format("{}{}", out.empty() ? "" : " ", kModNames[m]);
  return out;
}

bool has_type(const std::vector<SuffixWord>& words) {
  for (const SuffixWord& word : words)
    if (type_named(word.text.substr(1))) return true;
  return false;
}

bool needs_type(const CardRow& card) {
  for (const Form& form : card.forms)
    if (form.types.empty()) return false;
  return true;
}

/// The word that alone makes the spelling illegal, if there is one: "set.lt.ftz.u32.s32".
std::string without_one(const CardRow& card, const std::vector<SuffixWord>& words) {
  for (size_t i = 0; i < words.size(); ++i) {
    std::vector<SuffixWord> fewer = words;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (!match_forms(card, fewer).empty()) return fmt::format("without {} it is legal; ", words[i].text);
  }
  return {};
}

std::vector<std::string_view> all_suffix_words() {
  std::vector<std::string_view> words(kModNames.begin(), kModNames.end());
  static constexpr std::string_view kTypeWords[] = {
#define X(name, spelling, bits, kind) "." spelling,
    PTX_TYPES(X)
#undef X
  };
  words.insert(words.end(), std::begin(kTypeWords), std::end(kTypeWords));
  return words;
}

/// The nearest that the instruction has; if none is near, of those that others have.
std::string near_suffix(const CardRow& card, std::string_view word) {
  std::vector<std::string_view> all = all_suffix_words(), own;
  std::copy_if(all.begin(), all.end(), std::back_inserter(own),
               [&](std::string_view suffix) { return allowed_somewhere(card, suffix); });
  std::string hint = did_you_mean(word, own);
  return hint.empty() ? did_you_mean(word, all) : hint;
}

}  // namespace

void explain_mismatch(const CardRow& card, const std::vector<SuffixWord>& words, SourceSpan where,
                      TokenStream& tokens) {
  std::string_view mnemonic = card.card->name;
  // No form has more: what follows is not looked at, so that a line of a million words costs no more than this one.
  constexpr size_t kMostWords = kMaxSlots + Form::kTypeWords;
  if (words.size() > kMostWords) {
    tokens.unsupported(words[kMostWords].where, fmt::format("\"{}\" has too many suffixes", mnemonic));
    return;
  }
  std::vector<std::string_view> texts;
  for (const SuffixWord& word : words) texts.push_back(word.text);
  auto not_supported = [&](const NotSupported& row, SourceSpan at, std::string_view of) {
    tokens.unsupported(at, fmt::format("{} is not supported: {} are not simulated", of, row.what), since_text(row));
  };
  if (const NotSupported* row = not_supported_instruction(mnemonic, texts))
    return not_supported(*row, where, fmt::format("\"{}\"", row->name));
  for (const SuffixWord& word : words) {
    bool is_type = type_named(word.text.substr(1)).has_value();
    const NotSupported* row = not_supported_word(mnemonic, word.text);
    if (row != nullptr && !allowed_somewhere(card, word.text))
      return not_supported(*row, word.where, fmt::format("\"{}\" of \"{}\"", word.text, mnemonic));
    if (!is_type && mods_named(word.text).empty()) {
      tokens.unsupported(word.where, fmt::format("unknown suffix \"{}\" of \"{}\"", word.text, mnemonic),
                         near_suffix(card, word.text));
      return;
    }
    if (!allowed_somewhere(card, word.text)) {
      tokens.unsupported(
          word.where,
          fmt::format("{} \"{}\" is not legal for \"{}\"", is_type ? "type" : "modifier", word.text, mnemonic),
          legal_forms(card, words));
      return;
    }
  }
  std::string spelled(mnemonic);
  for (const SuffixWord& word : words) spelled += word.text;
  if (const NotSupported* row = not_supported_pair(mnemonic, texts))
    return not_supported(*row, where, fmt::format("\"{}\"", spelled));
  if (!has_type(words) && needs_type(card))
    tokens.unsupported(where, fmt::format("\"{}\" needs a type", spelled), legal_forms(card, words));
  else if (std::string missing = mods_text(missing_words(card, words)); !missing.empty())
    tokens.unsupported(where, fmt::format("\"{}\" needs one of {}", spelled, missing), legal_forms(card, words));
  else
    tokens.unsupported(where, fmt::format("\"{}\" is not a legal combination", spelled),
                       without_one(card, words) + legal_forms(card, words));
}

}  // namespace warptime::ptx
