// `warptime report`: a page from a run and from a statistics file, with the numbers of the other commands; mistakes.
#include <catch2/catch.hpp>

#include "tools/run_program.h"
#include "unit/report/test_page.h"

using namespace warptime::test;
using Catch::Contains;
using Json = nlohmann::ordered_json;

namespace {

Json page_of(std::vector<std::string> words, const std::string& file) {
  words.insert(words.begin(), "report");
  words.insert(words.end(), {"-o", file});
  Outcome outcome = ::warptime::test::warptime(words);
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK_THAT(outcome.out, Contains("the page is"));
  return page_data(read_text(file));
}

}  // namespace

TEST_CASE("the page of a run has the largest findings of explain") {
  TempFolder folder;
  Json found = Json::parse(::warptime::test::warptime({"explain", "matmul:naive", "--param", "n=64", "--json"})
                               .out)["launches"][0]["findings"];
  Json page = page_of({"matmul:naive", "--param", "n=64"}, folder.path("a.html"))["findings"];
  REQUIRE(found.size() >= 2);
  REQUIRE(page.size() == std::min<size_t>(found.size(), 3));
  for (size_t i = 0; i < page.size(); ++i)
    for (const char* key : {"rule", "line", "message", "promised"}) CHECK(page[i][key] == found[i][key]);
}

TEST_CASE("the page of a run has the numbers of run, annotate and trace") {
  TempFolder folder;
  const std::vector<std::string> target{"matmul:tiled", "--param", "n=32"};
  std::vector<std::string> run{"run"};
  run.insert(run.end(), target.begin(), target.end());
  run.insert(run.end(), {"--stats", "-", "--quiet", "--stats-per-instruction"});
  Json statistics = Json::parse(::warptime::test::warptime(run).out);
  Json page = page_of(target, folder.path("a.html"));

  const Json& launch = statistics["launches"][0];
  CHECK(page["statistics"]["launches"][0]["cycles"] == launch["cycles"]);
  CHECK(page["statistics"]["total"] == statistics["total"]);
  CHECK_FALSE(page["statistics"].contains("host"));
  REQUIRE(page["kernels"].size() == 1);
  const Json& rows = page["kernels"][0]["rows"];
  REQUIRE(rows.size() == launch["instructions"].size());
  uint64_t issued = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    CHECK(rows[i]["executions"] == launch["instructions"][i]["warp_instructions"]);
    issued += rows[i]["issued"].get<uint64_t>();
  }
  CHECK(issued == launch["issue"]["issued"]);
  CHECK(rows[0].contains("native"));

  const Json& trace = page["trace"];
  CHECK(trace["cycles"] == launch["cycles"]);
  CHECK_FALSE(trace["warps"].empty());
  for (const Json& warp : trace["warps"]) {  // a warp is in a state in every cycle
    uint64_t cycles = 0;
    for (size_t i = 0; i < warp["length"].size(); ++i) {
      cycles += warp["length"][i].get<uint64_t>();
      CHECK(warp["state"][i] != -1);
    }
    CHECK(warp["first"] == warp["begin"]);
    CHECK(warp["begin"].get<uint64_t>() + cycles == warp["end"].get<uint64_t>());
  }
  CHECK(page["catalogue"].size() > 50);
}

TEST_CASE("a page is the same for any number of threads, and has the CUDA source") {
  TempFolder folder;
  auto text = [&](const std::string& threads) {
    Outcome outcome = ::warptime::test::warptime(
        {"report", WARPTIME_SOURCE_DIR "/docs/examples/block_sum.yaml", "-o", "-", "--threads", threads});
    CHECK(outcome.status == 0);
    return outcome.out;
  };
  std::string one = text("1");
  CHECK(one == text("2"));
  CHECK(page_data(one)["kernels"][0]["ptx"] == "block_sum.ptx");
}

TEST_CASE("a statistics file gives a page without warps") {
  TempFolder folder;
  std::string stats = folder.path("s.json");
  REQUIRE(::warptime::test::warptime({"run", "vecadd", "--param", "n=4096", "--quiet", "--stats", stats}).status == 0);
  Json page = page_of({stats}, folder.path("a.html"));
  CHECK(page["trace"].is_null());
  CHECK(page["kernels"].empty());
  CHECK(page["notes"].size() == 1);
  CHECK(page["roofline"]["peak_gflops"].get<double>() > 300);

  std::vector<std::string> changed{
      "run",     "vecadd", "--param", "n=4096", "--quiet", "--stats-per-instruction", "--set", "memory.partitions=3",
      "--stats", stats};
  REQUIRE(::warptime::test::warptime(changed).status == 0);
  page = page_of({stats}, folder.path("a.html"));
  CHECK(page["kernels"].size() == 1);
  CHECK(page["roofline"].is_null());
  CHECK(page_of({stats, "--set", "memory.partitions=3"}, folder.path("a.html"))["roofline"].is_object());
  Outcome wrong =
      ::warptime::test::warptime({"report", stats, "--set", "memory.partitions=2", "-o", folder.path("b.html")});
  CHECK(wrong.status == 2);
  CHECK_THAT(wrong.err, Contains("was measured on another machine"));
}

TEST_CASE("a report of nothing is a sentence") {
  TempFolder folder;
  std::string html = folder.path("a.html");
  std::string empty = folder.path("empty.json"), other = folder.path("other.json"), trace = folder.path("trace.json");
  std::string gone = folder.path("gone.json");
  REQUIRE(::warptime::test::warptime({"run", "vecadd", "--param", "n=64", "--functional", "--quiet", "--stats", other})
              .status == 0);
  REQUIRE(::warptime::test::warptime({"trace", "vecadd", "--param", "n=64", "-o", trace}).status == 0);
  Json none = Json::parse(read_text(other));
  none["launches"] = Json::array();
  folder.write("empty.json", none.dump());
  const std::vector<std::pair<std::vector<std::string>, std::string>> mistakes{
      {{"vecadd"}, "where should the page go?"},
      {{"vecadd", "-o", "a.htm"}, "does not end in .html"},
      {{"vecadd", "-o", html, "--sm", "99"}, "--sm must be 0 to 15"},
      {{"vecadd", "--param", "n=64", "-o", html, "--launch", "5"}, "there is no launch 5"},
      {{"vecadd", "--param", "n=64", "-o", html, "--window", "900000:900001"}, "the launch is over"},
      {{"vecadd", "--param", "n=64", "-o", html, "--sm", "15"}, "the trace is empty: SM 15 has no warp"},
      {{"vecadd", "-o", html, "--machine", "generic"}, "has no timing"},
      {{empty, "-o", html}, "has no launches"},
      {{other, "-o", html}, "is of a functional run"},
      {{trace, "-o", html}, "is not a statistics file"},
      {{gone, "-o", html}, "gone.json"},
      {{other, "-o", html, "--grid", "4"}, "--grid goes with a target that is run"},
  };
  for (const auto& [given, message] : mistakes) {
    std::vector<std::string> words = given;
    CAPTURE(words);
    words.insert(words.begin(), "report");
    Outcome outcome = ::warptime::test::warptime(words);
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.err, Contains(message));
    CHECK_FALSE(std::filesystem::exists(html));
  }
}
