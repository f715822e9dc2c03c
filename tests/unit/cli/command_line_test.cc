// Splitting words into options, and the messages for words that do not fit the table.
#include "cli/command_line.h"

#include <catch2/catch.hpp>
#include <sstream>

#include "cli/help_text.h"
#include "host/device/device.h"

using namespace warptime;
using namespace warptime::cli;

namespace {

Command sample() {
  return {.name = "sample",
          .usage = "FILE [options]",
          .summary = "a command",
          .details = {},
          .options = {{"flag", Option::Kind::Flag, "", "a flag"},
                      {"level", Option::Kind::Value, "N", "a value"},
                      {"json", Option::Kind::OptionalValue, "FILE", "an optional value"},
                      {"set", Option::Kind::Repeated, "A=B", "again and again"},
                      {"out", Option::Kind::Value, "FILE", "with a letter", 'o'},
                      {"at", Option::Kind::Pair, "N FILE", "two words"},
                      {"of-the-target", Option::Kind::Value, "A[,B[,C]]:D=E",
                       std::string(30, 'x') + std::string(90, ' ') + "y", 0, OptionGroup::Target}},
          .unavailable = {"later"},
          .examples = {"warptime sample x"},
          .min_words = 1,
          .max_words = 1,
          .word_name = "file"};
}

struct Parsed {
  explicit Parsed(std::vector<std::string> words)
      : line([&] {
          words.insert(words.begin(), "sample");
          return words;
        }()),
        arguments(sample(), line, 1) {}
  CommandLine line;
  Arguments arguments;
};

std::string error_of(std::vector<std::string> words) {
  try {
    Parsed parsed(std::move(words));
  } catch (const host::InputError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("options take their values and keep their order") {
  Parsed p({"--set", "a=1", "x", "--set=b=2=3", "--level", "-4", "--flag"});
  REQUIRE(p.arguments.words().size() == 1);
  CHECK(p.arguments.words()[0].text == "x");
  CHECK(p.arguments.texts("set") == std::vector<std::string>{"a=1", "b=2=3"});
  CHECK(p.arguments.value("level")->text == "-4");
  CHECK(p.arguments.has("flag"));
  CHECK_FALSE(p.arguments.has("json"));
}

TEST_CASE("an optional value is taken only after an equal sign") {
  Parsed bare({"--json", "x"});
  CHECK(bare.arguments.value("json")->text == "-");
  CHECK(bare.arguments.words()[0].text == "x");
  CHECK(Parsed({"x", "--json=out.json"}).arguments.value("json")->text == "out.json");
}

TEST_CASE("after -- everything is a word") {
  Parsed p({"--", "--flag"});
  CHECK(p.arguments.words()[0].text == "--flag");
  CHECK_FALSE(p.arguments.has("flag"));
}

TEST_CASE("a pair takes two words, a bare optional value none") {
  Parsed p({"--at", "3", "f", "--json", "x"});
  CHECK(p.arguments.texts("at") == std::vector<std::string>{"3", "f"});
  CHECK(p.arguments.value("json")->text == "-");
  CHECK(p.arguments.words()[0].text == "x");
  CHECK(Parsed({"x", "--json=f"}).arguments.value("json")->text == "f");
}

TEST_CASE("Option --help wins over every mistake") {
  CHECK(Parsed({"--nonsense", "--help"}).arguments.help());
  CHECK(Parsed({"-h"}).arguments.help());
}

TEST_CASE("a letter is an option's short spelling") {
  CHECK(Parsed({"x", "-o", "y"}).arguments.value("out")->text == "y");
  CHECK(Parsed({"x", "--out=y"}).arguments.value("out")->text == "y");
  CHECK(Parsed({"x", "-oy"}).arguments.value("out")->text == "y");
  CHECK(help_text(sample()).find("  -o, --out FILE  with a letter\n") != std::string::npos);
}

TEST_CASE("a mistake in the words is an error with its place") {
  auto [words, message, hint] = GENERATE(table<std::vector<std::string>, std::string, std::string>({
      {{"x", "--levle", "3"}, "has no option \"--levle\"", "did you mean --level?"},
      {{"x", "--zzzzzzz"}, "has no option \"--zzzzzzz\"", "--help"},
      {{"x", "-q"}, "has no option \"-q\"", "--help"},
      {{"x", "--leve=3"}, "has no option \"--leve\"", "did you mean --level?"},
      {{"x", "--later=2"}, "--later of `warptime sample` is not available in this version", ""},
      {{"x", "--level"}, "--level needs a value", ""},
      {{"x", "--level", "--flag"}, "--level needs a value, and \"--flag\" looks like an option", "--level=--flag"},
      {{"x", "-o"}, "--out needs a value", ""},
      {{"x", "-o", "y", "--out=z"}, "--out is given twice", ""},
      {{"x", "--flag=3"}, "--flag takes no value", ""},
      {{"x", "--at", "3"}, "--at takes two words: N FILE", ""},
      {{"x", "--at"}, "--at takes two words: N FILE", ""},
      {{"x", "--at", "3", "--flag"}, "--at needs a value, and \"--flag\" looks like an option", ""},
      {{"x", "--level=1", "--level=2"}, "--level is given twice", ""},
      {{"x", "y"}, "takes one file; \"y\" is too many", ""},
      {{}, "needs a file", "usage: warptime sample FILE"},
  }));
  std::string text = error_of(words);
  CAPTURE(text);
  CHECK(text.find("command line:1:") == 0);
  CHECK(text.find(message) != std::string::npos);
  CHECK(text.find(hint) != std::string::npos);
}

TEST_CASE("the caret stands under the word") {
  CHECK(error_of({"x", "--levle", "3"}) ==
        "command line:1:19: error: `warptime sample` has no option \"--levle\"\n"
        "     1 | warptime sample x --levle 3\n"
        "       |                   ^~~~~~~\n"
        "         hint: did you mean --level?\n");
}

TEST_CASE("numbers are whole, in range, and nothing else") {
  auto value = [](const std::string& text) { return Parsed({"x", "--level=" + text}).arguments.number("level", 2, 9); };
  CHECK(value("2") == 2);
  CHECK(value("9") == 9);
  for (const char* wrong : {"1", "10", "3x", "x", "-3", "3.0", "18446744073709551616"})
    CHECK_THROWS_AS(value(wrong), host::InputError);
  CHECK(Parsed({"x"}).arguments.number("level", 2, 9) == std::nullopt);
}

TEST_CASE("a choice is one of its words") {
  CHECK(Parsed({"x", "--level=off"}).arguments.choice("level", {"on", "off"}) == size_t{1});
  Parsed wrong({"x", "--level=of"});
  CHECK_THROWS_WITH(wrong.arguments.choice("level", {"on", "off"}), Catch::Contains("on or off, not \"of\""));
}

TEST_CASE("extents are one to three numbers from 1 on") {
  CHECK(parse_extents({"16", {}}, "--block") == std::vector<uint32_t>{16, 1, 1});
  CHECK(parse_extents({"16,8,4", {}}, "--block") == std::vector<uint32_t>{16, 8, 4});
  for (const char* wrong : {"", "0", "1,,2", "1,2,", "1,2,3,4", "a", "-1", "4294967296"})
    CHECK_THROWS_AS(parse_extents({wrong, {}}, "--block"), host::InputError);
}

TEST_CASE("the help text has the target's options first, and no line over 100 columns") {
  std::string help = help_text(sample());
  CHECK(help.find("\ntarget and machine:\n  --of-the-target") < help.find("\noptions:\n  --flag"));
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= kHelpColumns);
}

TEST_CASE("the help text names every option, and the examples") {
  std::string help = help_text(sample());
  for (const char* part : {"usage: warptime sample FILE [options]", "--flag ", "--level N", "--json[=FILE]",
                           "--set A=B", "(repeatable)", "--help", "warptime sample x"})
    CHECK(help.find(part) != std::string::npos);
}
