// The JSON reader: what it tells, what it refuses, and that it does not matter how the text is cut into pieces.
#include "base/json_reader.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "base/json_value.h"
#include "base/spool.h"

using namespace warptime;

namespace {

/// Writes down what it is told.
class Events : public JsonEvents {
 public:
  void begin_object(std::string_view key) override { add(key, "{"); }
  void begin_list(std::string_view key) override { add(key, "["); }
  void end() override { text_ += "end "; }
  void number(std::string_view key, double value, std::string_view digits) override {
    add(key, fmt::format("{}={}", digits, value));
  }
  void text(std::string_view key, std::string_view value) override { add(key, fmt::format("'{}'", value)); }
  void word(std::string_view key, std::string_view value) override { add(key, value); }

  std::string text_;

 private:
  void add(std::string_view key, std::string_view what) { text_ += fmt::format("{}:{} ", key, what); }
};

struct Result {
  std::string events;
  std::optional<JsonMistake> mistake;
};

Result read(std::string_view text, size_t piece = 1 << 20) {
  Events events;
  auto mistake = read_json(
      [&](char* to, size_t most) {
        size_t bytes = text.copy(to, std::min(piece, most));
        text.remove_prefix(bytes);
        return bytes;
      },
      events);
  return {events.text_, mistake};
}

}  // namespace

TEST_CASE("JSON is told value by value, whatever the pieces it comes in") {
  const std::string text =
      " {\"a\": [1, -2.5e3, {\"b\\n\": \"\\u00e9\\ud83d\\ude00/\"}, []], \"c\": {}, \"d\": true, \"\": null "
      ",\"e\":0}\n ";
  const std::string events =
      ":{ a:[ :1=1 :-2.5e3=-2500 :{ b\n:'\xc3\xa9\xf0\x9f\x98\x80/' end :[ end end c:{ end d:true :null e:0=0 end ";
  for (size_t piece : {1, 2, 3, 7, 1 << 20}) {
    Result result = read(text, piece);
    CHECK_FALSE(result.mistake);
    CHECK(result.events == events);
  }
  CHECK(read("7").events == ":7=7 ");
  CHECK(read("\"x\"").events == ":'x' ");
}

TEST_CASE("numbers are those of the text, what no double holds is refused") {
  auto number = [](const std::string& text) {
    Result result = read(text);
    CAPTURE(text);
    CHECK_FALSE(result.mistake);
    return result.events;
  };
  CHECK(number("123456789012345678") == ":123456789012345678=1.2345678901234568e+17 ");
  CHECK(number("0.1") == ":0.1=0.1 ");
  CHECK(number("-0") == ":-0=-0 ");
  CHECK(number("1e-999") == ":1e-999=0 ");
  CHECK(number("1.7976931348623157e308") == ":1.7976931348623157e308=1.7976931348623157e+308 ");
  for (const char* text : {"1e999", "-1e400", "[1, 2e309]"}) {
    CAPTURE(text);
    REQUIRE(read(text).mistake);
    CHECK(read(text).mistake->what == "the number is out of range");
  }
  CHECK(read("[1, 2e309]").mistake->offset == 4);
  REQUIRE(read(std::string(400, '9')).mistake);
}

TEST_CASE("what is not JSON is a mistake with its place") {
  auto [text, offset, what] = GENERATE(table<std::string, uint64_t, std::string>({
      {"", 0, "expected a value"},
      {"{", 1, "expected a key"},
      {"{\"a\" 1}", 5, "expected \":\""},
      {"{\"a\": 1 \"b\"}", 8, "expected \",\" or \"}\""},
      {"[1 2]", 3, "expected \",\" or \"]\""},
      {"[1,]", 3, "expected a value"},
      {"{\"a\": 1,}", 8, "expected a key"},
      {"[1}", 2, "expected \",\" or \"]\""},
      {"nul", 3, "expected a value"},
      {"[ NaN]", 2, "expected a value"},
      {"01", 1, "expected the end of the text"},
      {"-", 1, "expected a value"},
      {"1.", 2, "expected a digit"},
      {"1e+", 3, "expected a digit"},
      {"\"a", 2, "expected the end of the string"},
      {"\"\\x\"", 1, "an escape that JSON does not have"},
      {"\"\\u12g4\"", 1, "expected four hexadecimal digits"},
      {"\"\\udc00\"", 7, "half a surrogate pair"},
      {"\"\\ud800x\"", 1, "half a surrogate pair"},
      {"\"a\tb\"", 2, "a control character in a string"},
      {std::string("\"a\0b\"", 5), 2, "expected the end of the string"},
      {std::string("[1, \0 2]", 8), 4, "expected a value"},
      {std::string("[1]\0 ", 5), 3, "expected the end of the text"},
      {"{} {}", 3, "expected the end of the text"},
      {"[1 /* c */]", 3, "expected \",\" or \"]\""},
  }));
  for (size_t piece : {1, 3, 1 << 20}) {
    auto mistake = read(text, piece).mistake;
    CAPTURE(text, piece);
    REQUIRE(mistake);
    CHECK(mistake->what == what);
    CHECK(mistake->offset == offset);
  }
}

TEST_CASE("nesting has a limit") {
  std::string open(kMostJsonNesting, '['), close(kMostJsonNesting, ']');
  CHECK_FALSE(read(open + close).mistake);
  auto mistake = read("[" + open + close + "]").mistake;
  REQUIRE(mistake);
  CHECK(mistake->offset == kMostJsonNesting);
  CHECK(read(std::string(10'000'000, '[')).mistake);
}

TEST_CASE("a spool gives back what was written, in whichever way it is asked") {
  auto bytes = GENERATE(as<size_t>(), 0, 5, 3'000'000);
  std::string text;
  for (size_t i = 0; text.size() < bytes; ++i) text += fmt::format("{},", i);
  Spool spool, same;
  for (size_t at = 0; at < text.size(); at += 70'000) {
    spool.write(std::string_view(text).substr(at, 70'000));
    same.write(std::string_view(text).substr(at, 70'000));
  }
  std::string drained, read;
  spool.drain([&](std::string_view piece) { drained += piece; });
  CHECK((drained == text));
  std::string piece(999, '\0');
  for (size_t n; (n = same.read(piece.data(), piece.size())) > 0;) read.append(piece, 0, n);
  CHECK((read == text));
  CHECK(spool.error() + same.error() == 0);
}

TEST_CASE("what does not fit in memory goes where TMPDIR says") {
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  setenv("TMPDIR", "/nowhere/at/all", 1);
  Spool spool;
  spool.write(std::string(3 << 20, 'x'));
  CHECK(spool.error() == ENOENT);
  setenv("TMPDIR", "/dev/shm", 1);
  Spool other;
  other.write(std::string(3 << 20, 'x'));
  size_t bytes = 0;
  other.drain([&](std::string_view piece) { bytes += piece.size(); });
  CHECK(other.error() == 0);
  CHECK(bytes == 3 << 20);
  if (kept.empty()) unsetenv("TMPDIR");
  else setenv("TMPDIR", kept.c_str(), 1);
}

TEST_CASE("JSON of others has a depth at which its values can be copied and freed") {
  auto nested = [](size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); };
  CHECK(parse_json(nested(kMostJsonNesting)));
  CHECK(
      parse_json(nested(kMostJsonNesting).insert(kMostJsonNesting, "{\"a\": 1}").substr(1, 2 * kMostJsonNesting + 6)));
  CHECK_FALSE(parse_json(nested(kMostJsonNesting + 1)));
  CHECK_FALSE(parse_json(nested(2'000'000)));
  CHECK_FALSE(is_json(std::string(2'000'000, '[')));
  CHECK(parse_json("{\"a\": \"" + std::string(1000, '[') + "\\\"[\"}"));
  CHECK(is_json("[[], [], {}]"));
  CHECK_FALSE(parse_json("{"));
}
