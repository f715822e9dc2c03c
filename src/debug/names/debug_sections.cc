#include "debug/names/debug_sections.h"

#include <string_view>

#include "base/diagnostics.h"
#include "ptx/syntax/constant.h"
#include "ptx/syntax/lexer.h"

namespace warptime::debug {

namespace {

using ptx::Token, ptx::TokenKind;

/// The text has been read before, so its mistakes have been told.
class Reader {
 public:
  explicit Reader(const SourceText& source) : source_(source), lexer_(source, unused_) {
    lexer_.set_quiet(true);
    token_ = lexer_.next();
  }

  DebugSections read() {
    DebugSections out;
    while (token_.kind != TokenKind::End) {
      const Token token = take();
      if (token.kind == TokenKind::Word && text(token) == ".section") section(out);
      else if (token.kind == TokenKind::Identifier && token_.is(':')) out.lines.emplace(text(token), token.line);
    }
    return out;
  }

 private:
  std::string_view text(const Token& token) const { return source_.text().substr(token.begin, token.length); }
  Token take() {
    const Token token = token_;
    token_ = lexer_.next();
    return token;
  }

  void section(DebugSections& out) {
    std::string name;
    while (token_.kind == TokenKind::Word || token_.kind == TokenKind::Identifier) name += text(take());
    if (!token_.is('{')) return;
    take();
    DebugSection& to = out.sections[name];
    uint32_t bytes = 0;  // of each number
    while (token_.kind != TokenKind::End && !token_.is('}')) {
      const Token token = take();
      if (token.kind == TokenKind::Word) {
        const std::string_view word = text(token);
        const uint32_t width = word == ".b8" ? 1 : word == ".b16" ? 2 : word == ".b32" ? 4 : word == ".b64" ? 8 : 0;
        if (width != 0) bytes = width;
        else reference(to, std::string(word), bytes);
      } else if (token.kind == TokenKind::Identifier) {
        if (token_.is(':')) to.labels.emplace(text(token), to.bytes.size());
        else reference(to, std::string(text(token)), bytes);
      } else if (token.kind == TokenKind::Number) {
        put(to, number(token), bytes);
      }
    }
  }

  void reference(DebugSection& to, std::string label, uint32_t bytes) {
    uint64_t offset = 0;
    if (token_.is('+')) {
      take();
      if (token_.kind == TokenKind::Number) offset = number(take());
    }
    to.references[to.bytes.size()] = {std::move(label), offset};
    put(to, 0, bytes);
  }

  uint64_t number(const Token& token) const {
    std::string unwanted;
    const auto value = ptx::parse_literal(text(token), &unwanted);
    return value ? value->bits : 0;
  }

  static void put(DebugSection& to, uint64_t value, uint32_t bytes) {
    for (uint32_t i = 0; i < bytes; ++i) to.bytes += static_cast<char>((value >> (8 * i)) & 0xff);
  }

  const SourceText& source_;
  Diagnostics unused_;
  ptx::Lexer lexer_;
  Token token_;
};

}  // namespace

DebugSections read_debug_sections(const SourceText& ptx) {
  if (ptx.text().find(".debug_info") == std::string_view::npos) return {};
  return Reader(ptx).read();
}

}  // namespace warptime::debug
