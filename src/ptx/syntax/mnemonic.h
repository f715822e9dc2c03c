// An instruction's spelling (mnemonic and suffix words) matched with the forms of its card. Each different spelling of
// a module is analysed once and cached.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ptx/isa/card.h"
#include "ptx/syntax/operand_rule.h"
#include "ptx/syntax/token_stream.h"

namespace warptime::ptx {

/// A spelling that a card allows.
struct Spelling {
  const CardRow* card = nullptr;
  const Form* form = nullptr;
  ModSet mods;
  Type type = Type::None, type2 = Type::None, type3 = Type::None, type4 = Type::None;
  Space space = Space::None;
  uint8_t vector = 1;
  uint16_t columns = 0;  // N of .m64nNk16
  OperandRules rules;
};

/// One suffix word in the text.
struct SuffixWord {
  std::string_view text;  // with its dot
  SourceSpan where;
};

/// Every way in which the words fit a form of the card: several only if forms differ in their operands alone.
std::vector<Spelling> match_forms(const CardRow& card, const std::vector<SuffixWord>& words);

/// What the words lack for a form: the choices of a slot that a form wants and that is the only thing missing.
ModSet missing_words(const CardRow& card, const std::vector<SuffixWord>& words);

/// Says why no form fits: an unknown word, an illegal one, a missing type, or a bad combination; the hint has the
/// legal forms.
void explain_mismatch(const CardRow& card, const std::vector<SuffixWord>& words, SourceSpan where, TokenStream& tokens);

/// A form as the manual writes it: "add{.rn|.rz|.rm|.rp}{.ftz}{.sat}.f32". With `words`: without the optional words
/// that are not among them, and of choices the one that is.
std::string form_text(const Card& card, const Form& form, const std::vector<SuffixWord>* words = nullptr);

/// The words of a spelling in the order of the form: "fma.rn.f32".
std::string spelling_text(const Card& card, const Form& form, ModSet mods, std::array<Type, Form::kTypeWords> types,
                          uint32_t columns = 0);
/// The words of an Instruction or a Spelling.
template <class Spelled>
std::string spelling_text(const Spelled& of) {
  return spelling_text(*of.card->card, *of.form, of.mods, {of.type, of.type2, of.type3, of.type4}, of.columns);
}

/// Coordinates that a texture's geometry has; 0: the words name none.
inline uint32_t dimensions_of(ModSet mods) {
  if (mods.has(Mod::Geom1d) || mods.has(Mod::Geom1dArray)) return 1;
  if (mods.has(Mod::Geom2d) || mods.has(Mod::Geom2dArray)) return 2;
  if (mods.has(Mod::Geom4d) || mods.has(Mod::GeomSamples) || mods.has(Mod::GeomSamplesArray)) return 4;
  if (mods.has(Mod::Geom5d)) return 5;
  return mods.has(Mod::Geom3d) || mods.has(Mod::GeomCube) || mods.has(Mod::GeomCubeArray) ? 3 : 0;
}
inline bool is_cube(ModSet mods) { return mods.has(Mod::GeomCube) || mods.has(Mod::GeomCubeArray); }
/// Whether the number of a layer stands before the coordinates.
inline bool has_layers(ModSet mods) {
  return mods.has(Mod::Geom1dArray) || mods.has(Mod::Geom2dArray) || mods.has(Mod::GeomCubeArray);
}
/// How many numbers an instruction must have between its braces.
inline uint32_t coordinates_of(ModSet mods) { return dimensions_of(mods) + (has_layers(mods) ? 1 : 0); }

/// All suffix words spelled like this (".lo" is two: half of a product, unsigned comparison). ".m64n8k16" is
/// ".m64nNk16", whatever its N.
ModSet mods_named(std::string_view text);

/// The spellings of one module, by their text.
class SpellingCache {
 public:
  const std::vector<Spelling>* find(std::string_view text) const {
    auto it = known_.find(text);
    return it == known_.end() ? nullptr : &it->second;
  }
  const std::vector<Spelling>* add(std::string_view text, std::vector<Spelling> spellings) {
    return &(known_[text] = std::move(spellings));
  }

 private:
  std::unordered_map<std::string_view, std::vector<Spelling>> known_;  // the text lives in the source
};

}  // namespace warptime::ptx
