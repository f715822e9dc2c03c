#include "ptx/syntax/instruction_parser.h"

#include <algorithm>

#include "ptx/isa/cards.h"
#include "ptx/isa/not_supported.h"
#include "ptx/syntax/call_parser.h"
#include "ptx/syntax/declaration.h"

namespace warptime::ptx {

namespace {

constexpr size_t kMaxWords = kMaxSlots + Form::kTypeWords;

/// The width of an element that is loaded or stored; 0: it is another instruction.
uint32_t type_bits(const Spelling& spelling) {
  Effect effect = effect_of(*spelling.card->card, *spelling.form);
  return effect == Effect::Load || effect == Effect::Store ? bits(spelling.type) : 0;
}

std::string variant_text(const Module& module) {
  return module.variant == 0 ? std::string() : std::string(1, module.variant);
}

}  // namespace

const Spelling& InstructionParser::choose(const std::vector<Spelling>& spellings, const RawOperands& raw) const {
  for (const Spelling& spelling : spellings)
    if (raw.count >= spelling.rules.required && raw.count <= spelling.rules.most && fits_predicates(spelling, raw))
      return spelling;
  return spellings.front();
}

bool InstructionParser::parse_guard(Guard* out) {
  TokenStream& tokens = fe_.tokens;
  if (!tokens.accept('@')) return true;
  out->negated = tokens.accept('!');
  if (tokens.now().kind != TokenKind::Identifier) return tokens.expected("a predicate after '@'");
  Token name = tokens.take();
  const NameId id = fe_.names.intern(tokens.text(name));
  if (reads_explicit_cluster(id)) return guard_by_cluster(name, out);
  out->predicate = checker_.guard(id, tokens.span(name));
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
  Since since = spelling.form->since;
  if (spelling.mods.has(Mod::SharedCluster))
    since = {std::max<uint16_t>(since.ptx, 78), std::max<uint16_t>(since.target, 90)};
  const Module& module = fe_.module;
  if (since.ptx > module.version)
    return fe_.tokens.error(where,
                            fmt::format("\"{}\" needs .version {}.{}, this module has {}.{}", spelled, since.ptx / 10,
                                        since.ptx % 10, module.version / 10, module.version % 10));
  bool mapped = module.map_f64_to_f32 && spelling.form->feature == Feature::F64;  // legal on every target
  const bool is_named = module.target == since.target || (since.also != 0 && module.target == since.also);
  if (since.variant != 0 && (!is_named || since.variant != module.variant))
    return fe_.tokens.error(
        where, fmt::format("\"{}\" needs .target sm_{}{}{}, this module has sm_{}{}", spelled, since.target,
                           since.variant, since.also == 0 ? "" : fmt::format(" or sm_{}{}", since.also, since.variant),
                           module.target, variant_text(module)));
  if (since.target > module.target && !mapped)
    return fe_.tokens.error(
        where, fmt::format("\"{}\" needs .target sm_{}, this module has sm_{}", spelled, since.target, module.target));
  uint32_t width = type_bits(spelling) * spelling.vector;
  if (spelling.vector == 8 && width != 0 && width != 256)
    return fe_.tokens.error(where, fmt::format("\"{}\" needs eight numbers of 32 bits", spelled));
  if (width <= 128) return true;
  if (width > 256 || bits(spelling.type) < 32)
    return fe_.tokens.error(where, fmt::format("\"{}\" accesses more than {} bits", spelled, width > 256 ? 256 : 128));
  if (spelling.space != Space::Global && spelling.space != Space::None)
    return fe_.tokens.error(where, fmt::format("\"{}\" accesses 256 bits, which only .global memory has", spelled));
  if (module.target < 100 || module.version < 88)
    return fe_.tokens.error(where, fmt::format("\"{}\" needs .version 8.8 and .target sm_100", spelled),
                            "vectors of 256 bits came with them");
  return true;
}

/// Whether the N of a product of four warps is one that there is.
bool InstructionParser::check_columns(const Spelling& spelling, SourceSpan where) {
  const uint32_t columns = spelling.columns;
  if (!is<WgmmaCard>(spelling) || spelling.type2 == Type::None || is_product_width(spelling.type2, columns))
    return true;
  const bool few = is_product_width(spelling.type2, 40);
  return fe_.tokens.error(
      where, columns == 0 ? std::string("N of the shape must be a number") : fmt::format("N cannot be {}", columns),
      few ? "N is a multiple of 8 from 8 to 256" : "with integers, N is 8, 16, 24, or a multiple of 16 from 32 to 256");
}

/// Whether a predicate stands where the form has one: forms of cp.async differ in nothing else. Those of wgmma differ
/// in whether A is in registers.
bool InstructionParser::fits_predicates(const Spelling& spelling, const RawOperands& all) const {
  if (spelling.columns != 0)
    return (spelling.rules.list[1].registers != 0) == (all.list[1].kind == RawOperand::Kind::Vector);
  if (effect_of(*spelling.card->card, *spelling.form) != Effect::AsyncCopy || all.count < 4) return true;
  const RawOperand& raw = all.list[3];
  if (raw.kind != RawOperand::Kind::Name) return spelling.rules.list[3].fixed != Type::Pred;
  const Binding& binding = fe_.names.find(raw.name);
  const bool is_register = binding.kind == Binding::Kind::Declared || binding.kind == Binding::Kind::Register;
  return (is_register && binding.type == Type::Pred) == (spelling.rules.list[3].fixed == Type::Pred);
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

  const Spelling* spelling = &choose(*spellings, raw_);
  SourceSpan where = tokens.span(mnemonic.begin, end);
  std::string_view spelled = tokens.text(mnemonic.begin, end);
  if (spelled.find_first_of(" \t\r\n") != std::string_view::npos) {  // words with blanks between them
    spelled_ = spelling_text(*spelling);
    spelled = spelled_;
  }
  if (!check_version(*spelling, spelled, where) || !check_columns(*spelling, where)) return false;
  const Written as{where, spelled, mnemonic.line, guard};
  if (!is_call && !add_constants(*spelling, as)) return false;
  if (fe_.claims_local_memory && !kernel_.is_entry && !keep_stack(*spelling, as)) return false;
  const bool moves_predicate = is<Mov>(*spelling) && spelling->type == Type::Pred && raw_.count == 2;
  if (moves_predicate && raw_.list[1].has_name && reads_explicit_cluster(raw_.list[1].name)) [[unlikely]]
    return compare_cluster(raw_.list[0], raw_.list[1].negated, as);
  if (spelling->form->rewrite != Rewrite::None) return rewrite(*spelling, as);
  return append(*spelling, as, raw_);
}

bool InstructionParser::append(const Spelling& spelling, const Written& as, const RawOperands& raw) {
  Instruction instruction;
  bool is_call = effect_of(*spelling.card->card, *spelling.form) == Effect::Call;
  bool ok = is_call ? parse_call(fe_, kernel_, checker_, as.where, instruction)
                    : checker_.check(spelling, as.spelled, as.where, raw, instruction);
  if (!ok) return false;
  instruction.card = spelling.card;
  instruction.form = spelling.form;
  instruction.mods = spelling.mods;
  instruction.type = spelling.type;
  instruction.type2 = spelling.type2;
  instruction.type3 = spelling.type3;
  instruction.type4 = spelling.type4;
  instruction.vector = spelling.vector;
  instruction.columns = spelling.columns;
  instruction.guard = as.guard.predicate;
  instruction.guard_negated = as.guard.negated;
  instruction.where = as.where;
  instruction.line = as.line;
  instruction.location = fe_.location;
  kernel_.instructions.push_back(instruction);
  return true;
}

}  // namespace warptime::ptx
