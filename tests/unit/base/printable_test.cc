#include "base/printable.h"

#include <catch2/catch.hpp>

#include "base/diagnostics.h"

using namespace warptime;

TEST_CASE("what a terminal would obey is shown as hex digits") {
  CHECK(printable("plain, \"quoted\", \xc3\xa4 and \xe2\x82\xac") == "plain, \"quoted\", \xc3\xa4 and \xe2\x82\xac");
  CHECK(printable("\x1b[2J") == "\\x1b[2J");
  CHECK(printable(std::string_view("a\0b\x7f", 4)) == "a\\x00b\\x7f");
  CHECK(printable("tab\tstays") == "tab\tstays");
  CHECK(printable("two\nlines") == "two\\x0alines");
  CHECK(printable("two\nlines", true) == "two\nlines");
  CHECK(printable("\r", true) == "\\x0d");
  CHECK(printable("\xc2\x9b"
                  "2J") ==
        "\\xc2\\x9b"
        "2J");  // CSI of ISO 6429, in UTF-8
  CHECK(printable("\x9b"
                  "2J") ==
        "\\x9b"
        "2J");  // and as a byte
  CHECK(printable("\xff\xc3") == "\\xff\\xc3");
  CHECK(printable("\xe0\x80\x9b") == "\\xe0\\x80\\x9b");  // written longer than it has to be
}

TEST_CASE("long names are clipped, within quotes and without, paths are not") {
  std::string sixty(60, 'n'), longer(61, 'n');
  CHECK(clipped(sixty) == sixty);
  CHECK(clipped(longer) == sixty + "...");
  CHECK(clipped(std::string(59, 'n') + "\xc3\xa4") == std::string(59, 'n') + "...");
  CHECK(clip_names("no \"" + longer + "\" here, nor " + longer) ==
        "no \"" + sixty + "...\" here, nor " + sixty + "...");
  CHECK(clip_names("\"" + std::string(30, 'a') + " " + std::string(40, 'b') + "\"") ==
        "\"" + std::string(30, 'a') + " " + std::string(29, 'b') + "...\"");
  std::string path = "/tmp/" + longer;
  CHECK(clip_names("cannot read \"" + path + "\"") == "cannot read \"" + path + "\"");
  CHECK(clip_names("12\" wide") == "12\" wide");
}

TEST_CASE("diagnostics show names from outside as they are, clipped and without control characters") {
  SourceText source("na\x1bme.yaml", "key\n");
  std::string text = format_diagnostic({Severity::Error,
                                        {&source, 0, 3},
                                        "unknown key \"\x1b[2J" + std::string(100, 'k') + "\"",
                                        "did you\x1b mean\nthis"});
  CHECK(text == "na\\x1bme.yaml:1:1: error: unknown key \"\\x1b[2J" + std::string(56, 'k') +
                    "...\"\n     1 | key\n       | ^~~\n         hint: did you\\x1b mean\nthis\n");
}
