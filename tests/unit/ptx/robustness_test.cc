// No bytes may crash the front end or keep it busy: cut files, changed files, deep nesting, noise.
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "load.h"
#include "ptx/load_module.h"

namespace warptime::ptx {
namespace {

std::vector<std::string> sample_texts() {
  std::vector<std::string> texts;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(WARPTIME_SOURCE_DIR "/tests/ptx/accept"))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    texts.push_back(text.str().substr(0, text.str().find("// ---- expected")));
  }
  return texts;
}

void survive(std::string text) {
  Diagnostics diagnostics;
  auto module = load_module(std::make_shared<SourceText>("test.ptx", std::move(text)), diagnostics);
  // Either a module or a reason why not; both print.
  REQUIRE((module == nullptr) == diagnostics.has_errors());
  if (module != nullptr) to_text(*module);
  diagnostics.to_text();
}

void cut(size_t places) {
  for (const std::string& text : sample_texts())
    for (size_t length = 0; length < text.size(); length += 1 + text.size() / places) survive(text.substr(0, length));
}

TEST_CASE("Robustness: files cut", "[ptx][robust]") { cut(30); }
TEST_CASE("Robustness: files cut anywhere", "[ptx][robust][full]") { cut(150); }

void change_bytes(int rounds) {
  std::mt19937 random(1);
  const std::string alphabet =
      "{}[]();:,.%$_@!|<>=+-*/~?#\"\n \x80"
      "09afrxUpv";
  for (const std::string& text : sample_texts()) {
    for (int round = 0; round < rounds; ++round) {
      std::string changed = text;
      for (int change = 0; change < 1 + round % 4; ++change) {
        size_t at = random() % changed.size();
        switch (random() % 4) {
          case 0: changed[at] = alphabet[random() % alphabet.size()]; break;
          case 1: changed.erase(at, 1 + random() % 8); break;
          case 2: changed.insert(at, changed.substr(random() % changed.size(), random() % 20)); break;
          case 3: changed.insert(at, 1, alphabet[random() % alphabet.size()]); break;
        }
        if (changed.empty()) break;
      }
      survive(changed);
    }
  }
}

TEST_CASE("Robustness: a few bytes changed, removed, doubled", "[ptx][robust]") { change_bytes(15); }
TEST_CASE("Robustness: bytes changed, removed, doubled", "[ptx][robust][full]") { change_bytes(60); }

TEST_CASE("Robustness: noise", "[ptx][robust]") {
  std::mt19937 random(2);
  for (int round = 0; round < 200; ++round) {
    std::string text = round % 2 == 0 ? "" : ".version 9.0 .target sm_75 .address_size 64 .entry k() {";
    for (int i = 0; i < 300; ++i) text += static_cast<char>(round % 4 < 2 ? 1 + random() % 255 : 32 + random() % 95);
    survive(text);
  }
}

void nest(size_t many) {
  const std::string head = ".version 9.0 .target sm_75 .address_size 64\n";
  auto repeated = [](std::string_view part, size_t count) {
    std::string out;
    for (size_t i = 0; i < count; ++i) out += part;
    return out;
  };
  survive(head + ".entry k() " + repeated("{", many));
  survive(head + repeated("{", many));
  survive(head + ".entry k() { .reg .u32 r; mov.u32 r, " + repeated("(", many));
  survive(head + ".entry k() { .reg .u32 r; mov.u32 r, " + repeated("-", many));
  survive(head + ".entry k() { .reg .u32 r; mov.u32 r, " + repeated("1?", many));
  survive(head + ".entry k() { .reg .u32 r; mov.u32 r, " + repeated("(.s64)", many));
  survive(head + ".entry k() { .reg .u32 r; mov.u32 r, " + repeated("1?2:", many));
  survive(head + ".entry k() { .reg .u32 r; mov.u32 r, " + repeated("1+(", many));
  survive(head + ".global .u32 x = {" + repeated("{1},", many));
  survive(head + ".global .u64 x = " + repeated("generic(", many));
  survive(head + ".entry k() { mov.u32 {" + repeated("{", many));
  survive(head + ".global .u32 x = " + repeated("{", many));
  survive(head + ".global .u32 x" + repeated("[1]", many));
  survive(head + ".entry k() { add" + repeated(".s32", many));
  survive(head + ".entry k() { .reg .u32 r; add.u32 " + repeated("r,", many));
  survive(repeated("/*", many));
  survive(repeated("\"", many));
  survive(repeated("\n", many));
}

TEST_CASE("constant expressions and scopes nest 64 deep and no deeper", "[ptx][robust]") {
  auto errors = [](const std::string& level, const std::string& middle, const std::string& close, size_t times) {
    std::string text = ".version 9.0 .target sm_75 .address_size 64\n.entry k() { .reg .u64 r;\n";
    if (level != "{") text += "mov.u64 r, ";
    for (size_t i = 0; i < times; ++i) text += level;
    text += middle;
    for (size_t i = 0; i < times; ++i) text += close;
    if (level != "{") text += ";";
    Diagnostics diagnostics;
    load_module(std::make_shared<SourceText>("test.ptx", text + "\nret;\n}\n"), diagnostics);
    return diagnostics.to_text();
  };
  for (auto [level, close] :
       {std::pair("(.s64)", ""), std::pair("-", ""), std::pair("~", ""), std::pair("(", ")"), std::pair("1?2:", "")}) {
    CAPTURE(level);
    CHECK(errors(level, "1", close, 63).empty());
    for (size_t times : {size_t{65}, size_t{30000}})
      CHECK(errors(level, "1", close, times).find("error: this constant expression is nested too deeply") !=
            std::string::npos);
  }
  CHECK(errors("{", "", "}", 63).empty());
  CHECK(errors("{", "", "}", 30000).find("error: more than 64 nested scopes") != std::string::npos);
}

TEST_CASE("Robustness: deep nesting", "[ptx][robust]") { nest(200000); }
TEST_CASE("Robustness: nesting without end", "[ptx][robust][full]") { nest(1000000); }

TEST_CASE("Robustness: sizes that overflow", "[ptx][robust]") {
  const std::string head = ".version 9.0 .target sm_75 .address_size 64\n";
  CHECK_FALSE(errors_of(head + ".global .u64 x[1099511627776][1099511627776];").empty());
  CHECK_FALSE(errors_of(head + ".global .b8 x[1000000000] = {1};").empty());
  CHECK_FALSE(errors_of(head + ".global .b8 x[][1000000000] = {{1}, {2}};").empty());
  CHECK_FALSE(errors_of(head + ".global .b8 x[][1099511627776][1099511627776] = {{{1}}, {2}};").empty());
  CHECK(errors_of(head + ".entry k() { .reg .u32 %r<16000000>; mov.u32 %r15999999, 1; }").empty());
  CHECK_FALSE(errors_of(head + ".entry k() { .reg .u32 %r<99999999999>; }").empty());
}

TEST_CASE("Robustness: many scopes, labels and registers", "[ptx][robust]") {
  std::string text = ".version 9.0 .target sm_75 .address_size 64\n.entry k() {\n";
  for (int i = 0; i < 5000; ++i) text += "{ .reg .pred p; setp.eq.u32 p, 1, 2; @p bra L; mov.pred p, 1; L: }\n";
  CHECK(errors_of(text + "}").empty());
}

}  // namespace
}  // namespace warptime::ptx
