#include "ptx/syntax/instruction_parser.h"

#include "ptx/isa/not_supported.h"
#include "ptx/syntax/call_parser.h"
#include "ptx/syntax/declaration.h"

namespace warptime::ptx {

namespace {

constexpr size_t kMaxWords = kMaxSlots + Form::kTypeWords;

}  // namespace

bool InstructionParser::parse_guard(Guard* out) {
  TokenStream& tokens = fe_.tokens;
  if (!tokens.accept('@')) return true;
  out->negated = tokens.accept('!');
  if (tokens.now().kind != TokenKind::Identifier) return tokens.expected("a predicate after '@'");
  Token name = tokens.take();
  out->predicate = checker_.guard(fe_.names.intern(tokens.text(name)), tokens.span(name));
  return out->predicate != kNoIndex;
}

bool InstructionParser::unknown(const Token& mnemonic, uint32_t end, const std::vector<SuffixWord>& words) {
  std::string_view text = fe_.tokens.text(mnemonic);
  std::vector<std::string_view> texts;
  for (const SuffixWord& word : words) texts.push_back(word.text);
  if (const NotSupported* row = not_supported_instruction(text, texts)) {
    if (!outside_.insert(row->what).second) return false;  // one error for all of a kernel
    return fe_.tokens.unsupported(fe_.tokens.span(mnemonic.begin, end),
                                  fmt::format("\"{}\" is not supported: {} are not simulated", row->name, row->what),
                                  since_text(*row));
  }
  std::vector<std::string_view> known;
  for (const CardRow& row : cards()) known.push_back(row.card->name);
  std::string hint = did_you_mean(text, known);
  if (hint.empty()) hint = "`warptime list instructions` lists those that are supported";
  return fe_.tokens.unsupported(fe_.tokens.span(mnemonic), fmt::format("unknown instruction \"{}\"", text), hint);
}

const std::vector<Spelling>* InstructionParser::spell(const Token& mnemonic, uint32_t end,
                                                      const std::vector<SuffixWord>& words) {
  std::string_view text = fe_.tokens.text(mnemonic.begin, end);
  if (const auto* known = fe_.spellings.find(text)) return known;
  const CardRow* card = find_card(fe_.tokens.text(mnemonic));
  if (card == nullptr) {
    unknown(mnemonic, end, words);
    return nullptr;
  }
  std::vector<Spelling> found = match_forms(*card, words);
  if (found.empty()) {
    explain_mismatch(*card, words, fe_.tokens.span(mnemonic.begin, end), fe_.tokens);
    return nullptr;
  }
  return fe_.spellings.add(text, std::move(found));
}

bool InstructionParser::check_version(const Spelling& spelling, std::string_view spelled, SourceSpan where) {
  const Since& since = spelling.form->since;
  const Module& module = fe_.module;
  if (since.ptx > module.version)
    return fe_.tokens.error(where,
                            fmt::format("\"{}\" needs .version {}.{}, this module has {}.{}", spelled, since.ptx / 10,
                                        since.ptx % 10, module.version / 10, module.version % 10));
  bool mapped = module.map_f64_to_f32 && spelling.form->feature == Feature::F64;  // legal on every target
  if (since.target > module.target && !mapped)
    return fe_.tokens.error(
        where, fmt::format("\"{}\" needs .target sm_{}, this module has sm_{}", spelled, since.target, module.target));
  return true;
}

bool InstructionParser::parse(const Token& mnemonic, const Guard& guard) {
  TokenStream& tokens = fe_.tokens;
  uint32_t end = mnemonic.end();
  words_.clear();
  while (tokens.now().kind == TokenKind::Word) {
    Token word = tokens.take();
    words_.push_back({tokens.text(word), tokens.span(word)});
    end = word.end();
    bool has_bank = words_.back().text == ".const" && tokens.now().is('[') && tokens.byte_at(end) == '[';
    if (has_bank && !parse_bank(tokens)) return false;
    if (words_.size() > kMaxWords)
      return tokens.unsupported(tokens.span(word), "no instruction has as many suffix words");
  }
  const std::vector<Spelling>* spellings = spell(mnemonic, end, words_);
  if (spellings == nullptr) return false;
  bool is_call = effect_of(*spellings->front().card->card, *spellings->front().form) == Effect::Call;
  if (!is_call && !parse_operands(fe_, raw_)) return false;

  // Forms of one spelling differ in their operands: the first that takes as many as there are.
  const Spelling* spelling = &spellings->front();
  for (const Spelling& other : *spellings) {
    if (raw_.count < other.rules.required || raw_.count > other.rules.most) continue;
    spelling = &other;
    break;
  }
  SourceSpan where = tokens.span(mnemonic.begin, end);
  std::string_view spelled = tokens.text(mnemonic.begin, end);
  if (spelled.find_first_of(" \t\r\n") != std::string_view::npos) {  // words with blanks between them
    spelled_ = spelling_text(*spelling);
    spelled = spelled_;
  }
  if (!check_version(*spelling, spelled, where)) return false;
  Instruction instruction;
  bool ok = is_call ? parse_call(fe_, kernel_, checker_, where, instruction)
                    : checker_.check(*spelling, spelled, where, raw_, instruction);
  if (!ok) return false;
  instruction.card = spelling->card;
  instruction.form = spelling->form;
  instruction.mods = spelling->mods;
  instruction.type = spelling->type;
  instruction.type2 = spelling->type2;
  instruction.type3 = spelling->type3;
  instruction.type4 = spelling->type4;
  instruction.vector = spelling->vector;
  instruction.guard = guard.predicate;
  instruction.guard_negated = guard.negated;
  instruction.where = where;
  instruction.line = mnemonic.line;
  instruction.location = fe_.location;
  kernel_.instructions.push_back(instruction);
  return true;
}

}  // namespace warptime::ptx
