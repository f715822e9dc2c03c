#include "ptx/syntax/token_stream.h"

namespace warptime::ptx {

bool TokenStream::expect(char c, std::string_view where) {
  if (accept(c)) return true;
  return error(span(), fmt::format("expected '{}' {}, found {}", c, where, found()));
}

bool TokenStream::expect_semicolon() {
  if (accept(';')) return true;
  SourceSpan where = now_.line == before_.line ? span() : span(before_.end(), before_.end() + 1);
  if (now_.line == before_.line) return error(where, fmt::format("expected ';', found {}", found()));
  return error(where, "expected ';' here");
}

std::string TokenStream::found() const {
  if (at_end()) return "the end of the file";
  std::string_view word = text();
  if (now_.kind == TokenKind::String) return "a string";
  if (word.size() > 40) return fmt::format("\"{}...\"", word.substr(0, 40));
  return fmt::format("\"{}\"", word);
}

bool TokenStream::error(SourceSpan where, std::string message, std::string hint) {
  if (diagnostics_.error_count() >= kMaxErrors) return false;
  diagnostics_.error(where, std::move(message), std::move(hint));
  if (diagnostics_.error_count() == kMaxErrors) {
    diagnostics_.note(SourceSpan{&source_, where.begin, where.length}, "too many errors, the rest was not read");
    uint32_t end = static_cast<uint32_t>(source_.text().size());
    Token last;
    last.begin = end;
    last.line = now_.line;
    lexer_.go_back_to(last, true);
    now_ = last;
  }
  return false;
}

bool TokenStream::ends_name(const Token& name) {
  uint32_t end = name.end();
  while (!at_end() && now_.begin == end && byte_at(end) == '.') end = take().end();
  if (end == name.end()) return true;
  return error(
      span(name.begin, end), fmt::format("a name in PTX has no dots: \"{}\"", text(name.begin, end)),
      "names consist of letters, digits, '_' and '$' (PTX ISA, 4.4); ptxas refuses others, too: the compiler that "
      "wrote this has to rename its symbols");
}

bool TokenStream::unsupported(SourceSpan where, std::string message, std::string hint) {
  if (unsupported_ == nullptr) return error(where, std::move(message), std::move(hint));
  if (unsupported_->size() < kMaxErrors)
    unsupported_->push_back({Severity::Error, where, std::move(message), std::move(hint)});
  else if (unsupported_->size() == kMaxErrors)
    unsupported_->push_back({Severity::Note, where, "too many errors, the others of this body are not shown", {}});
  return false;
}

void TokenStream::warning(SourceSpan where, std::string message, std::string hint) {
  diagnostics_.warning(where, std::move(message), std::move(hint));
}

void TokenStream::go_back_to(const Token& first) {
  lexer_.go_back_to(first, true);
  now_ = lexer_.next();
}

void TokenStream::skip_statement(const Token& first) {
  if (at_end()) return;
  go_back_to(first);
  size_t depth = 0;
  while (!at_end() && !now_.is(';')) {
    if (now_.is('{')) ++depth;
    if (now_.is('}') && depth-- == 0) break;
    take();
  }
  lexer_.set_quiet(false);
  accept(';');
}

void TokenStream::skip_braces() {
  size_t depth = 0;
  while (!at_end()) {
    if (now_.is('{')) ++depth;
    if (now_.is('}') && --depth == 0) break;
    take();
  }
  accept('}');
}

void TokenStream::skip_item(const Token& first) {
  if (at_end()) return;
  go_back_to(first);
  while (!at_end() && !now_.is(';') && !now_.is('{')) take();
  if (now_.is('{')) skip_braces();
  lexer_.set_quiet(false);
  accept(';');
}

void TokenStream::skip_line(const Token& first) {
  while (!at_end() && now_.line == first.line) take();
}

}  // namespace warptime::ptx
