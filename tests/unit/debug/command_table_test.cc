// The table of the debugger's commands, and what follows from it.
#include "debug/commands/command_table.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "base/source_text.h"
#include "debug/commands/console.h"

using namespace warptime;
using namespace warptime::debug;

TEST_CASE("names and short forms of commands are unique", "[debug]") {
  std::set<std::string_view> seen;
  for (const CommandRow& row : command_rows()) {
    CHECK(seen.insert(row.name).second);
    if (!row.letters.empty()) CHECK(seen.insert(row.letters).second);
    CHECK(Console::find_command(row.name) == &row);
    CHECK((row.letters.empty() || Console::find_command(row.letters) == &row));
  }
}

TEST_CASE("a command may be shortened as long as it is unambiguous", "[debug]") {
  REQUIRE(Console::find_command("cont") != nullptr);
  CHECK(Console::find_command("cont")->name == "continue");
  CHECK(Console::find_command("reverse-c")->name == "reverse-continue");
  CHECK(Console::find_command("reverse") == nullptr);
  CHECK(Console::find_command("nothing") == nullptr);
}

TEST_CASE("completion proposes commands and their words", "[debug]") {
  CHECK(completions("reverse-c") == std::vector<std::string>{"reverse-continue"});
  CHECK(completions("info wa") == std::vector<std::string>{"info warps"});
  CHECK(completions("i sc") == std::vector<std::string>{"i scoreboard"});
  CHECK(completions("catch stall gl") == std::vector<std::string>{"catch stall global_dependency"});
  CHECK(completions("print x").empty());
  CHECK(completions("").size() == command_rows().size());
}

TEST_CASE("docs/debugger.md has the table of commands", "[debug]") {
  auto page = SourceText::read_file(WARPTIME_SOURCE_DIR "/docs/debugger.md", nullptr);
  REQUIRE(page != nullptr);
  INFO(command_page());
  CHECK(page->text().find(command_page()) != std::string_view::npos);
  for (const InfoRow& row : info_rows())
    CHECK(page->text().find("`" + std::string(row.name) + "`") != std::string_view::npos);
}

TEST_CASE("without a launch, commands say so", "[debug]") {
  std::string printed;
  Console console([&](std::string_view text) { printed += text; });
  CHECK(console.execute("stepi") == Console::Next::Command);
  CHECK(printed == "the program is not being run; `run` begins it\n");
  CHECK(console.execute("quit") == Console::Next::Quit);
  CHECK(console.execute("run") == Console::Next::Restart);
}
