// `warptime whatif`: its rows, their ranking, what is not run, and what an interrupted one is worth.
#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tools/run_program.h"

using namespace warptime::test;
using Catch::Contains;
using Json = nlohmann::ordered_json;

namespace {

using Words = std::vector<std::string>;
using Rows = std::vector<Words>;

/// A few parameters, each run of a few milliseconds.
Outcome what_if(Words more, const Words& target = {"vecadd", "--param", "n=4096"}, const std::string& only = "dram.t") {
  Words words{"whatif"};
  words.insert(words.end(), target.begin(), target.end());
  if (!only.empty()) words.insert(words.end(), {"--only", only});
  words.insert(words.end(), more.begin(), more.end());
  return warptime::test::warptime(words);
}

Rows what_if_rows(const std::string& csv) {
  Rows rows;
  std::istringstream in(csv);
  for (std::string line; std::getline(in, line);) {
    std::istringstream cells(line);
    rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
  }
  return rows;
}

}  // namespace

TEST_CASE("a what-if has a row for the machine as it is and one for each other value") {
  Outcome outcome = what_if({"--csv", "-"});
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.err.empty());
  Rows rows = what_if_rows(outcome.out);
  REQUIRE(rows.size() > 20);
  CHECK(rows[0] == Words{"parameter", "value", "time_us", "change", "status", "whatif"});
  CHECK(Words(rows[1].begin(), rows[1].begin() + 2) == Words{"baseline", ""});
  CHECK(rows[1][3] == "0");
  CHECK(Words(rows[2].begin(), rows[2].begin() + 2) == Words{"dram.tRCD", "11"});
  CHECK(Words(rows[3].begin(), rows[3].begin() + 2) == Words{"dram.tRCD", "17"});
  double own = std::stod(rows[1][2]);
  for (size_t i = 1; i < rows.size(); ++i) {
    INFO(rows[i][0] << "=" << rows[i][1]);
    CHECK(rows[i][4] == "0");
    CHECK(std::stod(rows[i][3]) == Approx(std::stod(rows[i][2]) / own - 1).margin(1e-6));
    CHECK(rows[i][5] == rows[1][5]);
  }
  // A row has the time of the run by itself.
  Outcome alone = warptime::test::warptime(
      {"run", "vecadd", "--param", "n=4096", "--set", "dram.tRCD=17", "--stats", "-", "--quiet"});
  CHECK(Json::parse(alone.out)["total"]["time_us"].get<double>() == Approx(std::stod(rows[3][2])));
}

TEST_CASE("the table ranks parameters by the larger change, and says what was not run", "[full]") {
  Outcome outcome = what_if({"--top", "3"}, {"vecadd", "--param", "n=30000"}, "");
  CAPTURE(outcome.err, outcome.out);
  REQUIRE(outcome.status == 0);
  CHECK_THAT(outcome.out, Contains("vecadd on geforce-8800-gtx: "));
  CHECK_THAT(outcome.out, Contains("parameter ") && Contains("faster") && Contains("slower"));
  CHECK_THAT(outcome.out, Contains("3 of ") && Contains(" parameters that change the time; "));
  CHECK_THAT(outcome.out, Contains("are not legal by themselves"));
  CHECK_THAT(outcome.out, Contains("texture (no texture accesses)") && Contains("l1 (no such cache)"));
  Json json = Json::parse(what_if({"--json"}, {"vecadd", "--param", "n=30000"}, "").out);
  CHECK(json["time_us"].get<double>() > 0);
  CHECK(std::any_of(json["refused"].begin(), json["refused"].end(),
                    [](const Json& text) { return text == "chip.window_cycles=128"; }));
  // The first line of the table has the largest change of all.
  double largest = 0;
  std::string name;
  for (const Json& parameter : json["parameters"])
    for (const Json& value : parameter["values"])
      if (value["change"].is_number() && std::abs(value["change"].get<double>()) > largest) {
        largest = std::abs(value["change"].get<double>());
        name = parameter["parameter"];
      }
  size_t head = outcome.out.find("slower\n");
  REQUIRE(head != std::string::npos);
  CHECK(outcome.out.substr(head + 7, name.size() + 1) == name + " ");
}

TEST_CASE("a what-if keeps the user's settings, and runs any number of jobs with the same bytes") {
  Words target{"vecadd", "--param", "n=4096", "--set", "memory.partitions=2"};
  Outcome one = what_if({"--csv", "-", "--jobs", "1"}, target);
  CHECK(one.out == what_if({"--csv", "-", "--jobs", "3"}, target).out);
  CHECK(what_if_rows(one.out)[1][2] != what_if_rows(what_if({"--csv", "-"}).out)[1][2]);
}

TEST_CASE("values with which the program does not run have a row without a time") {
  TempFolder folder;
  std::string csv = folder.path("w.csv");
  Outcome outcome = what_if({"--csv", csv}, {"matmul:unrolled", "--param", "n=32"}, "sm.shared.bytes");
  CHECK(outcome.status == 0);
  // A block needs 2.5 KB.
  CHECK_THAT(outcome.out, !Contains("does not run"));
  outcome = what_if({"--csv", csv, "--force", "--set", "sm.shared.bytes=3000"}, {"matmul:unrolled", "--param", "n=32"},
                    "sm.shared.bytes");
  CAPTURE(outcome.out, outcome.err);
  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  CHECK_THAT(outcome.out, Contains("the program does not run with sm.shared.bytes=2400"));
  Rows rows = what_if_rows(read_text(csv));
  REQUIRE(rows.size() == 4);
  CHECK(Words(rows[2].begin(), rows[2].begin() + 5) == Words{"sm.shared.bytes", "2400", "", "", "2"});
}

TEST_CASE("a what-if resumed from any row has the file of an undisturbed one") {
  TempFolder folder;
  std::string whole = folder.path("whole.csv"), file = folder.path("part.csv");
  REQUIRE(what_if({"--csv", whole, "--quiet"}).status == 0);
  std::string text = read_text(whole);
  for (size_t cut : {size_t{0}, size_t{10}, text.find('\n') + 1, text.find("dram.tRP"), text.size() - 3, text.size()}) {
    folder.write("part.csv", text.substr(0, cut));
    Outcome outcome = what_if({"--csv", file, "--resume"});
    CAPTURE(cut, outcome.err);
    CHECK(outcome.status == 0);
    CHECK(read_text(file) == text);
    CHECK_THAT(outcome.out, Contains("parameters that change the time"));
  }
  Outcome other = what_if({"--csv", file, "--resume"}, {"vecadd", "--param", "n=5000"});
  CHECK(other.status == 2);
  CHECK_THAT(other.err, Contains("was written by a different what-if"));
}

TEST_CASE("a what-if replaces a file with --force only") {
  TempFolder folder;
  std::string csv = folder.write("w.csv", "mine\n"), json = folder.write("w.json", "mine\n");
  Outcome outcome = what_if({"--csv", csv});
  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.err, Contains(csv + " exists") && Contains("--force replaces it, --resume continues it"));
  CHECK(what_if({"--json=" + json}).status == 2);
  CHECK(read_text(csv) + read_text(json) == "mine\nmine\n");
  CHECK(what_if({"--csv", csv, "--json=" + json, "--force"}).status == 0);
  CHECK_THAT(read_text(csv), Contains("dram.tRP"));
}

TEST_CASE("the chart is drawn by gnuplot, and without it a sentence says so") {
  TempFolder folder;
  std::string svg = folder.path("w.svg");
  Outcome outcome = what_if({"--plot", svg});
  if (outcome.err.find("gnuplot") == std::string::npos) {
    CHECK(outcome.status == 0);
    CHECK_THAT(read_text(svg), Contains("<svg") && Contains("change of time, %") && Contains("dram.tRC"));
  }
  Words words{"whatif", "vecadd", "--param", "n=4096", "--only", "dram.t", "--plot", folder.path("x.svg")};
  outcome = warptime::test::warptime(words, {{"PATH", "/nonexistent"}});
  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.err, Contains("--plot draws its charts with gnuplot") && Contains("apt-get install gnuplot-nox"));
}

TEST_CASE("what no what-if can do is refused with a reason") {
  struct Refusal {
    Words words;
    std::string why;
  };
  for (const Refusal& refusal : std::vector<Refusal>{
           {{"vecadd", "--machine", "generic"}, "a what-if is about time, and machine \"generic\" has none"},
           {{"vecadd", "--only", "nothing"}, "no parameter with another value has this in its name"},
           {{"vecadd", "--only", "grid."}, "no parameter with another value has this in its name"},
           {{"vecadd", "--plot", "x.png"}, "--plot requires a FILE.svg"},
           {{"vecadd", "--resume"}, "--resume needs the file of the interrupted what-if"},
           {{"vecadd", "--top", "0"}, "--top"},
           {{"vecadd", "--functional"}, "--functional"},
           {{"vecadd", "--max-cycles", "10", "--only", "dram.tRP"}, "10 cycles"},
           {{"vecad"}, "did you mean \"vecadd\"?"}}) {
    Words words{"whatif"};
    words.insert(words.end(), refusal.words.begin(), refusal.words.end());
    Outcome outcome = warptime::test::warptime(words);
    CAPTURE(refusal.why, outcome.err);
    CHECK(outcome.status >= 2);
    CHECK(outcome.out.empty());
    CHECK_THAT(outcome.err, Contains(refusal.why));
  }
}
