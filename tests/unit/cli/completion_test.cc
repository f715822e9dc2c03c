// What a shell may complete, and the roff text of manual pages.
#include <catch2/catch.hpp>

#include "cli/cli.h"
#include "cli/completion/completion_table.h"
#include "cli/completion/script_text.h"
#include "cli/man/man_page.h"
#include "tools/run_program.h"

using namespace warptime;
using namespace warptime::cli;
using Catch::Contains;

namespace {

Expected value(Option::Kind kind, Takes takes) { return expected_value({"name", kind, std::move(takes), "what"}); }

}  // namespace

TEST_CASE("the value column of an option says what it may be") {
  constexpr auto kValue = Option::Kind::Value;
  CHECK(kind_text(value(Option::Kind::Flag, "")) == "anything");
  CHECK(kind_text(value(kValue, Takes::words("half|quarter"))) == "words half quarter");
  CHECK(kind_text(value(kValue, Takes::words("N|all"))) == "words all");
  CHECK(kind_text(value(Option::Kind::OptionalValue, Takes::words("timing"))) == "words timing");
  CHECK(kind_text(value(kValue, "N")) == "anything");
  CHECK(kind_text(value(kValue, Takes::file("FILE.svg|FILE.png"))) == "file");
  CHECK(kind_text(value(kValue, Takes::file("PLAN"))) == "file");
  CHECK(kind_text(value(kValue, Takes::machine("NAME|FILE"))) == "machine");
  CHECK(kind_text(value(kValue, Takes::machines("NAME|FILE,..."))) == "machine-list");
  CHECK(kind_text(value(Option::Kind::OptionalValue, Takes::processor("NAME|FILE"))) == "processor");
  CHECK(kind_text(value(Option::Kind::Repeated, Takes::setting("PATH=VALUE"))) == "setting");
  CHECK(kind_text(value(Option::Kind::Repeated, Takes::settings("PATH=V1,V2,..."))) == "setting-list");
  CHECK(kind_text(value(Option::Kind::Repeated, Takes::parameter("NAME=VALUE"))) == "parameter");
  CHECK(kind_text(value(Option::Kind::Repeated, Takes::output("NAME=FILE"))) == "output");
  CHECK(kind_text(value(kValue, Takes::statistics("NAME,..."))) == "statistic-list");
  CHECK(kind_text(value(kValue, Takes::words("time|memory"))) == "words time memory");
  CHECK(kind_text(value(Option::Kind::Repeated, "NAME=TYPE:COUNT[:zeros|iota|random|@FILE]")) == "anything");
}

TEST_CASE("the usage of a command says what its words may be") {
  auto word = [](std::string usage, size_t index, size_t most = 2) {
    Command command;
    command.name = "x";
    command.usage = std::move(usage);
    command.max_words = most;
    return kind_text(expected_word(command, index));
  };
  CHECK(word("TARGET [options]", 0) == "target");
  CHECK(word("TARGET [options]", 1, 1) == "anything");
  CHECK(word("A.json B.json...|PROFILE  or  compare TARGET...", 1) == "target");
  CHECK(word("show NAME|FILE [options]", 0) == "words show");
  CHECK(word("show NAME|FILE [options]", 1) == "machine");
  CHECK(word("bash|zsh|fish [options]", 0) == "words bash zsh fish");
  CHECK(word("bash|zsh|fish [options]", 1) == "anything");
  CHECK(word("FILE [options]", 0) == "file");
  CHECK(word("STATS.json...|SWEEP.csv [options]", 0) == "file");
  CHECK_THAT(word("[GROUP...] [options]", 0),
             Contains("group book era h200 h200-counters h200-holdout holdout matmul"));
  CHECK_THAT(word("[COMMAND] [options]", 0), Contains("words run exec list machine"));
}

TEST_CASE("every name is one that no shell expands") {
  CompletionNames names = completion_names();
  std::vector<std::string> all = names.targets;
  for (const auto* more : {&names.machines, &names.processors, &names.statistics})
    all.insert(all.end(), more->begin(), more->end());
  for (const auto& [path, words] : names.settings) {
    all.push_back(path);
    all.insert(all.end(), words.begin(), words.end());
  }
  for (const auto* more : {&names.parameters, &names.outputs})
    for (const auto& [workload, list] : *more) {
      all.push_back(workload);
      all.insert(all.end(), list.begin(), list.end());
    }
  CHECK(all.size() > 300);
  for (const std::string& name : all) {
    CAPTURE(name);
    CHECK_FALSE(name.empty());
    CHECK(name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:") ==
          std::string::npos);
  }
}

TEST_CASE("a manual page prints points, quotes, backslashes and hyphens of a help text as they are") {
  Command command{.name = "odd",
                  .usage = "A\n       warptime odd B",
                  .summary = "say\\ odd things",
                  .details = ".first\n'second\n\n  as it is\n    deeper\nlast-line\n",
                  .options = {{"out", Option::Kind::Value, "FILE", "where to", 'o'},
                              {"json", Option::Kind::OptionalValue, "FILE", "'quoted'"},
                              {"only", Option::Kind::Repeated, "TEXT", "which"}},
                  .unavailable = {},
                  .examples = {"warptime odd --out x"},
                  .word_name = "word"};
  std::string page = command_page(command);
  CHECK_THAT(page, Contains(".TH WARPTIME\\-ODD 1 \"\" \"warptime "));
  CHECK_THAT(page, Contains("\nwarptime\\-odd \\- say\\e odd things\n"));
  CHECK_THAT(page, Contains("\n.nf\nwarptime odd A\nwarptime odd B\n.fi\n"));
  CHECK_THAT(page,
             Contains("\n\\&.first\n\\&'second\n.PP\n.RS 4\n.nf\nas it is\n  deeper\n.fi\n.RE\n.PP\nlast\\-line\n"));
  CHECK_THAT(page, Contains("\n.TP\n\\fB\\-o\\fR, \\fB\\-\\-out\\fR \\fIFILE\\fR\nwhere to\n"));
  CHECK_THAT(page, Contains("\n.TP\n\\fB\\-\\-json\\fR[=\\fIFILE\\fR]\n\\&'quoted'\n"));
  CHECK_THAT(page, Contains("\nwhich (repeatable)\n"));
}

TEST_CASE("completion and man refuse what they do not know") {
  auto run = [](std::vector<std::string> words) { return warptime::test::warptime(std::move(words)); };
  CHECK_THAT(run({"completion", "csh"}).err, Contains("hint: did you mean \"zsh\"?"));
  CHECK_THAT(run({"completion", "powershell"}).err, Contains("available: bash, zsh, fish"));
  CHECK(run({"completion"}).status == 2);
  CHECK_THAT(run({"man", "runn"}).err, Contains("hint: did you mean \"run\"?"));
  CHECK_THAT(run({"man", "run", "--folder", "."}).err, Contains("--folder writes the pages of all commands"));
  CHECK_THAT(run({"man", "--folder", ".", "--output", "x"}).err, Contains("--output is for one page"));
  CHECK_THAT(run({"man", "--folder", "/nowhere/at/all"}).err, Contains("/nowhere/at/all"));
  CHECK(run({"man", "--folder", "/nowhere/at/all"}).status == 2);
}
