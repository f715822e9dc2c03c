// The directives that connect PTX with its source (PTX ISA 9.0, 11.5): .file, .loc, .section, and .pragma.
#include "ptx/syntax/constant.h"
#include "ptx/syntax/constant_expression.h"
#include "ptx/syntax/kernel_parser.h"

namespace warptime::ptx {

namespace {

/// .file number "name" [, time, size];  clang writes the folder before the name: .file number "folder" "name"
bool parse_file(FrontEnd& fe) {
  TokenStream& tokens = fe.tokens;
  uint64_t index = 0, ignored = 0;
  if (!parse_integer(tokens, "a file number", 0, 1u << 16, &index)) return false;
  if (tokens.now().kind != TokenKind::String) return tokens.expected("a file name in quotes");
  auto take_string = [&] {
    std::string_view quoted = tokens.text(tokens.take());
    return std::string(quoted.size() >= 2 ? quoted.substr(1, quoted.size() - 2) : quoted);
  };
  std::string name = take_string();
  if (tokens.now().kind == TokenKind::String) name += "/" + take_string();
  if (fe.module.files.size() <= index) fe.module.files.resize(index + 1);
  fe.module.files[index] = std::move(name);
  while (tokens.accept(','))
    if (!parse_integer(tokens, "a time or size", 0, ~uint64_t{0}, &ignored)) return false;
  return true;
}

/// The latest location at a place; nullptr: there was none.
const Location* latest_at(FrontEnd& fe, const Location& place) {
  auto found = fe.location_at.find({place.file, place.line, place.column});
  return found == fe.location_at.end() ? nullptr : &fe.module.locations[found->second];
}

/// The index of a location: that of the latest one at its place, if it is the same.
uint32_t add_location(FrontEnd& fe, const Location& location) {
  std::vector<Location>& all = fe.module.locations;
  if (all.empty()) all.emplace_back();
  if (const Location* known = latest_at(fe, location); known != nullptr && known->is_same(location))
    return static_cast<uint32_t>(known - all.data());
  all.push_back(location);
  fe.location_at[{location.file, location.line, location.column}] = static_cast<uint32_t>(all.size() - 1);
  return static_cast<uint32_t>(all.size() - 1);
}

bool parse_place(TokenStream& tokens, Location& place) {
  for (uint32_t* number : {&place.file, &place.line, &place.column}) {
    uint64_t value = 0;
    if (!parse_integer(tokens, "a position", 0, UINT32_MAX, &value)) return false;
    *number = static_cast<uint32_t>(value);
  }
  return true;
}

/// .loc file line column [, function_name label [+ offset], inlined_at file line column]
/// The place of the call is that of an earlier .loc, which may be inlined itself: the chain of calls.
bool parse_loc(FrontEnd& fe) {
  TokenStream& tokens = fe.tokens;
  Location location;
  if (!parse_place(tokens, location)) return false;
  while (tokens.accept(',')) {
    if (tokens.now().kind != TokenKind::Identifier) return tokens.expected("\"function_name\" or \"inlined_at\"");
    if (tokens.text(tokens.take()) == "inlined_at") {
      Location call;
      if (!parse_place(tokens, call)) return false;
      const Location* known = latest_at(fe, call);
      location.inlined_at =
          known != nullptr ? static_cast<uint32_t>(known - fe.module.locations.data()) : add_location(fe, call);
      continue;
    }
    uint64_t offset = 0;
    std::string_view label;
    if (tokens.now().kind == TokenKind::Identifier) label = tokens.text(tokens.take());
    if (tokens.accept('+') && !parse_integer(tokens, "a position", 0, UINT32_MAX, &offset)) return false;
    location.function = fe.debug_strings.use(label, offset);
  }
  fe.location = add_location(fe, location);
  return true;
}

/// .section name { ... }. Of .debug_str the strings are kept: `label:` and `.b8 number, ...`.
bool parse_section(FrontEnd& fe) {
  TokenStream& tokens = fe.tokens;
  bool is_strings = false;
  while (tokens.now().kind == TokenKind::Word || tokens.now().kind == TokenKind::Identifier)
    is_strings = tokens.text(tokens.take()) == ".debug_str";
  if (!tokens.now().is('{')) return tokens.expected("'{' after the name of the section");
  if (!is_strings) {
    tokens.skip_braces();
    return true;
  }
  tokens.take();
  while (!tokens.at_end() && !tokens.now().is('}')) {
    Token token = tokens.take();
    if (token.kind == TokenKind::Identifier && tokens.accept(':')) {
      fe.debug_strings.label(tokens.text(token));
    } else if (token.kind == TokenKind::Number) {
      std::string unwanted;  // what is not a byte does not matter: nobody reads it but people
      std::optional<Constant> value = parse_literal(tokens.text(token), &unwanted);
      fe.debug_strings.byte(value ? static_cast<char>(value->bits) : '?');
    } else if (token.is('{')) {
      return tokens.error(tokens.span(token), "a '{' in a section of strings");
    }
  }
  tokens.accept('}');
  return true;
}

}  // namespace

bool parse_debug_directive(FrontEnd& fe, const Token& word, bool* taken) {
  TokenStream& tokens = fe.tokens;
  std::string_view text = tokens.text(word);
  *taken = true;
  if (text == ".file") return parse_file(fe);
  if (text == ".loc") return parse_loc(fe);
  if (text == ".pragma") {
    fe.saw_nounroll = false;
    do {
      if (tokens.now().kind != TokenKind::String) return tokens.expected("a string");
      fe.saw_nounroll |= tokens.text(tokens.take()) == "\"nounroll\"";
    } while (tokens.accept(','));
    return tokens.expect_semicolon();
  }
  if (text == ".section") return parse_section(fe);
  *taken = false;
  return true;
}

}  // namespace warptime::ptx
