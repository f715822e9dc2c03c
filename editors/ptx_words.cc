// The words of PTX for highlighters, as JSON, from the tables that the program itself reads PTX by: instructions,
// suffix words, types and special registers. With files, how the lexer divides them into tokens: a line "KIND BEGIN
// LENGTH" each, so that the tests of a highlighter can compare.
//
//     ptx_words [FILE.ptx...]
#include <fmt/format.h>

#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "ptx/isa/cards.h"
#include "ptx/isa/mods.h"
#include "ptx/isa/types.h"
#include "ptx/module.h"
#include "ptx/syntax/lexer.h"

namespace {

using namespace warptime;
using ptx::TokenKind;

std::string list(const std::set<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += fmt::format("{}\"{}\"", out.empty() ? "" : ", ", word);
  return "[" + out + "]";
}

/// A suffix may have several words: ".level::eviction_priority" stays one, ".shared.b8x16" are two.
void add_suffix(std::set<std::string>& to, std::string_view suffix) {
  for (size_t at = 0; at < suffix.size();) {
    const size_t end = std::min(suffix.find('.', at + 1), suffix.size());
    to.emplace(suffix.substr(at, end - at));
    at = end;
  }
}

void print_words() {
  std::set<std::string> instructions, suffixes, types, specials;
  for (const ptx::CardRow& row : ptx::cards()) instructions.emplace(row.card->name.substr(0, row.card->name.find('.')));
  for (std::string_view name : ptx::kModNames) add_suffix(suffixes, name);
  for (const ptx::TypeInfo& type : ptx::kTypes)
    if (!type.name.empty()) types.insert("." + std::string(type.name));
  for (size_t i = 0; i < static_cast<size_t>(ptx::Special::Count); ++i) {
    const std::string_view name = ptx::name(static_cast<ptx::Special>(i));
    specials.emplace(name.substr(0, name.find('.')));
  }
  fmt::print("{{\"instructions\": {},\n \"suffixes\": {},\n \"types\": {},\n \"specials\": {}}}\n", list(instructions),
             list(suffixes), list(types), list(specials));
}

std::string_view kind_name(TokenKind kind) {
  switch (kind) {
    case TokenKind::End: return "end";
    case TokenKind::Identifier: return "identifier";
    case TokenKind::Word: return "word";
    case TokenKind::Number: return "number";
    case TokenKind::String: return "string";
    case TokenKind::Punctuation: return "punctuation";
  }
  return "";
}

bool print_tokens(const char* file) {
  const auto source = SourceText::read_file(file, nullptr);
  if (source == nullptr) {
    fmt::print(stderr, "error: cannot read {}\n", file);
    return false;
  }
  Diagnostics unused;
  ptx::Lexer lexer(*source, unused);
  lexer.set_quiet(true);
  fmt::print("file {}\n", file);
  for (ptx::Token token = lexer.next(); token.kind != TokenKind::End; token = lexer.next())
    fmt::print("{} {} {}\n", kind_name(token.kind), token.begin, token.length);
  return true;
}

}  // namespace

int main(int count, char** words) {
  if (count == 1) print_words();
  for (int i = 1; i < count; ++i)
    if (!print_tokens(words[i])) return 2;
  return 0;
}
