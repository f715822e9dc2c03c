// One pass over the bytes, driven by a table of character classes.
#include "ptx/syntax/lexer.h"

#include <array>

namespace warptime::ptx {

namespace {

enum : uint8_t { kBlank = 1, kFollow = 2, kDigit = 4, kStart = 8, kPunctuation = 16 };

constexpr std::array<uint8_t, 256> kClasses = [] {
  std::array<uint8_t, 256> classes{};
  for (char c : std::string_view(" \t\r\n\f\v")) classes[static_cast<uint8_t>(c)] = kBlank;
  for (int c = 'a'; c <= 'z'; ++c) classes[c] = kFollow | kStart;
  for (int c = 'A'; c <= 'Z'; ++c) classes[c] = kFollow | kStart;
  for (int c = '0'; c <= '9'; ++c) classes[c] = kFollow | kDigit;
  classes['_'] = classes['$'] = kFollow | kStart;
  for (char c : std::string_view(",;:{}[]()<>=+-*/%!~&|^?@")) classes[static_cast<uint8_t>(c)] = kPunctuation;
  return classes;
}();

bool is(char c, uint8_t classes) { return (kClasses[static_cast<uint8_t>(c)] & classes) != 0; }

}  // namespace

void Lexer::error(size_t begin, size_t end, std::string message, std::string hint) {
  if (quiet_) return;
  SourceSpan where{&source_, static_cast<uint32_t>(begin), static_cast<uint32_t>(end - begin)};
  diagnostics_.error(where, std::move(message), std::move(hint));
}

void Lexer::skip_line() {
  // A comment ends with a line feed alone, as in ptxas; a lone carriage return still counts as a line.
  for (; at_ < text_.size() && text_[at_] != '\n'; ++at_) line_ += ends_line(text_, at_);
}

bool Lexer::at_line_start() const {
  size_t i = at_;
  while (i > 0 && (text_[i - 1] == ' ' || text_[i - 1] == '\t')) --i;
  return i == 0 || ends_line(text_, i - 1) || text_[i - 1] == '\xbf';  // the mark of UTF-8 before the first line
}

void Lexer::skip_blank() {
  while (at_ < text_.size()) {
    char c = text_[at_];
    if (is(c, kBlank)) {
      line_ += ends_line(text_, at_);
      ++at_;
    } else if (c == '/' && text_.substr(at_, 2) == "//") {
      skip_line();
    } else if (c == '/' && text_.substr(at_, 2) == "/*") {
      size_t end = text_.find("*/", at_ + 2);
      if (end == std::string_view::npos) error(at_, at_ + 2, "this comment has no end", "close it with */");
      size_t stop = end == std::string_view::npos ? text_.size() : end + 2;
      for (; at_ < stop; ++at_) line_ += ends_line(text_, at_);
    } else if (c == '#' && at_line_start()) {
      size_t word = at_ + 1;
      while (word < text_.size() && (text_[word] == ' ' || text_[word] == '\t')) ++word;
      bool line_mark = word < text_.size() && (is(text_[word], kDigit) || text_.substr(word, 4) == "line");
      if (!line_mark)
        error(at_, at_ + 1, "preprocessor directives are not supported", "run the file through a C preprocessor first");
      skip_line();
    } else if (c == '@' && text_.substr(at_, 2) == "@@") {  // PTX ISA 1.x: @@DWARF byte-lists
      skip_line();
    } else {
      return;
    }
  }
}

// ".5" and ".5e-3", where no name, word or number stands right before. ".1d" and ".5f" are words.
uint32_t Lexer::fraction_end() const {
  size_t i = at_ + 1;
  auto digits = [&] {
    size_t begin = i;
    while (i < text_.size() && is(text_[i], kDigit)) ++i;
    return i > begin;
  };
  bool stands_alone = at_ == 0 || !is(text_[at_ - 1], kFollow);
  if (!stands_alone || !digits()) return 0;
  if (i < text_.size() && (text_[i] == 'e' || text_[i] == 'E')) {
    ++i;
    if (i < text_.size() && (text_[i] == '+' || text_[i] == '-')) ++i;
    if (!digits()) return 0;
  }
  return i < text_.size() && is(text_[i], kFollow) ? 0 : static_cast<uint32_t>(i);
}

// Letters belong to a number (0x1F, 0f3F800000, 12U), so that "12abc" is one bad literal and not two tokens.
uint32_t Lexer::number_end() const {
  size_t i = at_;
  auto run = [&] {
    while (i < text_.size() && is(text_[i], kFollow)) ++i;
  };
  run();
  bool prefixed = i > at_ + 1 && text_[at_] == '0' && !is(text_[at_ + 1], kDigit);
  bool has_exponent = text_.substr(at_, i - at_).find_first_of("eE") != std::string_view::npos;
  if (prefixed && text_[at_ + 1] != 'e' && text_[at_ + 1] != 'E') return static_cast<uint32_t>(i);
  auto begins_exponent = [&](size_t at) {  // of "1.e-3"
    char sign = at + 1 < text_.size() ? text_[at + 1] : '\0', digit = at + 2 < text_.size() ? text_[at + 2] : '\0';
    if (text_[at] != 'e' && text_[at] != 'E') return false;
    return is(sign, kDigit) || ((sign == '+' || sign == '-') && is(digit, kDigit));
  };
  bool word_follows = i + 1 < text_.size() && is(text_[i + 1], kStart) && !begins_exponent(i + 1);
  if (!has_exponent && i < text_.size() && text_[i] == '.' && !word_follows) {
    ++i;
    run();
  }
  bool open_exponent = text_[i - 1] == 'e' || text_[i - 1] == 'E';
  if (open_exponent && i + 1 < text_.size() && (text_[i] == '+' || text_[i] == '-') && is(text_[i + 1], kDigit)) {
    ++i;
    run();
  }
  return static_cast<uint32_t>(i);
}

Token Lexer::next() {
  for (;;) {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;  // mostly all there is to skip
    if (at_ < text_.size() && !is(text_[at_], kStart | kDigit)) skip_blank();
    Token token;
    token.begin = static_cast<uint32_t>(at_);
    token.line = line_;
    if (at_ >= text_.size()) {
      token.begin = static_cast<uint32_t>(text_.size());
      return token;
    }
    char c = text_[at_];
    char after = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    size_t end = at_ + 1;
    if (is(c, kStart) || (c == '%' && is(after, kFollow))) {
      token.kind = TokenKind::Identifier;
      while (end < text_.size() && is(text_[end], kFollow)) ++end;
    } else if (uint32_t fraction = c == '.' && is(after, kDigit) ? fraction_end() : 0; fraction != 0) {
      token.kind = TokenKind::Number;
      end = fraction;
    } else if (c == '.' && is(after, kFollow)) {
      token.kind = TokenKind::Word;
      for (;;) {
        while (end < text_.size() && is(text_[end], kFollow)) ++end;
        if (end + 2 >= text_.size() || text_[end] != ':' || text_[end + 1] != ':' || !is(text_[end + 2], kFollow))
          break;
        end += 2;
      }
    } else if (is(c, kDigit)) {
      token.kind = TokenKind::Number;
      end = number_end();
    } else if (is(c, kPunctuation)) {
      token.kind = TokenKind::Punctuation;
      token.character = c;
    } else if (c == '"') {
      token.kind = TokenKind::String;
      while (end < text_.size() && text_[end] != '"' && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
      if (end < text_.size() && text_[end] == '"') {
        ++end;
      } else {
        if (end > text_.size()) end = text_.size();
        error(at_, end, "this string has no end");
      }
    } else {
      while (end < text_.size() && kClasses[static_cast<uint8_t>(text_[end])] == 0 && text_[end] != '.') ++end;
      error(at_, end, "unexpected character");
      at_ = end;
      continue;
    }
    token.length = static_cast<uint32_t>(end - at_);
    at_ = end;
    return token;
  }
}

}  // namespace warptime::ptx
