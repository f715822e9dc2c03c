// The axes of a sweep: ranges, machines, points in step and at random, chosen columns, and files that exist.
#include "cli/sweep/sweep_axes.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/sweep/sweep_ranges.h"
#include "host/device/device.h"
#include "tools/run_program.h"

using namespace warptime::test;
using Catch::Contains;
using AxisWords = std::vector<std::string>;

namespace warptime::cli {

TEST_CASE("a range of an axis is its values") {
  auto [text, values] = GENERATE(table<std::string, AxisWords>({
      {"16:64:+16", {"16", "32", "48", "64"}},
      {"16:63:+16", {"16", "32", "48"}},
      {"4096:65536:*2", {"4096", "8192", "16384", "32768", "65536"}},
      {"3:30:*3", {"3", "9", "27"}},
      {"7:7:+1", {"7"}},
      {"-2:2:+2", {"-2", "0", "2"}},
      {"0.5:2:+0.5", {"0.5", "1", "1.5", "2"}},
      {"0.1:0.3:+0.1", {"0.1", "0.2", "0.3"}},
      {"1:4:*2.0", {"1", "2", "4"}},
      {"9223372036854775806:9223372036854775807:+1", {"9223372036854775806", "9223372036854775807"}},
      {"fcfs", {"fcfs"}},
      {"[f64,vote]", {"[f64,vote]"}},
      {":", {":"}},
      {"a:b", {"a:b"}},
      {"", {""}},
  }));
  CAPTURE(text);
  CHECK(expand_range(text, {}, false) == values);
}

TEST_CASE("what begins like a range and is none is an error") {
  for (const char* text : {"16:8:+1", "1:8:+0", "1:8:*1", "0:8:*2", "-4:8:*2", "1:8:-1", "1:8", "1:8:", "1:8:+",
                           "1:8:+x", "1:x:+1", "1:2:+1:+1", "1:1000002:+1", "1:inf:+1", "0.1:1000000:+0.1"})
    CHECK_THROWS_AS(expand_range(text, {}, false), host::InputError);
  CHECK(expand_range("3:5", {}, true) == AxisWords{"3", "4", "5"});
  CHECK_THROWS_AS(expand_range("0.5:2", {}, true), host::InputError);
}

TEST_CASE("a Latin hypercube has one point in each stratum of each axis, the same for a seed") {
  auto points = latin_hypercube({8, 1000, 3, 1}, 8, 42);
  REQUIRE(points.size() == 8);
  std::set<uint32_t> first, second;
  for (const auto& point : points) {
    first.insert(point[0]);
    second.insert(point[1] * 8 / 1000);
    CHECK(point[2] < 3);
    CHECK(point[3] == 0);
  }
  CHECK(first.size() == 8);
  CHECK(second.size() == 8);
  CHECK(points == latin_hypercube({8, 1000, 3, 1}, 8, 42));
  CHECK(points != latin_hypercube({8, 1000, 3, 1}, 8, 43));
  // Points are the same on every host and in every version: a paper may name the seed.
  auto few = latin_hypercube({100, 100}, 3, 1);
  CHECK(few == std::vector<std::vector<uint32_t>>{{32, 17}, {48, 42}, {81, 93}});
}

}  // namespace warptime::cli

namespace {

/// Lines of the CSV's first columns.
std::string table_of(AxisWords words) {
  words.insert(words.begin(), {"sweep"});
  Outcome outcome = warptime::test::warptime(words);
  CAPTURE(outcome.err);
  CHECK(outcome.status == 0);
  std::string out;
  std::istringstream in(outcome.out);
  for (std::string line; std::getline(in, line);) out += line.substr(0, line.rfind(',')) + "\n";
  return out;
}

}  // namespace

TEST_CASE("axes in step, with one value, and of several machines") {
  CHECK(table_of({"vecadd", "--zip", "--param", "n=64:128:*2", "--set", "memory.partitions=6,3", "--set", "chip.tpcs=4",
                  "--columns", "launches"}) ==
        "memory.partitions,chip.tpcs,n,status,launches\n6,4,64,0,1\n3,4,128,0,1\n");
  CHECK(table_of(
            {"vecadd", "--machine", "geforce-8800-gtx,generic", "--param", "n=64,96", "--columns", "bound,launches"}) ==
        "machine,n,status,bound,launches\ngeforce-8800-gtx,64,0,latency,1\ngeforce-8800-gtx,96,0,latency,1\n"
        "generic,64,0,,1\ngeneric,96,0,,1\n");
  // A machine by itself is not an axis, two are.
  CHECK(table_of({"vecadd", "--machine", "geforce-8800-gtx,generic", "--columns", "launches"}) ==
        "machine,status,launches\ngeforce-8800-gtx,0,1\ngeneric,0,1\n");
  CHECK(table_of({"vecadd", "--param", "n=64", "--columns", "occupancy.*,launches,occupancy.limiter"}) ==
        "n,status,occupancy.blocks_per_sm,occupancy.warps_per_sm,occupancy.limiter,launches\n64,0,3,24,threads,1\n");
}

TEST_CASE("axes in step may have a value again") {
  CHECK(warptime::test::warptime({"sweep", "vecadd", "--zip", "--param", "n=64,64", "--set", "chip.tpcs=1,2"}).status ==
        0);
}

TEST_CASE("a swept machine gives the numbers of a run on it") {
  std::string csv = table_of({"saxpy", "--machine", "geforce-8800-gtx,geforce-gtx-280", "--param", "n=4096",
                              "--columns", "time_us,achieved_occupancy"});
  for (std::string machine : {"geforce-8800-gtx", "geforce-gtx-280"}) {
    auto total = nlohmann::json::parse(
        warptime::test::warptime({"run", "saxpy", "--machine", machine, "--param", "n=4096", "--json"}).out)["total"];
    CHECK_THAT(csv,
               Contains(machine + ",4096,0," + total["time_us"].dump() + "," + total["achieved_occupancy"].dump()));
  }
}

TEST_CASE("points at random are the same for a seed, and within their range") {
  AxisWords words{"vecadd",   "--param", "n=64:4096", "--set",   "memory.partitions=1,2,3,6",
                  "--random", "4",       "--columns", "launches"};
  std::string one = table_of(words);
  CHECK(one == table_of(words));
  CHECK(std::count(one.begin(), one.end(), '\n') == 5);
  for (const char* partitions : {"\n1,", "\n2,", "\n3,", "\n6,"}) CHECK_THAT(one, Contains(partitions));
  words.insert(words.end(), {"--seed", "2"});
  CHECK(one != table_of(words));
}

TEST_CASE("mistakes in the axes are errors with their place") {
  auto [words, message] = GENERATE(table<AxisWords, std::string>({
      {{"--param", "n=64,128:16:+1"}, "\"128:16:+1\" is not a range: 128 is larger than 16"},
      {{"--param", "n=1:1000000:+1", "--set", "chip.tpcs=1,2"}, "a sweep has at most 1000000 points"},
      {{"--param", "n=1,2,3", "--set", "chip.tpcs=1,2", "--zip"}, "--zip needs as many values on each axis: n has 3"},
      {{"--param", "n=64,32,64"}, "n=64 is swept twice"},
      {{"--param", "n=16:64:*2,32"}, "n=32 is swept twice"},
      {{"--param", "n=1,2", "--zip", "--random", "3"}, "--zip and --random exclude each other"},
      {{"--param", "n=1,2", "--seed", "3"}, "--seed goes with --random N"},
      {{"--param", "n=1,2", "--random", "0"}, "--random must be 1 to 1000000"},
      {{"--param", "n=1,2", "--columns", "time_us,bond"}, "did you mean \"bound\"?"},
      {{"--param", "n=1,2", "--columns", "nothing.*"}, "a sweep has no column \"nothing.*\""},
      {{"--machine", "geforce-8800-gtx,geforce-8800-gtz"}, "did you mean \"geforce-8800-gtx\"?"},
      {{"--machine", "generic,generic"}, "machine \"generic\" is swept twice"},
      {{"--machine", "generic"}, "nothing to sweep over"},
  }));
  AxisWords call{"sweep", "vecadd"};
  call.insert(call.end(), words.begin(), words.end());
  Outcome outcome = warptime::test::warptime(call);
  CAPTURE(words, outcome.err);
  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.err, Contains(message));
}

TEST_CASE("a file that exists is replaced with --force only") {
  TempFolder folder;
  std::string csv = folder.write("x.csv", "mine\n"), json = folder.write("x.json", "mine\n");
  AxisWords words{"sweep", "vecadd", "--param", "n=64", "--csv", csv};
  Outcome outcome = warptime::test::warptime(words);
  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.err, Contains(csv + " exists") && Contains("--force replaces it, --resume continues it"));
  CHECK(read_text(csv) == "mine\n");
  words.back() = "-";
  words.push_back("--json=" + json);
  CHECK(warptime::test::warptime(words).status == 2);
  CHECK(read_text(json) == "mine\n");
  words[5] = csv;
  words.push_back("--force");
  CHECK(warptime::test::warptime(words).status == 0);
  CHECK_THAT(read_text(csv), Contains("\n64,0,1,"));
  CHECK(nlohmann::json::parse(read_text(json))["rows"][0]["n"] == 64);
}
