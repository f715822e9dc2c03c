// `warptime compare` of more than two runs: files, targets and machines in columns beside a baseline.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tools/run_program.h"

using namespace warptime::test;
using Catch::Contains;
using Json = nlohmann::ordered_json;

namespace {

using Words = std::vector<std::string>;

Json statistics_of(const std::string& target, Words more) {
  Words words{"run", target, "--json"};
  words.insert(words.end(), more.begin(), more.end());
  return Json::parse(warptime::test::warptime(words).out);
}

const Json& number_named(const Json& numbers, const std::string& name) {
  for (const Json& number : numbers)
    if (number.at("name") == name) return number;
  FAIL("no number " << name);
  return numbers;
}

}  // namespace

TEST_CASE("three statistics files stand beside the first") {
  TempFolder folder;
  Words words{"compare"};
  std::vector<double> times;
  for (const char* partitions : {"6", "2", "1"}) {
    Json run = statistics_of("vecadd", {"--param", "n=4096", "--set", std::string("memory.partitions=") + partitions});
    times.push_back(run["total"]["time_us"]);
    words.push_back(folder.write(std::string(partitions) + ".json", run.dump()));
  }
  Outcome text = warptime::test::warptime(words);
  CHECK(text.status == 0);
  CHECK_THAT(text.out, Contains("the baseline") && Contains("B against A: ") && Contains("C against A: ") &&
                           Contains("% more time; what moved most is waiting for") &&
                           Contains("bottleneck, of the longest launch"));
  words.push_back("--json");
  Json json = Json::parse(warptime::test::warptime(words).out);
  CHECK(json["baseline"] == 1);
  REQUIRE(json["runs"].size() == 3);
  const Json& time = number_named(json["time"], "time_us");
  for (size_t i = 0; i < 3; ++i) CHECK(time["values"][i] == times[i]);
  CHECK(time["changes"][2].get<double>() == Approx(times[2] / times[0] - 1));
  CHECK(json["runs"][0]["moved"].is_null());
  CHECK_THAT(json["runs"][2]["moved"].get<std::string>(), Contains("C against A"));
  double issued = 0;
  for (const Json& share : json["issue"]) issued += share["values"][1].is_null() ? 0 : share["values"][1].get<double>();
  CHECK(issued == Approx(1));  // every slot has one reason

  words.insert(words.end(), {"--baseline", "3"});
  Json other = Json::parse(warptime::test::warptime(words).out);
  CHECK(number_named(other["time"], "time_us")["changes"][0].get<double>() == Approx(times[0] / times[2] - 1));
  CHECK(other["runs"][2]["moved"].is_null());
}

TEST_CASE("targets and machines are runs of their own, launch files among them") {
  Words words{"compare",   "vecadd",      "saxpy",     WARPTIME_SOURCE_DIR "/docs/examples/scale-any.yaml",
              "--param",   "n=2048",      "--machine", "geforce-8800-gtx",
              "--machine", "tesla-c1060", "--json"};
  Outcome outcome = warptime::test::warptime(words);
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  Json json = Json::parse(outcome.out);
  REQUIRE(json["runs"].size() == 6);
  CHECK(json["runs"][1]["machine"]["name"] == "tesla-c1060");
  CHECK(json["runs"][2]["target"] == "saxpy");
  CHECK(json["runs"][4]["launches"] == 10);
  const Json& time = number_named(json["time"], "time_us");
  CHECK(time["values"][3] ==
        statistics_of("saxpy", {"--param", "n=2048", "--machine", "tesla-c1060"})["total"]["time_us"]);
}

TEST_CASE("a file stands beside a target that is run") {
  TempFolder folder;
  Json run = statistics_of("vecadd", {"--param", "n=4096"});
  Outcome outcome =
      warptime::test::warptime({"compare", folder.write("old.json", run.dump()), "vecadd", "--param", "n=4096"});
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.out, Contains("B against A: the time is the same; no counter moved"));
}

TEST_CASE("functional runs are compared by their counters") {
  Outcome outcome =
      warptime::test::warptime({"compare", "vecadd", "saxpy", "vecadd", "--param", "n=2048", "--machine", "generic"});
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.out, Contains("B against A: what moved most is ") && Contains("C against A: no counter moved") &&
                              !Contains("issue slots"));
}
