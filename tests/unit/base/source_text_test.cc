#include "base/source_text.h"

#include <catch2/catch.hpp>

#include "base/diagnostics.h"

using namespace warptime;

TEST_CASE("places count lines and bytes from 1") {
  SourceText text("a", "one\ntwo\r\n\nfour");
  CHECK(text.line_count() == 4);
  CHECK(text.place_of(0).line == 1);
  CHECK(text.place_of(4).line == 2);
  CHECK(text.place_of(6).column == 3);
  CHECK(text.place_of(10).line == 4);
  CHECK(text.line(2) == "two");
  CHECK(text.line(3).empty());
  CHECK(text.line(4) == "four");
  CHECK(text.line(0).empty());
  CHECK(text.line(5).empty());
}

TEST_CASE("a carriage return alone ends a line, too") {
  SourceText text("a", "one\rtwo\r\n\rfour\r");
  CHECK(text.line_count() == 5);
  CHECK(text.line(1) == "one");
  CHECK(text.line(2) == "two");
  CHECK(text.line(3).empty());
  CHECK(text.line(4) == "four");
  CHECK(text.place_of(4).line == 2);
  CHECK(text.place_of(4).column == 1);
  CHECK(text.place_of(10).line == 4);
}

TEST_CASE("a file that is not there says why") {
  std::string why;
  CHECK(SourceText::read_file("/no/such/file", &why) == nullptr);
  CHECK(why == "No such file or directory");
  CHECK(SourceText::read_file("/", &why) == nullptr);
  CHECK(why == "is a directory");
}

TEST_CASE("a diagnostic shows its line, a caret and the hint") {
  SourceText text("k.ptx", "\tadd.s32 x;\n");
  std::string out = format_diagnostic({Severity::Error, {&text, 1, 7}, "no such thing", "try another"});
  CHECK(out ==
        "k.ptx:1:2: error: no such thing\n"
        "     1 |  add.s32 x;\n"
        "       |  ^~~~~~~\n"
        "         hint: try another\n");
}

TEST_CASE("a diagnostic on a binary or very long line stays short and printable") {
  SourceText text("b", std::string(5000, '\x01') + "X" + std::string(5000, '\xff'));
  std::string out = format_diagnostic({Severity::Error, {&text, 5000, 1}, "bad", ""});
  CHECK(out.size() < 500);
  for (char c : out) CHECK((c == '\n' || (c >= ' ' && c < 0x7f)));
  size_t row = out.find("\n       | ") + 1;
  size_t caret = out.find('^') - row;
  size_t shown = out.find('X') - (out.find("     1 | "));
  CHECK(caret == shown);
}

TEST_CASE("diagnostics come in the order of their places, with a count") {
  SourceText text("t", "a\nb\n");
  Diagnostics diagnostics;
  diagnostics.error({&text, 2, 1}, "second");
  diagnostics.warning({&text, 0, 1}, "first");
  CHECK(diagnostics.error_count() == 1);
  diagnostics.error({&text, 2, 1}, "third");
  std::string out = diagnostics.to_text();
  CHECK(out.find("first") < out.find("second"));
  CHECK(out.find("second") < out.find("third"));
  CHECK(out.ends_with("2 errors\n"));
}

TEST_CASE("after a hundred, diagnostics are only counted") {
  Diagnostics diagnostics;
  for (int i = 0; i < 250; ++i) diagnostics.error({}, fmt::format("number {}.", i));
  std::string out = diagnostics.to_text();
  CHECK(out.find("number 99.") != std::string::npos);
  CHECK(out.find("number 100.") == std::string::npos);
  CHECK(out.ends_with("... and 150 more\n250 errors\n"));
}

TEST_CASE("the nearest name is offered only when it is near") {
  std::vector<std::string_view> names{"shared", "registers", "bytes"};
  CHECK(nearest("shraed", names) == "shared");
  CHECK(nearest("byte", names) == "bytes");
  CHECK(nearest("btyes", names) == "bytes");  // a swap is one mistake
  CHECK_FALSE(nearest("btyse", names));       // two swaps are two
  CHECK_FALSE(nearest("zzz", names));
  CHECK(did_you_mean("registres", names) == "did you mean \"registers\"?");
  CHECK(did_you_mean("zzz", names).empty());
}
