#include "ptx/syntax/declaration.h"

#include <bit>

#include "ptx/syntax/constant_expression.h"

namespace warptime::ptx {

namespace {

constexpr uint64_t kMaxVariableBytes = uint64_t{1} << 40;
constexpr uint32_t kMaxRegisters = 1u << 24;

bool parse_alignment(FrontEnd& fe, uint32_t* out) {
  uint64_t value = 0;
  uint32_t begin = fe.tokens.now().begin;
  if (!parse_integer(fe.tokens, "an alignment", 1, 1u << 16, &value)) return false;
  if (!std::has_single_bit(value))
    return fe.tokens.error(fe.tokens.span(begin, fe.tokens.before().end()),
                           fmt::format("an alignment must be a power of two, not {}", value));
  *out = static_cast<uint32_t>(value);
  return true;
}

bool is_space_word(std::string_view word) {
  return word == ".global" || word == ".const" || word == ".shared" || word == ".local";
}

std::vector<std::string_view> declaration_words() {
  std::vector<std::string_view> out{".v2", ".v4", ".v8", ".align", ".ptr", ".attribute"};
  auto add = [&](TypeKind kind, std::string_view word) {
    if (kind != TypeKind::Element) out.push_back(word);
  };
#define X(name, spelling, bits, kind) add(TypeKind::kind, "." spelling);
  PTX_TYPES(X)
#undef X
  return out;
}

bool parse_dimensions(FrontEnd& fe, std::vector<uint64_t>* out) {
  while (fe.tokens.accept('[')) {
    uint64_t count = 0;
    Token at = fe.tokens.now();
    if (!at.is(']') && !parse_integer(fe.tokens, "an array size", 0, kMaxVariableBytes, &count)) return false;
    if (!at.is(']') && count == 0) return fe.tokens.error(fe.tokens.span(at), "an array size must be at least 1");
    if (count == 0 && !out->empty())
      return fe.tokens.error(fe.tokens.span(at), "only the first dimension of an array may be left open");
    if (!fe.tokens.expect(']', "after an array size")) return false;
    out->push_back(count);
    if (out->size() > 16) return fe.tokens.error(fe.tokens.span(at), "an array has at most 16 dimensions");
  }
  return true;
}

}  // namespace

bool parse_bank(TokenStream& tokens) {
  tokens.take();
  uint64_t bank = 0;
  return parse_integer(tokens, "a bank", 0, 10, &bank) && tokens.expect(']', "after a bank");
}

bool parse_attribute(FrontEnd& fe) {
  TokenStream& tokens = fe.tokens;
  if (!tokens.expect('(', "after .attribute")) return false;
  do {
    if (tokens.accept_word(".managed")) continue;
    if (!tokens.accept_word(".unified"))
      return tokens.error(tokens.span(), fmt::format("expected an attribute, found {}", tokens.found()),
                          "attributes are .managed and .unified(id, id)");
    uint64_t id = 0;
    if (!tokens.expect('(', "after .unified") || !parse_integer(tokens, "an id", 0, ~uint64_t{0}, &id) ||
        !tokens.expect(',', "between two ids") || !parse_integer(tokens, "an id", 0, ~uint64_t{0}, &id) ||
        !tokens.expect(')', "after two ids"))
      return false;
  } while (tokens.accept(','));
  return tokens.expect(')', "after the attributes");
}

bool parse_declared_type(FrontEnd& fe, DeclaredType* out) {
  TokenStream& tokens = fe.tokens;
  out->where = tokens.span();
  while (tokens.now().kind == TokenKind::Word) {
    Token token = tokens.take();
    std::string_view word = tokens.text(token);
    if (word == ".align") {
      if (!parse_alignment(fe, &out->alignment)) return false;
    } else if (word == ".v2" || word == ".v4" || word == ".v8") {
      out->vector = static_cast<uint8_t>(word[2] - '0');
    } else if (word == ".attribute") {
      if (!parse_attribute(fe)) return false;
    } else if (word == ".ptr") {
      out->is_pointer = true;
      if (tokens.now().kind == TokenKind::Word && is_space_word(tokens.text())) tokens.take();
      uint32_t pointee_alignment = 0;
      if (tokens.accept_word(".align") && !parse_alignment(fe, &pointee_alignment)) return false;
    } else if (auto type = type_named(word.substr(1));
               type && is_declared(*type) && out->type == Type::None && info(*type).kind != TypeKind::Element) {
      out->type = *type;
    } else if (word == ".texref" || word == ".surfref" || word == ".samplerref") {
      // Surfaces and samplers are only declared: what uses them is not supported.
      out->is_texture = true;
      out->type = Type::U32;
    } else {
      return tokens.error(tokens.span(token), fmt::format("\"{}\" is not a type or attribute of a declaration", word),
                          did_you_mean(word, declaration_words()));
    }
  }
  if (out->type == Type::None) return tokens.expected("a type such as .u32");
  return true;
}

bool parse_declarator(FrontEnd& fe, Space space, const DeclaredType& type, bool external, Symbol* out) {
  TokenStream& tokens = fe.tokens;
  bool may_be_unnamed = space == Space::Param && tokens.now().kind == TokenKind::Identifier;  // in a prototype
  if (!tokens.at_new_name() && !may_be_unnamed) return tokens.expected("a name");
  Token name_token = tokens.take();
  if (!tokens.ends_name(name_token)) return false;
  out->name = tokens.text(name_token);
  out->where = tokens.span(name_token);
  out->space = type.is_texture && space == Space::Global ? Space::Tex : space;
  out->type = type.type;
  if (type.is_texture && space != Space::Global && space != Space::Tex)
    return tokens.error(type.where, fmt::format("a .texref is declared .global, not .{}", name(space)));
  out->external = external;
  if (type.type == Type::Pred) return tokens.error(type.where, "a variable cannot be .pred");

  std::vector<uint64_t> dimensions;
  if (!parse_dimensions(fe, &dimensions)) return false;
  bool is_array = !dimensions.empty();
  if (type.vector > 1) dimensions.push_back(type.vector);
  if (out->space == Space::Tex && is_array) return tokens.error(out->where, "arrays of textures are not supported");
  if (tokens.now().is('=')) {
    if (out->space == Space::Tex)
      return tokens.error(tokens.span(), "the properties of a texture are given where it is bound");
    if (space != Space::Global && space != Space::Const)
      return tokens.error(tokens.span(), fmt::format("a .{} variable cannot have an initialiser", name(space)),
                          "only .global and .const variables can");
    tokens.take();
    if (is_array && !tokens.now().is('{')) return tokens.expected("'{' before the elements of an array");
    if (!parse_initialiser(fe, dimensions, *out)) return false;
  }
  bool open = is_array && dimensions[0] == 0;
  out->variadic = open && space == Space::Param;  // whether it may be is the caller's to say
  if (open && !out->variadic && !external)
    return tokens.error(out->where, fmt::format("the size of \"{}\" is not known", out->name),
                        space == Space::Shared ? "dynamic shared memory is declared .extern .shared"
                                               : "give it a size or an initialiser");
  uint64_t size = bytes(type.type);
  for (uint64_t dimension : dimensions)
    if (__builtin_mul_overflow(size, dimension, &size) || size > kMaxVariableBytes)
      return tokens.error(out->where, fmt::format("\"{}\" is larger than 1 TiB", out->name));
  out->size = size;
  out->alignment = std::max(type.alignment, bytes(type.type) * type.vector);
  if (!out->initial.empty()) {
    fe.initialised_bytes += size;
    if (fe.initialised_bytes > (uint64_t{256} << 20))
      return tokens.error(out->where, "the initialised variables of this module are larger than 256 MiB");
    out->initial.resize(size);
  }
  return true;
}

bool parse_register_type(FrontEnd& fe, DeclaredType* out) {
  if (!parse_declared_type(fe, out)) return false;
  if (out->vector > 4 || (out->vector > 1 && out->type == Type::Pred))
    return fe.tokens.error(out->where, "a vector register has 2 or 4 numbers");
  if (out->type == Type::B128) {  // a pair of registers of 64 bits
    if (out->vector > 1) return fe.tokens.error(out->where, "a vector register has 128 bits at most");
    out->type = Type::B64;
    out->vector = 2;
  }
  return true;
}

bool parse_registers(FrontEnd& fe) {
  TokenStream& tokens = fe.tokens;
  DeclaredType type;
  if (!parse_register_type(fe, &type)) return false;
  do {
    if (!tokens.at_new_name()) return tokens.expected("the name of a register");
    Token token = tokens.take();
    if (!tokens.ends_name(token)) return false;
    NameId id = fe.names.intern(tokens.text(token));
    uint32_t first = 0;
    if (tokens.accept('<')) {
      uint64_t count = 0;
      if (!parse_integer(tokens, "a number of registers", 1, kMaxRegisters, &count, false)) return false;
      if (!tokens.expect('>', "after a number of registers")) return false;
      RegisterRange range{0, type.vector, type.type, static_cast<uint32_t>(count), token.begin};
      if (!fe.names.declare_range(id, range, &first))
        return fe.redeclared(tokens.span(token), tokens.text(token.begin, tokens.before().end()), first);
    } else {
      Binding binding{Binding::Kind::Declared, 0, type.vector, type.type, 0, token.begin};
      if (!fe.names.declare(id, binding, &first)) return fe.redeclared(tokens.span(token), tokens.text(token), first);
    }
  } while (tokens.accept(','));
  return tokens.expect_semicolon();
}

}  // namespace warptime::ptx
