#include "ptx/syntax/lexer.h"

#include <catch2/catch.hpp>
#include <memory>

namespace warptime::ptx {
namespace {

/// Kinds and texts of all tokens: "i:add w:.s32 i:%r1 p:, n:12 s:"x"".
std::string tokens_of(const std::string& text, std::string* errors = nullptr) {
  auto source = std::make_shared<SourceText>("test.ptx", text);
  Diagnostics diagnostics;
  diagnostics.keep(source);
  Lexer lexer(*source, diagnostics);
  std::string out;
  for (Token token = lexer.next(); token.kind != TokenKind::End; token = lexer.next()) {
    const char* kind = "";
    switch (token.kind) {
      case TokenKind::End: break;
      case TokenKind::Identifier: kind = "i:"; break;
      case TokenKind::Word: kind = "w:"; break;
      case TokenKind::Number: kind = "n:"; break;
      case TokenKind::String: kind = "s:"; break;
      case TokenKind::Punctuation: kind = "p:"; break;
    }
    out += (out.empty() ? "" : " ") + std::string(kind) + text.substr(token.begin, token.length);
  }
  if (errors != nullptr) *errors = diagnostics.to_text();
  return out;
}

TEST_CASE("Lexer: identifiers, words, punctuation", "[ptx][lexer]") {
  CHECK(tokens_of("add.s32 %r1, $x_1;") == "i:add w:.s32 i:%r1 p:, i:$x_1 p:;");
  CHECK(tokens_of("ld.global.L1::no_allocate.v2.u32") == "i:ld w:.global w:.L1::no_allocate w:.v2 w:.u32");
  CHECK(tokens_of(".param::entry a::b") == "w:.param::entry i:a p:: p:: i:b");
  CHECK(tokens_of("_ __a %_b _1") == "i:_ i:__a i:%_b i:_1");
  CHECK(tokens_of("%tid.x") == "i:%tid w:.x");
  CHECK(tokens_of("@!%p") == "p:@ p:! i:%p");
  CHECK(tokens_of("5 % 3") == "n:5 p:% n:3");
  CHECK(tokens_of("%r<10>") == "i:%r p:< n:10 p:>");
  CHECK(tokens_of("label:next") == "i:label p:: i:next");
}

TEST_CASE("Lexer: a number is everything that its digits touch", "[ptx][lexer]") {
  CHECK(tokens_of("0x1F 0b101 017 12U") == "n:0x1F n:0b101 n:017 n:12U");
  CHECK(tokens_of("0f3F800000 0d3FF0000000000000") == "n:0f3F800000 n:0d3FF0000000000000");
  CHECK(tokens_of("1.5 1. 1e10 1.5e-3 2E+4 1e") == "n:1.5 n:1. n:1e10 n:1.5e-3 n:2E+4 n:1e");
  CHECK(tokens_of("12abc") == "n:12abc");
  CHECK(tokens_of("1+2-3") == "n:1 p:+ n:2 p:- n:3");
  CHECK(tokens_of("0x1e+2") == "n:0x1e p:+ n:2");  // hexadecimal digits, not an exponent
  CHECK(tokens_of("1.x") == "n:1 w:.x");
}

TEST_CASE("Lexer: what is skipped", "[ptx][lexer]") {
  CHECK(tokens_of("a // b\nc /* d\n e */ f\r\n\tg\f\v") == "i:a i:c i:f i:g");
  CHECK(tokens_of("# 1 \"x.cu\"\na\n  # 2\nb\n#line 3\nc") == "i:a i:b i:c");
  CHECK(tokens_of("@@DWARF .byte 1\na") == "i:a");
  CHECK(tokens_of("").empty());
  CHECK(tokens_of("// only a comment").empty());
}

TEST_CASE("Lexer: lines are counted through comments", "[ptx][lexer]") {
  auto source = std::make_shared<SourceText>("test.ptx", "a\n/* \n\n */ b // c\nd");
  Diagnostics diagnostics;
  Lexer lexer(*source, diagnostics);
  CHECK(lexer.next().line == 1);
  CHECK(lexer.next().line == 4);
  CHECK(lexer.next().line == 5);
}

TEST_CASE("Lexer: bad input is reported and left out", "[ptx][lexer]") {
  std::string errors;
  CHECK(tokens_of("a \x80\x81 b", &errors) == "i:a i:b");
  CHECK(errors.find("test.ptx:1:3: error: unexpected character") == 0);
  CHECK(tokens_of("a /* b", &errors) == "i:a");
  CHECK(errors.find("1:3: error: this comment has no end") != std::string::npos);
  CHECK(tokens_of("\"x\ny", &errors) == "s:\"x i:y");
  CHECK(errors.find("this string has no end") != std::string::npos);
  CHECK(tokens_of("\"x\\", &errors) == "s:\"x\\");
  CHECK(tokens_of("a . b", &errors) == "i:a i:b");
  CHECK_FALSE(errors.empty());
  CHECK(tokens_of("#define X\na", &errors) == "i:a");
  CHECK(errors.find("preprocessor") != std::string::npos);
}

}  // namespace
}  // namespace warptime::ptx
