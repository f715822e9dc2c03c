// Arithmetic over named figures: values, precedence, texts, and every kind of mistake with its place.
#include "base/expression.h"

#include <catch2/catch.hpp>

namespace warptime {

namespace {

std::optional<ExpressionValue> names(std::string_view name) {
  if (name == "a.time") return 6.0;
  if (name == "b_2") return 0.5;
  if (name == "word") return std::string("issue");
  return std::nullopt;
}

}  // namespace

TEST_CASE("an expression has the value of ordinary arithmetic") {
  auto [text, value] = GENERATE(table<std::string, double>({
      {"3", 3},
      {"1.5e0", 1.5},
      {"2e-3 * 1e+3", 2},
      {"5.", 5},
      {"0x10 + 0XfF", 271},
      {"a.time", 6},
      {" a.time*b_2 ", 3},
      {"1 + 2 * 3", 7},
      {"(1 + 2) * 3", 9},
      {"10 - 2 - 3", 5},
      {"12 / 2 / 3", 2},
      {"-a.time + 1", -5},
      {"2 * -3", -6},
      {"((a.time))", 6},
  }));
  CAPTURE(text);
  Evaluated result = evaluate(text, names);
  CHECK(result.error.empty());
  CHECK(std::get<double>(result.value) == value);
}

TEST_CASE("a comparison is the text true or false, and a name may stand for a text") {
  CHECK(evaluate("a.time < 7", names).value == ExpressionValue(std::string("true")));
  CHECK(evaluate("a.time > 3 + 4", names).value == ExpressionValue(std::string("false")));
  CHECK(evaluate("6 < a.time", names).value == ExpressionValue(std::string("false")));
  CHECK(evaluate("word", names).value == ExpressionValue(std::string("issue")));
}

TEST_CASE("what is wrong with an expression is told with its place") {
  auto [text, at, message] = GENERATE(table<std::string, size_t, std::string>({
      {"", 0, "expected a number or a name"},
      {"1 +", 3, "expected a number or a name"},
      {"(1", 2, "a \")\" is missing"},
      {"1)", 1, "\")\" is not expected here"},
      {"1 2", 2, "\"2\" is not expected here"},
      {"1 < 2 < 3", 6, "\"<\" is not expected here"},
      {"1x", 0, "\"1x\" is not a number"},
      {"2 * c.time", 4, "there is no figure \"c.time\""},
      {"word + 1", 5, "a text cannot be calculated with"},
      {"1 / (b_2 - b_2)", 0, "the value is not a finite number (a division by zero?)"},
  }));
  CAPTURE(text);
  Evaluated result = evaluate(text, names);
  CHECK(result.error == message);
  CHECK(result.at == at);
}

TEST_CASE("an expression nests 64 deep and no deeper") {
  for (const std::string level : {"(", "-", "-("}) {
    std::string close = level.ends_with('(') ? ")" : "";
    auto nested = [&](size_t times) {
      std::string text;
      for (size_t i = 0; i < times; ++i) text += level;
      text += "1";
      for (size_t i = 0; i < times; ++i) text += close;
      return evaluate(text, names).error;
    };
    CAPTURE(level);
    CHECK(nested(64 / level.size()).empty());
    CHECK(nested(65) == "this expression is nested too deeply");
    CHECK(nested(100000) == "this expression is nested too deeply");
  }
}

TEST_CASE("the names of an expression, whatever they stand for") {
  std::string error;
  size_t at = 0;
  CHECK(names_in("(a.x - b.x) / (c - d) < 2", error, at) == std::vector<std::string>{"a.x", "b.x", "c", "d"});
  CHECK(error.empty());
  names_in("a.x - * b", error, at);
  CHECK(error == "expected a number or a name");
  CHECK(at == 6);
}

}  // namespace warptime
