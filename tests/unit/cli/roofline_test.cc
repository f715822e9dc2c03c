// `warptime roofline`: points from statistics files and from sweeps, the picture, and what it has no point for.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tools/run_program.h"

using namespace warptime::test;
using Catch::Contains;
using Json = nlohmann::ordered_json;

namespace {

using Words = std::vector<std::string>;

Outcome call_roofline(Words words) { return warptime::test::warptime(std::move(words)); }

/// The statistics of a run, as a file.
std::string statistics_of_run(const TempFolder& folder, const std::string& name, Words run) {
  run.insert(run.begin(), "run");
  run.insert(run.end(), {"--stats", folder.path(name), "--quiet", "--no-check"});
  REQUIRE(call_roofline(run).status == 0);
  return folder.path(name);
}

Json roofline_points(Words words) {
  words.insert(words.begin(), "roofline");
  words.emplace_back("--json");
  Outcome outcome = call_roofline(words);
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  return Json::parse(outcome.out)["points"];
}

}  // namespace

TEST_CASE("a roofline has a point for each kernel of a statistics file") {
  TempFolder folder;
  std::string file = statistics_of_run(folder, "m.json", {"matmul", "--param", "n=64"});
  Json points = roofline_points({file});
  REQUIRE(points.size() == 4);
  CHECK(points[0]["name"] == "naive");
  Json launch = Json::parse(read_text(file))["launches"][0];
  double bytes = launch["dram"]["read_bytes"].get<double>() + launch["dram"]["write_bytes"].get<double>();
  CHECK(points[0]["gflops"].get<double>() == Approx(launch["gflops"].get<double>()));
  CHECK(points[0]["flops_per_dram_byte"].get<double>() == Approx(launch["flops"].get<double>() / bytes));
  CHECK(points[0]["flops_per_requested_byte"].get<double>() ==
        Approx(launch["flops"].get<double>() / launch["global"]["bytes_requested"].get<double>()));
  CHECK(points[0]["under"] == "DRAM");
  for (const Json& point : points) {
    CHECK(point["share"].get<double>() > 0);
    CHECK(point["share"].get<double>() < 1);
  }
  Outcome text = call_roofline({"roofline", file});
  CHECK(text.status == 0);
  CHECK_THAT(text.out, Contains("roofs of geforce-8800-gtx") && Contains("f32") && Contains(" 346 GFLOP/s") &&
                           Contains("DRAM without coalescing") && Contains("86.4 GB/s") && Contains("unrolled") &&
                           Contains("flops/DRAM byte"));
}

TEST_CASE("several statistics files of one machine share a roofline, by target") {
  TempFolder folder;
  std::string a = statistics_of_run(folder, "a.json", {"vecadd", "--param", "n=4096"});
  std::string b = statistics_of_run(folder, "b.json", {"matmul:tiled", "--param", "n=32"});
  Json points = roofline_points({a, b});
  REQUIRE(points.size() == 2);
  CHECK(points[1]["name"] == "matmul:tiled tiled_16");
  std::string c = statistics_of_run(folder, "c.json", {"vecadd", "--param", "n=4096", "--set", "chip.tpcs=2"});
  Outcome outcome = call_roofline({"roofline", a, c});
  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.err, Contains("c.json is of another machine than"));
  outcome = call_roofline({"roofline", c});
  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.err, Contains("is of geforce-8800-gtx with changes, so its roofs are not known"));
  CHECK(roofline_points({c, "--set", "chip.tpcs=2"}).size() == 1);
  CHECK_THAT(call_roofline({"roofline", c, "--set", "chip.tpcs=3"}).err, Contains("was measured on another machine"));
}

TEST_CASE("a sweep's rows are points, each under the roofs of its own machine") {
  TempFolder folder;
  std::string csv = folder.path("s.csv");
  REQUIRE(
      call_roofline({"sweep", "vecadd", "--set", "memory.partitions=3,6", "--param", "n=30000", "--csv", csv}).status ==
      0);
  Json points = roofline_points({csv});
  REQUIRE(points.size() == 2);
  CHECK(points[0]["name"] == "memory.partitions=3, n=30000");
  // Half the partitions have half the bandwidth.
  double roof3 = points[0]["roof_gflops"].get<double>() / points[0]["flops_per_dram_byte"].get<double>();
  double roof6 = points[1]["roof_gflops"].get<double>() / points[1]["flops_per_dram_byte"].get<double>();
  CHECK(roof3 == Approx(43.2));
  CHECK(roof6 == Approx(86.4));
  CHECK_THAT(call_roofline({"roofline", csv}).out, Contains("the sweep changed the machine"));
  // A point that did not run has none.
  REQUIRE(call_roofline({"sweep", "vecadd", "--set", "chip.window_cycles=64,128", "--quiet", "--force", "--csv", csv})
              .status == 0);
  CHECK(roofline_points({csv}).size() == 1);
  CHECK_THAT(call_roofline({"roofline", csv}).out, Contains("rows of points that did not run: 1"));
}

TEST_CASE("the picture has the roofs and the points") {
  TempFolder folder;
  std::string file = statistics_of_run(folder, "m.json", {"matmul:unrolled", "--param", "n=64"}),
              svg = folder.path("r.svg");
  Outcome outcome = call_roofline({"roofline", file, "-o", svg});
  CAPTURE(outcome.err);
  if (outcome.err.find("not on PATH") == std::string::npos) {
    CHECK(outcome.status == 0);
    CHECK(outcome.out.empty());
    CHECK_THAT(read_text(svg), Contains("Roofline of geforce-8800-gtx") &&
                                   Contains("DRAM without coalescing: 10.8 GB/s") && Contains("unrolled") &&
                                   Contains("kernel, by DRAM bytes"));
  }
  outcome = warptime::test::warptime({"roofline", file, "-o", svg}, {{"PATH", "/nonexistent"}});
  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.err, Contains("-o draws its charts with gnuplot"));
  CHECK_THAT(call_roofline({"roofline", file, "-o", "x.png"}).err, Contains("-o requires a FILE.svg"));
}

TEST_CASE("what has no point in a roofline gets a sentence") {
  TempFolder folder;
  // No floating-point instruction.
  std::string file = statistics_of_run(folder, "h.json", {"histogram:private", "--param", "n=4000"});
  Outcome outcome = call_roofline({"roofline", file});
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.out, Contains("has no point: it executes no floating-point operation in f32 or f64"));
  CHECK_THAT(outcome.out, !Contains("nan") && !Contains("inf"));
  CHECK(roofline_points({file}).empty());
  // Functional runs have no time.
  file = statistics_of_run(folder, "f.json", {"vecadd", "--param", "n=64", "--functional"});
  outcome = call_roofline({"roofline", file});
  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.err, Contains("is of a functional run, which has no time"));
  // Statistics that lack a section.
  file = statistics_of_run(folder, "d.json", {"vecadd", "--param", "n=64"});
  Json json = Json::parse(read_text(file));
  json["launches"][0].erase("dram");
  file = folder.write("e.json", json.dump());
  outcome = call_roofline({"roofline", file});
  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.err, Contains("lacks \"dram.read_bytes\", which a roofline needs"));
  // A CSV of something else.
  file = folder.write("x.csv", "a,b\n1,2\n");
  CHECK_THAT(call_roofline({"roofline", file}).err, Contains("is not the CSV of a sweep: it has no column \"status\""));
  CHECK_THAT(call_roofline({"roofline", file, folder.path("d.json")}).err,
             Contains("a sweep CSV cannot be combined with other inputs"));
  file = folder.write("y.csv", "n,status,flops\n1,0,x\n");
  CHECK_THAT(call_roofline({"roofline", file}).err,
             Contains("flops must be a number of at least 0") && Contains("y.csv:2:5"));
}

TEST_CASE("a kernel that loads nothing has no intensity by requested bytes") {
  TempFolder folder;
  std::string ptx = folder.write("k.ptx", R"(.version 2.3
.target sm_10
.entry k() {
  .reg .f32 %f<3>;
  mov.f32 %f1, 0f3F800000;
  add.f32 %f2, %f1, %f1;
  exit;
})");
  std::string file = statistics_of_run(folder, "k.json", {ptx, "--grid", "1", "--block", "32"});
  Json points = roofline_points({file});
  REQUIRE(points.size() == 1);
  CHECK(points[0]["flops_per_requested_byte"].is_null());
  CHECK_THAT(call_roofline({"roofline", file}).out, !Contains("nan") && !Contains("inf"));
}
