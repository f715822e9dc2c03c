// Tokens with one of lookahead, and the errors and recovery that every part of the parser shares.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "ptx/syntax/lexer.h"

namespace warptime::ptx {

class TokenStream {
 public:
  TokenStream(const SourceText& source, Diagnostics& diagnostics)
      : source_(source), diagnostics_(diagnostics), lexer_(source, diagnostics) {
    now_ = lexer_.next();
  }

  const Token& now() const { return now_; }
  /// The token before `now`.
  const Token& before() const { return before_; }
  Token take() {
    before_ = now_;
    now_ = lexer_.next();
    return before_;
  }
  /// A name that a declaration may give: "_" and "$" alone are none.
  bool at_new_name() const { return now_.kind == TokenKind::Identifier && text() != "_" && text() != "$"; }
  bool at_end() const { return now_.kind == TokenKind::End; }
  std::string_view text(const Token& token) const { return source_.text().substr(token.begin, token.length); }
  std::string_view text(uint32_t begin, uint32_t end) const { return source_.text().substr(begin, end - begin); }
  std::string_view text() const { return text(now_); }
  /// The byte at an offset; '\0' at the end.
  char byte_at(uint32_t at) const { return at < source_.text().size() ? source_.text()[at] : '\0'; }

  bool accept(char c) {
    if (!now_.is(c)) return false;
    take();
    return true;
  }
  bool accept_word(std::string_view word) {
    if (now_.kind != TokenKind::Word || text() != word) return false;
    take();
    return true;
  }
  /// Takes `c`, or says that it was expected `where` ("after the operands").
  bool expect(char c, std::string_view where);
  /// The `;` of a statement; if it is missing the place is the end of what came before.
  bool expect_semicolon();

  /// `"text"`, or "the end of the file".
  std::string found() const;
  SourceSpan span(const Token& token) const { return {&source_, token.begin, token.length}; }
  SourceSpan span(uint32_t begin, uint32_t end) const { return {&source_, begin, end - begin}; }
  SourceSpan span() const { return span(now_); }

  /// Says that a name has no dots if the name just taken goes on with one: then false.
  bool ends_name(const Token& name);

  /// Always returns false, so that a parse function can `return tokens.error(...)`.
  bool error(SourceSpan where, std::string message, std::string hint = {});
  /// An instruction, modifier or operand form that is not supported or not known: an error of the kernel or function
  /// that is being read alone, if there is one. Returns false.
  bool unsupported(SourceSpan where, std::string message, std::string hint = {});
  /// Where unsupported() puts its errors from now on; nullptr: with the module's.
  void collect_unsupported(std::vector<Diagnostic>* into) { unsupported_ = into; }
  void warning(SourceSpan where, std::string message, std::string hint = {});
  bool expected(std::string_view what) { return error(span(), fmt::format("expected {}, found {}", what, found())); }

  /// Recovery inside a kernel: from the first token of a bad statement past its `;`, or up to a `}` that closes the
  /// scope around it.
  void skip_statement(const Token& first);
  /// Recovery at module scope: from the first token of a bad declaration past its `;`, or past its { } in balance.
  void skip_item(const Token& first);
  /// Recovery from a bad directive that ends with its line (.version, .target, ...): past that line.
  void skip_line(const Token& first);
  /// Past a { } in balance; `now` is its '{'.
  void skip_braces();

 private:
  void go_back_to(const Token& first);

  static constexpr size_t kMaxErrors = 50;
  const SourceText& source_;
  Diagnostics& diagnostics_;
  std::vector<Diagnostic>* unsupported_ = nullptr;
  Lexer lexer_;
  Token now_, before_;
};

}  // namespace warptime::ptx
