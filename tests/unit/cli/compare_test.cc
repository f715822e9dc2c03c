// `warptime compare`: two statistics files, or two machines on one target.
#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tools/run_program.h"

using namespace warptime::test;
using Catch::Contains;
using Json = nlohmann::ordered_json;

namespace {

using Words = std::vector<std::string>;

Outcome outcome_of(Words words) { return warptime::test::warptime(std::move(words)); }

Json stats(Words more = {}) {
  Words words{"run", "vecadd", "--param", "n=4096", "--json"};
  words.insert(words.end(), more.begin(), more.end());
  return Json::parse(outcome_of(words).out);
}

struct Files {
  TempFolder folder;
  Outcome compare(const Json& a, const Json& b, Words more = {}) {
    return compare_texts(a.dump(1), b.dump(1), std::move(more));
  }
  Outcome compare_texts(const std::string& a, const std::string& b, Words more = {}) {
    Words words{"compare", folder.write("a.json", a), folder.write("b.json", b)};
    words.insert(words.end(), more.begin(), more.end());
    return outcome_of(words);
  }
};

const Json& named(const Json& rows, const std::string& name) {
  for (const Json& row : rows)
    if (row.at("name") == name) return row;
  FAIL("no row " << name);
  return rows;
}

}  // namespace

TEST_CASE("a report beside itself has not moved") {
  Files files;
  Json report = stats({"--stats-per-instruction"});
  Outcome text = files.compare(report, report);
  CHECK(text.status == 0);
  CHECK_THAT(text.out, Contains("nothing else moved"));
  Json json = Json::parse(files.compare(report, report, {"--json"}).out);
  for (const Json& row : json["total"]["issue"]) CHECK(row["difference"] == 0);
  for (const Json& row : json["total"]["counters"]) CHECK(row["difference"] == 0);
}

TEST_CASE("resources have a table of their own, largest difference first") {
  Files files;
  Json a = stats(), b = a;
  auto resource = [](Json& report, const std::string& name) -> Json& {
    for (Json& row : report["total"]["resources"])
      if (row["name"] == name) return row["busiest"];
    FAIL("no resource " << name);
    return report;
  };
  resource(a, "dram") = 0.5, resource(b, "dram") = 0.25;
  resource(a, "sp") = 0.25, resource(b, "sp") = 0.75;
  resource(a, "sfu") = 0.1, resource(b, "sfu") = 0.10001;
  Json rows = Json::parse(files.compare(a, b, {"--json"}).out)["total"]["resources"];
  CHECK(rows[0]["name"] == "sp");
  CHECK(rows[1]["name"] == "dram");
  CHECK_THAT(files.compare(a, b).out,
             Contains("\nresources, share of time that the busiest unit was busy\n"
                      "             A       B\n  sp    25.0 %  75.0 %\n  dram  50.0 %  25.0 %\n"));
  b["total"].erase("resources");  // a file of an older version
  CHECK(files.compare(a, b).status == 0);
}

TEST_CASE("what moved most comes first") {
  Files files;
  Json a = stats(), b = a;
  for (Json* report : {&a, &b}) {
    Json& total = (*report)["total"];
    total["issue"]["slots"] = 1000;
    total["issue"]["issued"] = 100;
    for (Json& cycles : total["issue"]["stalls"]) cycles = 0;
    total["issue"]["stalls"]["barrier"] = 300;
    total["issue"]["stalls"]["sp_busy"] = 600;
    total["dram"] = {{"row_hits", 1000}, {"row_misses", 10}};
    total["time_us"] = 8.0;
  }
  // barrier -300, no_warp +150, sp_busy +50, issued as before; slots 900.
  Json& total = b["total"];
  total["issue"]["slots"] = 900;
  total["issue"]["stalls"]["barrier"] = 0;
  total["issue"]["stalls"]["no_warp"] = 150;
  total["issue"]["stalls"]["sp_busy"] = 650;
  // 10 -> 15 is a third of the larger, 1000 -> 1100 an eleventh; divergent branches come from nothing: all of it.
  total["dram"]["row_hits"] = 1100;
  total["dram"]["row_misses"] = 15;
  total["divergence"]["divergent_branches"] = 2;
  total["time_us"] = 7.0;

  Json moved = Json::parse(files.compare(a, b, {"--json"}).out)["total"];
  CHECK(moved["time"][0] ==
        Json{{"name", "time_us"}, {"a", 8.0}, {"b", 7.0}, {"difference", -1.0}, {"change", -0.125}});
  CHECK(moved["issue"][0]["name"] == "barrier");
  CHECK(moved["issue"][0]["difference"] == -300);
  CHECK(moved["issue"][0]["share_a"] == 0.3);
  CHECK(moved["issue"][0]["share_b"] == 0);
  CHECK(moved["issue"][1]["name"] == "no_warp");
  CHECK(moved["issue"][1]["change"].is_null());  // from 0
  CHECK(moved["issue"][2]["name"] == "sp_busy");
  CHECK(moved["counters"][0]["name"] == "divergence.divergent_branches");
  CHECK(moved["counters"][1]["name"] == "dram.row_misses");
  CHECK(moved["counters"][1]["change"] == 0.5);
  CHECK(moved["counters"][2]["name"] == "dram.row_hits");

  std::string text = files.compare(a, b).out;
  CHECK(text.find("barrier") < text.find("no_warp"));
  CHECK(text.find("no_warp") < text.find("sp_busy"));
  CHECK_THAT(text, Contains("-300") && Contains("+150") && Contains("30.0 %") && Contains("+50.0 %"));
  CHECK_FALSE(Catch::contains(text, "memory_queue_full"));  // 0 on both sides
}

TEST_CASE("a number that only one side has is null on the other") {
  Files files;
  Json a = stats(), b = a;
  b["total"]["caches"]["l2"] = {{"hits", 7}};
  Json row = named(Json::parse(files.compare(a, b, {"--json"}).out)["total"]["counters"], "caches.l2.hits");
  CHECK(row["a"].is_null());
  CHECK(row["b"] == 7);
  CHECK(row["difference"] == 7);
}

TEST_CASE("occupancy and its limiter stand beside the time of each launch") {
  Files files;
  Json a = stats(), b = a;
  a["launches"][0]["occupancy"]["limiter"] = "registers";
  a["launches"][0]["occupancy"]["warps_per_sm"] = 16;
  b["launches"][0]["occupancy"]["limiter"] = "threads";
  b["launches"][0]["occupancy"]["warps_per_sm"] = 24;
  Json launch = Json::parse(files.compare(a, b, {"--json"}).out)["launches"][0];
  CHECK(launch["occupancy"]["a"]["limiter"] == "registers");
  CHECK(launch["occupancy"]["b"]["warps_per_sm"] == 24);
  CHECK_THAT(files.compare(a, b).out, Contains("16 warps, registers") && Contains("24 warps, threads"));
}

TEST_CASE("instructions' differences add up to those of the launch") {
  Files files;
  Json a = stats({"--stats-per-instruction"});
  Json b = stats({"--stats-per-instruction", "--set", "memory.partitions=2"});
  Json launch = Json::parse(files.compare(a, b, {"--json"}).out)["launches"][0];
  REQUIRE(launch["instructions"].size() == a["launches"][0]["instructions"].size());
  double slots = 0, last = 1e300;
  for (const Json& row : launch["instructions"]) {
    double difference = row["cycles"]["difference"];
    slots += difference;
    CHECK(std::abs(difference) <= last);
    last = std::abs(difference);
  }
  auto slots_of = [](const Json& report) { return report["launches"][0]["issue"]["slots"].get<double>(); };
  CHECK(slots == slots_of(b) - slots_of(a));
  CHECK_THAT(files.compare(a, b).out, Contains("instructions of vecadd") && Contains("add.f32"));
  // Only where both have them.
  CHECK(Json::parse(files.compare(a, stats(), {"--json"}).out)["launches"][0]["instructions"].empty());
}

TEST_CASE("functional runs have no time, but counters") {
  Files files;
  Json a = stats({"--functional"}), b = a;
  b["total"]["global"]["loads"] = 1;
  Outcome outcome = files.compare(a, b, {"--json"});
  REQUIRE(outcome.status == 0);
  Json json = Json::parse(outcome.out);
  CHECK(json["total"]["time"].empty());
  CHECK(json["total"]["counters"][0]["name"] == "global.loads");
  CHECK(files.compare(a, b).status == 0);
  CHECK(files.compare(stats({"--attribution", "off"}), stats()).status == 0);
}

TEST_CASE("two machines on one target are two runs of it") {
  TempFolder folder;
  std::string file = folder.write("narrow.yaml", "extends: geforce-8800-gtx\nmemory: {partitions: 2}\n");
  Words words{"compare", "vecadd", "--param", "n=4096", "--machine", "geforce-8800-gtx", "--machine", file, "--json"};
  Json json = Json::parse(outcome_of(words).out);
  CHECK(json["a"]["machine"]["name"] == "geforce-8800-gtx");
  CHECK(json["b"]["machine"]["name"] == "narrow");
  CHECK(json["total"]["time"][0]["a"] == stats()["total"]["time_us"]);
  CHECK(json["total"]["time"][0]["b"] == stats({"--set", "memory.partitions=2"})["total"]["time_us"]);
  words.pop_back();
  Outcome text = outcome_of(words);
  CHECK(text.status == 0);
  CHECK_THAT(text.out, Contains("narrow") && Contains("dram.bandwidth_gb_s"));
}

TEST_CASE("files that cannot be compared are told apart") {
  Files files;
  Json good = stats(), bad = good;
  auto refused = [&](const std::string& text, const std::string& why) {
    Outcome outcome = files.compare_texts(good.dump(1), text);
    CAPTURE(why, outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK_THAT(outcome.err, Contains("error: ") && Contains(why));
  };
  refused("", "b.json:1:1: error: a statistics file must be JSON");
  refused("{\n \"schema\": 1,\n oops\n}", "b.json:3:2: error: a statistics file must be JSON");
  refused(good.dump(1).substr(0, 5000), "a statistics file must be JSON");
  refused("[]", "it is not an object");
  refused("{}", "it has no \"schema\"");
  bad.erase("total");
  refused(bad.dump(), "it has no \"total\"");
  (bad = good)["schema"] = 2;
  refused(bad.dump(), "has schema 2; this version knows schema 1");
  (bad = good)["launches"] = 3;
  refused(bad.dump(), "launches is not a list");
  (bad = good)["launches"].push_back(good["launches"][0]);
  refused(bad.dump(), "has 1 launch and " + files.folder.path("b.json") + " has 2");
  refused(stats({"--functional"}).dump(), "is a functional run and " + files.folder.path("a.json") + " is not");
  (bad = good)["launches"][0] = "vecadd";
  refused(bad.dump(), "is not a statistics file");
  (bad = good)["machine"] = 5;
  refused(bad.dump(), "is not a statistics file");
  (bad = good)["launches"][0]["kernel"] = 5;
  refused(bad.dump(), "is not a statistics file");
  (bad = good)["launches"][0]["occupancy"]["limiter"] = 5;
  refused(bad.dump(), "is not a statistics file");
  (bad = good)["total"]["issue"]["stalls"] = "none";
  CHECK(files.compare(good, bad).status == 0);  // as if reasons had not been kept
  (bad = good)["total"].erase("issue");
  refused(bad.dump(), "total has no \"issue\"");
  // Whatever JSON can say is a mistake of the file, not of the program.
  refused(R"({"schema": 1e999})", "b.json:1:12: error: a statistics file must be JSON: the number is out of range");
  refused(R"({"schema": 1, "host": {"threads": -1e400}})", "the number is out of range");
  refused(R"({"schema": 1e9})", "has schema 1e9");
  for (const std::string open : {"[", "{\"a\":"}) {
    std::string deep = R"({"schema": 1, "launches": )";
    for (int i = 0; i < 100'000; ++i) deep += open;
    refused(deep, "more than 256 levels");
  }
  refused(R"({"schema": [[]]})", "has schema [...]");
  refused(R"({"schema": "\ud800"})", "half a surrogate pair");
  refused("{\"schema\": \"\n\"}", "a control character in a string");
  refused(good.dump() + "x", "expected the end of the text");
  const std::vector<std::pair<std::string, Json>> wrong{{"/launches/0/cycles", "many"},
                                                        {"/launches/0/issue", 5},
                                                        {"/launches/0/issue/slots", Json::array()},
                                                        {"/launches/0/occupancy/warps_per_sm", -3},
                                                        {"/launches/0/occupancy/blocks_per_sm", 1.5},
                                                        {"/launches/0/instructions", Json::object()},
                                                        {"/launches/0/instructions", Json::array({1})},
                                                        {"/launches/0/instructions", Json::array({Json::object()})},
                                                        {"/launches/0/occupancy", nullptr},
                                                        {"/launches/0", Json::array()},
                                                        {"/launches", nullptr},
                                                        {"/target", nullptr},
                                                        {"/total", Json::array()}};
  for (const auto& [path, value] : wrong) {
    CAPTURE(path, value.dump());
    (bad = good)[Json::json_pointer(path)] = value;
    refused(bad.dump(), "is not a statistics file");
  }
}

TEST_CASE("mistakes on the command line of compare") {
  auto [words, message] = GENERATE(table<Words, std::string>({
      {Words{}, "needs a TARGET with two machines, several TARGETs, or statistics files"},
      {{"vecadd"}, "compared on two machines, and none is given"},
      {{"vecadd", "--machine", "generic"}, "and one is given"},
      {{"vecadd", "--machine", "generic", "--machine", "genric"}, "did you mean \"generic\"?"},
      {{"vecad", "--machine", "generic", "--machine", "generic"}, "did you mean \"vecadd\"?"},
      {{"a.json"}, "a.json alone has nothing to be compared with"},
      {{"a.json", "--machine", "generic"}, "name a second statistics file"},
      {{"nowhere.json", "nowhere.json"}, "cannot read \"nowhere.json\""},
      {{"a.json", "b.json", "--set", "chip.tpcs=1"}, "--set needs a TARGET"},
      {{"a.json", "b.json", "c.json"}, "cannot read \"a.json\""},
      {{"a.json", "b.json", "c.json", "--machine", "generic"},
       "--machine needs a TARGET; it has no effect on statistics files"},
      {{"vecadd", "--baseline", "1"}, "one run has nothing to be compared with"},
      {{"vecadd", "saxpy", "--baseline", "3"}, "there are 2 runs"},
      {{"vecadd", "saxpy", "--baseline", "0"}, "--baseline"},
      {{"vecadd", "saxp"}, "did you mean \"saxpy\"?"},
      {{"vecadd", "kernel.ptx"}, "kernel.ptx is not one of several targets"},
      {{"vecadd", "saxpy", "--machine", "generic", "--machine", "geforce-8800-gtx"}, "functional run"},
      {{"vecadd", "--param", "n=4", "--machine", "generic", "--machine", "geforce-8800-gtx"}, "functional run"},
  }));
  Words all{"compare"};
  all.insert(all.end(), words.begin(), words.end());
  Outcome outcome = outcome_of(all);
  CAPTURE(words, outcome.err);
  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
  CHECK_THAT(outcome.err, Contains("error: ") && Contains(message));
}

TEST_CASE("files of many launches are compared in little memory", "[full]") {
  TempFolder folder;
  Json report = stats();
  Json launch = report["launches"][0];
  for (int i = 1; i < 3000; ++i) report["launches"].push_back(launch);
  std::string a = folder.write("a.json", report.dump(2));
  report["launches"][2999]["cycles"] = launch["cycles"].get<uint64_t>() + 1;
  std::string b = folder.write("b.json", report.dump(2));
  std::string limit = kSanitized ? "" : "ulimit -v 200000; ";
  limit += "\"" WARPTIME_BINARY "\" compare " + a + " " + b;
  Outcome text = run_program({"/bin/bash", "-c", limit});
  CAPTURE(text.err);
  CHECK(text.status == 0);
  CHECK(std::count(text.out.begin(), text.out.end(), '\n') > 3000);
  std::string file = folder.path("c.json");
  CHECK(run_program({"/bin/bash", "-c", limit + " --json=" + file + " > /dev/null"}).status == 0);
  Json comparison = Json::parse(read_text(file));
  CHECK(comparison["launches"].size() == 3000);
  CHECK(comparison["launches"][2998]["time"][1]["difference"] == 0);
  CHECK(comparison["launches"][2999]["time"][1]["difference"] == 1);
}
