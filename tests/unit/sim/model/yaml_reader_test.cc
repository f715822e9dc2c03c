#include "sim/model/yaml_reader.h"

#include <fmt/format.h>

#include <array>
#include <catch2/catch.hpp>
#include <random>
#include <string>

using namespace warptime;

namespace {

struct Parsed {
  Diagnostics diagnostics;
  std::optional<yaml::Node> root;

  explicit Parsed(std::string text) {
    root = yaml::parse(std::make_shared<SourceText>("f.yaml", std::move(text)), diagnostics);
  }
  std::string text() const { return diagnostics.to_text(); }
};

}  // namespace

TEST_CASE("nodes know their place and what they are") {
  Parsed p("a: 1\nlist: [x, \"y z\"]\nmap: {k: }\n");
  REQUIRE(p.root);
  REQUIRE(p.root->entries.size() == 3);
  const yaml::Entry& list = p.root->entries[1];
  CHECK(list.key == "list");
  CHECK(list.where.begin == 5);
  CHECK(list.where.length == 4);
  REQUIRE(list.value.items.size() == 2);
  CHECK_FALSE(list.value.items[0].quoted);
  CHECK(list.value.items[1].quoted);
  CHECK(list.value.items[1].text == "y z");
  CHECK(list.value.items[1].where.begin == 15);
  CHECK(list.value.items[1].where.length == 5);
  CHECK(p.root->entries[2].value.entries[0].value.kind == yaml::Node::Kind::Null);
  CHECK(yaml::describe(list.value) == "a list");
}

// A backslash in the first line keeps the words of all comments behind it, so yaml-cpp reads them.
TEST_CASE("without the words of comments a text is the same tree, at the same places") {
  constexpr std::array kLines{"a: 1",
                              "b: [1, 2]   ",
                              "  c: x y",
                              "# all # of it",
                              "   # within",
                              "d: 'q # q'",
                              "e: \"#\"",
                              "f: \"open",
                              "  shut\"",
                              "g: |",
                              "  h # kept",
                              "i: it's",
                              "j: x#y",
                              "",
                              "- k",
                              "l: {m: ",
                              "  n}",
                              "o: >-",
                              "p: \t# after a tab",
                              "---",
                              "% # %",
                              "q: 'it''s'",
                              "r: \"\\\""};
  std::mt19937 random(7);
  size_t trees = 0;
  for (int round = 0; round < 4'000; ++round) {
    std::string text;
    for (uint32_t i = 0, count = 1 + random() % 7; i < count; ++i) {
      std::string line = kLines[random() % kLines.size()];
      if (random() % 2 == 0) line += "   # words: [\"";
      text +=
          fmt::format("{}{}{}", line, random() % 4 == 0 ? std::to_string(i) : "", random() % 8 == 0 ? "\r\n" : "\n");
    }
    Parsed cut("first: '12'\n" + text), whole("first: \"\\t\"\n" + text);
    INFO(text);
    REQUIRE(cut.root.has_value() == whole.root.has_value());
    if (!cut.root) {  // the same error at the same place, but for the first line
      REQUIRE(cut.text() == whole.text());
      continue;
    }
    ++trees;
    std::string shown, same;
    auto show = [](const auto& self, const yaml::Node& node, std::string& out) -> void {
      out += fmt::format("{} {} {}+{} {}\n", static_cast<int>(node.kind), node.quoted, node.where.begin,
                         node.where.length, node.text);
      for (const yaml::Node& item : node.items) self(self, item, out);
      for (const yaml::Entry& entry : node.entries) {
        out += fmt::format("{} {}\n", entry.key, entry.where.begin);
        self(self, entry.value, out);
      }
    };
    for (size_t i = 1; i < cut.root->entries.size(); ++i) {
      show(show, cut.root->entries[i].value, shown);
      show(show, whole.root->entries[i].value, same);
    }
    REQUIRE(shown == same);
  }
  CHECK(trees > 100);
}

TEST_CASE("an empty text is nothing, not an error") {
  for (const char* text : {"", "\n\n", "# only words\n"}) {
    Parsed p(text);
    REQUIRE(p.root);
    CHECK(p.root->kind == yaml::Node::Kind::Null);
  }
}

TEST_CASE("a duplicate key is an error with both places") {
  Parsed p("a: 1\nb: 2\na: 3\n");
  CHECK_FALSE(p.root);
  CHECK(p.text() ==
        "f.yaml:3:1: error: duplicate key \"a\"\n"
        "     3 | a: 3\n"
        "       | ^\n"
        "         hint: first given on line 1\n");
}

TEST_CASE("the same key in two maps is fine") { CHECK(Parsed("a: {x: 1}\nb: {x: 1}\n").root); }

TEST_CASE("a syntax error of YAML has its place") {
  Parsed p("a: 1\nb: [1, 2\nc: 3\n");
  CHECK_FALSE(p.root);
  CHECK_THAT(p.text(), Catch::Matchers::StartsWith("f.yaml:") && Catch::Matchers::Contains("this is not YAML"));
}

TEST_CASE("aliases, tags, further documents and keys that are not words are refused") {
  const std::pair<const char*, const char*> cases[] = {
      {"a: &x [1]\nb: *x\n", "f.yaml:2:4: error: aliases are not taken here"},
      {"a: !!int 3\n", "error: tags are not taken here"},
      {"a: 1\n---\nb: 2\n", "error: a second document starts here"},
      {"[1]: 2\n", "error: a key must be a word"},
      {"? \n: 2\n", "error: a key must be a word"},
  };
  for (const auto& [text, message] : cases) {
    Parsed p(text);
    CHECK_FALSE(p.root);
    CHECK_THAT(p.text(), Catch::Matchers::Contains(message));
  }
}

TEST_CASE("an alias bomb ends at its first alias") {
  std::string text = "a: &a [x, x]\n";
  for (char c = 'b'; c <= 'z'; ++c) text += fmt::format("{}: &{} [*{}, *{}]\n", c, c, char(c - 1), char(c - 1));
  CHECK_FALSE(Parsed(text).root);
}

TEST_CASE("64 levels are enough") {
  CHECK(Parsed(std::string(64, '[') + std::string(64, ']')).root);
  Parsed p(std::string(65, '[') + std::string(65, ']'));
  CHECK_FALSE(p.root);
  CHECK_THAT(p.text(), Catch::Matchers::Contains("f.yaml:1:65: error: nested more than 64 deep"));
  CHECK_FALSE(Parsed(std::string(100000, '[')).root);
  CHECK_FALSE(Parsed(std::string(100000, '{')).root);
  std::string steps;
  for (int i = 0; i < 300; ++i) steps += std::string(i, ' ') + "a:\n";
  CHECK_FALSE(Parsed(steps).root);
}

TEST_CASE("binary files are refused at the first byte that says so") {
  for (const auto& [text, message] :
       {std::pair(std::string("\x00\x01\x02", 3), "1:1: error: this is not a text file: byte 0x00 at offset 0\n"),
        {std::string("\xff\xfe"
                     "a\0",
                     4),
         "1:1: error: this is not a text file: byte 0xff at offset 0\n"},
        {"a: 1\nb: \x04 b", "2:4: error: this is not a text file: byte 0x04 at offset 8\n"},
        {"\xef\xbb\xbf"
         "a: \x7f",
         "1:7: error: this is not a text file: byte 0x7f at offset 6\n"}}) {
    Parsed p(text);
    CHECK_FALSE(p.root);
    CHECK_THAT(p.text(), Catch::StartsWith(std::string("f.yaml:") + message));
  }
}

TEST_CASE("a key with an escape does not send it to the terminal") {
  Parsed p("\"\\e[2Jkey\": 1\n");
  REQUIRE(p.root);
  Diagnostics diagnostics;
  yaml::report_unknown_key(p.root->entries[0].where, p.root->entries[0].key, "a test", {}, diagnostics);
  CHECK_THAT(diagnostics.to_text(), Catch::Contains("unknown key \"\\x1b[2Jkey\"") && !Catch::Contains("\x1b"));
}

TEST_CASE("a byte order mark does not shift places") {
  Parsed p(
      "\xef\xbb\xbf"
      "a: 1\na: 2\n");
  CHECK_THAT(p.text(), Catch::Matchers::Contains("f.yaml:2:1: error: duplicate key"));
}

TEST_CASE("typed reads refuse what is not exactly the type") {
  Parsed p("i: 12abc\nj: 1.5\nk: \"3\"\nb: yes\nf: 1e3\nm: {}\nn:\ns: [a, [b]]\nbig: 99999999999999999999\n");
  REQUIRE(p.root);
  auto value = [&](size_t i) -> const yaml::Node& { return p.root->entries[i].value; };
  uint32_t u = 7;
  double f = 0;
  bool b = true;
  std::string s = "kept";
  std::vector<std::string> list;
  CHECK_FALSE(yaml::read(value(0), "i", u, range(1, 64), p.diagnostics));
  CHECK_FALSE(yaml::read(value(1), "j", u, any(), p.diagnostics));
  CHECK_FALSE(yaml::read(value(2), "k", u, any(), p.diagnostics));
  CHECK_FALSE(yaml::read(value(3), "b", b, any(), p.diagnostics));
  CHECK(yaml::read(value(4), "f", f, any(), p.diagnostics));
  CHECK_FALSE(yaml::read(value(5), "m", s, any(), p.diagnostics));
  CHECK_FALSE(yaml::read(value(6), "n", s, any(), p.diagnostics));
  CHECK_FALSE(yaml::read(value(7), "s", list, any(), p.diagnostics));
  CHECK_FALSE(yaml::read(value(8), "big", u, any(), p.diagnostics));
  CHECK(u == 7);
  CHECK(b);
  CHECK(f == 1000);
  CHECK(s == "kept");
  CHECK(list.empty());
  std::string text = p.text();
  for (const char* message :
       {"f.yaml:1:4: error: \"i\" must be a whole number, not \"12abc\"\n     1 | i: 12abc\n       |    ^~~~~\n"
        "         hint: legal: 1 to 64\n",
        "f.yaml:2:4: error: \"j\" must be a whole number, not \"1.5\"",
        "f.yaml:3:4: error: \"k\" must be a whole number, not the text \"3\"",
        "f.yaml:4:4: error: \"b\" must be true or false, not \"yes\"", "\"m\" must be a text, not a map",
        "\"n\" must be a text, not nothing", "\"s[1]\" must be a text, not a list",
        "\"big\" must be a whole number that fits 32 bits, not 99999999999999999999"})
    CHECK_THAT(text, Catch::Matchers::Contains(message));
}

namespace {

const yaml::Form kSomeText{.kind = yaml::Form::Kind::Text};
const yaml::Form kSomeCount{.kind = yaml::Form::Kind::Whole, .check = range(1, 100), .computed = true};
const yaml::Form kSomeMap{.kind = yaml::Form::Kind::Map,
                          .fields = {{"type", &kSomeText, "a type", true},
                                     {"count", &kSomeCount, "a count"},
                                     {"init", &kSomeText, "an init", true}}};

}  // namespace

TEST_CASE("a strict map has the keys of its form") {
  Parsed p("type: f32\ncuont: 4\nzzz: 1\n");
  REQUIRE(p.root);
  yaml::StrictMap map(*p.root, "buffer \"x\"", kSomeMap, p.diagnostics);
  std::string type;
  uint64_t count = 9;
  CHECK(map.read("type", type));
  CHECK(map.read("count", count));
  CHECK(count == 9);
  CHECK(map.find("init") == nullptr);
  CHECK_FALSE(map.finish());
  std::string text = p.text();
  CHECK_THAT(text, Catch::Matchers::Contains("error: buffer \"x\" has no \"init\""));
  CHECK_THAT(text, Catch::Matchers::Contains("f.yaml:2:1: error: unknown key \"cuont\" in buffer \"x\"\n"));
  CHECK_THAT(text, Catch::Matchers::Contains("hint: did you mean \"count\"?"));
  CHECK_THAT(text, Catch::Matchers::Contains("hint: legal here: type, count, init"));
  CHECK(p.diagnostics.error_count() == 3);
}

TEST_CASE("a strict map of something else is one error") {
  Parsed p("[1, 2]");
  yaml::StrictMap map(*p.root, "a launch", kSomeMap, p.diagnostics);
  CHECK_FALSE(map.ok());
  CHECK(map.find("type") == nullptr);
  CHECK_FALSE(map.finish());
  CHECK(p.diagnostics.error_count() == 1);
  CHECK_THAT(p.text(), Catch::Matchers::Contains("f.yaml:1:1: error: a launch must be a map, not a list"));
}

TEST_CASE("rules of a form say which keys exclude or need each other") {
  using Kind = yaml::KeyRule::Kind;
  auto [text, kind, message] = GENERATE(table<std::string, Kind, std::string>({
      {"{a: x}", Kind::AtMostOne, ""},
      {"{}", Kind::AtMostOne, ""},
      {"{a: x, b: y}", Kind::AtMostOne, "it has more than one of a and b"},
      {"{b: x}", Kind::ExactlyOne, ""},
      {"{}", Kind::ExactlyOne, "it must have one of a and b"},
      {"{a: x, b: y}", Kind::ExactlyOne, "it has more than one of a and b"},
      {"{}", Kind::AtLeastOne, "it must have one of a and b"},
      {"{a: x, b: y}", Kind::AtLeastOne, ""},
      {"{a: x}", Kind::Together, "it has only one of a and b"},
      {"{a: x, b: y}", Kind::Together, ""},
  }));
  CAPTURE(text);
  yaml::Form form{.kind = yaml::Form::Kind::Map, .fields = {{"a", &kSomeText}, {"b", &kSomeText}}};
  form.rules.push_back({kind, {"a", "b"}});
  Parsed p(text);
  yaml::StrictMap map(*p.root, "it", form, p.diagnostics);
  map.find("a");
  map.find("b");
  CHECK(map.finish() == message.empty());
  if (!message.empty()) CHECK_THAT(p.text(), Catch::Matchers::Contains(message));
}

TEST_CASE("expressions are computed where the form allows them, and nowhere else") {
  const std::vector<std::string_view> known{"n"};
  auto names = [](std::string_view name) -> std::optional<ExpressionValue> {
    if (name == "n") return 10.0;
    return std::nullopt;
  };
  Parsed p("{type: n, count: 2*n + 1, init: n*n}");
  yaml::compute(*p.root, kSomeMap, names, known, p.diagnostics);
  CHECK(p.root->entries[0].value.text == "n");
  CHECK(p.root->entries[1].value.text == "21");
  CHECK(p.root->entries[2].value.text == "n*n");
  CHECK_FALSE(p.diagnostics.has_errors());

  Parsed q("{count: 2*m}\n");
  yaml::compute(*q.root, kSomeMap, names, known, q.diagnostics);
  CHECK_THAT(q.text(), Catch::Matchers::Contains("f.yaml:1:11: error: there is no parameter \"m\""));
  CHECK_THAT(q.text(), Catch::Matchers::Contains("hint: did you mean \"n\"?"));

  Parsed r("{count: n/4}\n");
  yaml::compute(*r.root, kSomeMap, names, known, r.diagnostics);
  CHECK_THAT(r.text(), Catch::Matchers::Contains("\"n/4\" is 2.5, not a whole number"));
  CHECK_THAT(r.text(), Catch::Matchers::Contains("hint: ceil(n/4) or floor(n/4)"));
}
