// `warptime explain`: a run and its statistics file say the same; what a file lacks is said; what cannot be explained
// ends with a sentence.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tools/run_program.h"

using namespace warptime::test;
using Catch::Contains;
using Json = nlohmann::ordered_json;

namespace {

const std::vector<std::string> kExplained{"matmul:naive", "--param", "n=64"};

Outcome explain_words(std::vector<std::string> words) {
  words.insert(words.begin(), "explain");
  return warptime::test::warptime(words);
}

std::string statistics_file(const TempFolder& folder, std::vector<std::string> more) {
  std::vector<std::string> words{"run", "--quiet", "--stats", folder.path("s.json")};
  words.insert(words.end(), kExplained.begin(), kExplained.end());
  words.insert(words.end(), more.begin(), more.end());
  REQUIRE(warptime::test::warptime(words).status == 0);
  return folder.path("s.json");
}

}  // namespace

TEST_CASE("explain: a run and its statistics file say the same") {
  TempFolder folder;
  std::string file = statistics_file(folder, {"--stats-per-instruction"});
  Outcome run = explain_words(kExplained), read = explain_words({file});
  REQUIRE(run.status == 0);
  REQUIRE(read.status == 0);
  CHECK(run.out == read.out);
  CHECK_THAT(run.out, Contains("matmul:naive on geforce-8800-gtx") && Contains("naive, ") &&
                          Contains("  bound      ") && Contains("  1. "));
  Json document = Json::parse(explain_words({file, "--json"}).out);
  REQUIRE(document["launches"].size() == 1);
  CHECK(document["launches"][0]["kernel"] == "naive");
  CHECK(document["launches"][0]["resources"].size() == 13);
  CHECK(document["run"]["bound"].is_string());
  for (const Json& finding : document["launches"][0]["findings"]) {
    CHECK(finding["won"].is_null());
    CHECK(finding["line"].is_number_unsigned());
  }
}

TEST_CASE("explain: a file has all that the rules read") {
  TempFolder folder;
  const std::vector<std::vector<std::string>> targets{{"rpes:shared", "--param", "atoms=2"},
                                                      {"h264:texture", "--param", "across=2", "--param", "down=1"},
                                                      {"fem", "--param", "cells=4", "--param", "steps=2"}};
  for (const auto& target : targets) {
    std::vector<std::string> words{"run", "--quiet", "--stats-per-instruction", "--stats", folder.path("s.json")};
    words.insert(words.end(), target.begin(), target.end());
    REQUIRE(warptime::test::warptime(words).status == 0);
    Outcome run = explain_words(target), read = explain_words({folder.path("s.json")});
    CHECK(run.out == read.out);
    CHECK_THAT(run.out, Contains("  1. "));
  }
}

TEST_CASE("explain: the output does not depend on threads") {
  auto words = [](const std::string& threads) {
    std::vector<std::string> out = kExplained;
    out.insert(out.end(), {"--check", "--threads", threads});
    return out;
  };
  Outcome one = explain_words(words("1")), three = explain_words(words("3"));
  REQUIRE(one.status == 0);
  CHECK(one.out == three.out);
  CHECK_THAT(one.out, Contains(", measured "));
}

TEST_CASE("explain: what a file lacks is said") {
  TempFolder folder;
  Outcome outcome = explain_words({statistics_file(folder, {"--attribution", "off"})});
  REQUIRE(outcome.status == 0);
  CHECK_THAT(outcome.out, Contains("no rows for instructions") && Contains("no stall reasons"));
  outcome = explain_words({statistics_file(folder, {"--set", "memory.partitions=4"})});
  REQUIRE(outcome.status == 0);
  CHECK_THAT(outcome.out, Contains("The parameters of this machine are not known here"));
}

TEST_CASE("explain: copies and launches of the host") {
  Outcome outcome = explain_words({"vecadd", "--param", "n=4096", "--json", "--check"});
  REQUIRE(outcome.status == 0);
  Json run = Json::parse(outcome.out)["run"];
  INFO(run.dump(2));
  CHECK(run["bound"] == "host");
  REQUIRE(run["findings"].size() == 2);
  for (const Json& finding : run["findings"])
    CHECK(finding["promised"].get<double>() == Approx(finding["won"].get<double>()).epsilon(0.25));
}

TEST_CASE("explain: what cannot be explained ends with a sentence") {
  TempFolder folder;
  std::string functional = statistics_file(folder, {"--functional"});
  std::string timed = folder.path("t.json");
  REQUIRE(warptime::test::warptime({"run", "vecadd", "--param", "n=64", "--quiet", "--stats", timed}).status == 0);
  Json none = Json::parse(read_text(timed));
  none["launches"] = Json::array();
  using Case = std::pair<std::vector<std::string>, std::string>;
  const std::vector<Case> cases{
      {{functional}, "is of a functional run, which has no time to explain"},
      {{folder.write("none.json", none.dump())}, "has no launches to explain"},
      {{timed, "--check"}, "--check runs the program again"},
      {{timed, "--param", "n=1"}, "--param needs a TARGET"},
      {{folder.path("gone.json")}, "gone.json"},
      {{folder.write("bad.json", "{")}, "a statistics file must be JSON"},
      {{folder.write("other.json", "{}")}, "is not a statistics file"},
      {{"vecadd", "--functional"}, "a functional run has no time to explain"},
      {{"vecadd", "--machine", "generic"}, "the machine generic has no timing"},
      {{}, "needs a TARGET"},
  };
  for (const auto& [words, message] : cases) {
    Outcome outcome = explain_words(words);
    INFO(message);
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.err, Contains(message));
  }
}
