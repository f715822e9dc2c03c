// PTX text -> tokens (PTX ISA 9.0, chapter 4). A token is a place and a kind; its text stays in the source, nothing is
// copied. Comments, C line marks (# 1 "x.cu") and @@DWARF lines are skipped. Bad bytes become diagnostics, never
// tokens.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/diagnostics.h"

namespace warptime::ptx {

enum class TokenKind : uint8_t {
  End,
  Identifier,   // name, %name, $name, _
  Word,         // .word with its dot: directives, suffixes, vector components
  Number,       // begins with a digit, or with '.' and one; constant.h gives it a value
  String,       // with its quotes
  Punctuation,  // one character; operators of two characters are two tokens in a row
};

struct Token {
  TokenKind kind = TokenKind::End;
  char character = 0;  // of Punctuation
  uint32_t begin = 0;
  uint32_t length = 0;
  uint32_t line = 1;

  uint32_t end() const { return begin + length; }
  bool is(char c) const { return kind == TokenKind::Punctuation && character == c; }
};

class Lexer {
 public:
  Lexer(const SourceText& source, Diagnostics& diagnostics)
      : source_(source), text_(source.text()), diagnostics_(diagnostics) {
    if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;  // some editors begin a UTF-8 file with this mark
  }

  Token next();
  /// Continues from an earlier token, for a second look at a statement; `quiet`: without repeating its diagnostics.
  void go_back_to(const Token& token, bool quiet) {
    at_ = token.begin;
    line_ = token.line;
    quiet_ = quiet;
  }
  void set_quiet(bool quiet) { quiet_ = quiet; }

 private:
  void skip_blank();
  void skip_line();
  bool at_line_start() const;
  uint32_t number_end() const;
  uint32_t fraction_end() const;  // 0: the '.' begins no number
  void error(size_t begin, size_t end, std::string message, std::string hint = {});

  const SourceText& source_;
  std::string_view text_;
  Diagnostics& diagnostics_;
  size_t at_ = 0;
  uint32_t line_ = 1;
  bool quiet_ = false;
};

}  // namespace warptime::ptx
