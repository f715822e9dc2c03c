// Launch files as targets of all commands: parameters, figures, printed elements, rows of validation tables; and
// `warptime schema`.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tools/run_program.h"

using namespace warptime::test;
using Catch::Contains;
using Json = nlohmann::ordered_json;

namespace {

const std::string kScalePtx = WARPTIME_SOURCE_DIR "/docs/examples/scale.ptx";

/// Twice each of n elements; `rate` and, in place of the simulator's own, `gflops`.
std::string scale_file() {
  return "module: " + kScalePtx + R"(
params:
  n: {default: 64, min: 1, max: 4096}
buffers:
  x: {type: f32, count: n, init: iota}
launches:
  - {kernel: scale, grid: [ceil(n / 32)], block: [32], args: [x, {f32: 2.0}, {u32: n}], repeat: 2}
outputs:
  x: x.bin
figures:
  rate: {value: n / time_ns, unit: G/s, what: elements}
  gflops: rate * 1000
)";
}

struct ScaleFile {
  TempFolder folder;
  std::string file = folder.write("scale.yaml", scale_file());
  Outcome run(std::vector<std::string> words, std::vector<std::string> more = {}) const {
    words.push_back(file);
    words.insert(words.end(), more.begin(), more.end());
    return warptime::test::warptime(words);
  }
};

double figure(const Json& report, const std::string& name) {
  for (const Json& one : report.at("figures"))
    if (one.at("name") == name) return one.at("value").get<double>();
  FAIL("no figure " << name);
  return 0;
}

}  // namespace

TEST_CASE("a launch file's figures are in the statistics and in the summary") {
  ScaleFile scale;
  Outcome outcome = scale.run({"run"}, {"--param", "n=128", "--json"});
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  Json report = Json::parse(outcome.out);
  CHECK(report["launches"].size() == 2);
  CHECK(report["launches"][0]["grid"][0] == 4);
  double time_ns = report["total"]["time_us"].get<double>() * 1000;
  CHECK(figure(report, "rate") == Approx(128 / time_ns));
  CHECK(figure(report, "gflops") == Approx(128000 / time_ns));
  CHECK_THAT(scale.run({"run"}).out, Contains(" G/s, elements\n") && Contains("  gflops "));
  // A run without time has no figures.
  CHECK(Json::parse(scale.run({"run"}, {"--functional", "--json"}).out)["figures"].empty());
}

TEST_CASE("a sweep varies a launch file's parameters and has its figures as columns") {
  ScaleFile scale;
  Outcome outcome = scale.run({"sweep"}, {"--param", "n=32,64", "--json"});
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  Json rows = Json::parse(outcome.out)["rows"];
  REQUIRE(rows.size() == 2);
  for (size_t i = 0; i < 2; ++i) {
    double rate = (i == 0 ? 32 : 64) / (rows[i]["time_us"].get<double>() * 1000);
    CHECK(rows[i]["rate"].get<double>() == Approx(rate));
    CHECK(rows[i]["gflops"].get<double>() == Approx(rate * 1000));
  }
  Outcome wrong = scale.run({"sweep"}, {"--param", "n=32,0"});
  CHECK(wrong.status == 2);
  CHECK_THAT(wrong.err, Contains("\"n\" must be 1 to 4096, not 0"));
}

TEST_CASE("every command with a target takes a launch file and its parameters") {
  ScaleFile scale;
  auto words = GENERATE(
      values<std::vector<std::string>>({{"annotate"},
                                        {"explain"},
                                        {"trace"},
                                        {"model"},
                                        {"whatif", "--only", "dram.tRP"},
                                        {"compare", "--machine", "geforce-8800-gtx", "--machine", "tesla-c870"}}));
  CAPTURE(words);
  Outcome good = scale.run(words, {"--param", "n=96"});
  CAPTURE(good.err);
  CHECK(good.status == 0);
  Outcome bad = scale.run(words, {"--param", "m=96"});
  CHECK(bad.status == 2);
  CHECK_THAT(bad.err, Contains("the launch file has no parameter \"m\"") && Contains("did you mean \"n\"?"));
}

TEST_CASE("a report is made of a launch file with parameters") {
  ScaleFile scale;
  CHECK(scale.run({"report"}, {"--param", "n=96", "-o", scale.folder.path("r.html")}).status == 0);
}

TEST_CASE("a row of a validation table may name a launch file, and its outputs are not written") {
  ScaleFile scale;
  std::string table = scale.folder.write("table.yaml", R"(
source: arithmetic
runs:
  small: {target: scale.yaml, param: {n: 32}}
  large: {target: ./scale.yaml, param: {n: 64}}
  again: {target: scale.yaml, param: {n: 64}}
rows:
  flops: {published: 192, quantity: operations, role: predicted, value: small.flops + large.flops}
  faster: {published: "true", quantity: text, role: predicted, value: small.rate < large.rate}
  same: {published: "false", quantity: text, role: predicted, value: again.rate < large.rate}
)");
  Outcome outcome = warptime::test::warptime({"validate", table, "--json"});
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  Json rows = Json::parse(outcome.out)["rows"];
  CHECK(rows[0]["simulated"] == 192);
  CHECK(rows[1]["simulated"] == "true");
  CHECK(rows[2]["simulated"] == "false");
  CHECK_FALSE(std::filesystem::exists(scale.folder.path("x.bin")));
}

TEST_CASE("elements are printed before the summary, and on standard error where statistics take standard output") {
  ScaleFile scale;
  Outcome outcome = scale.run({"run"}, {"--print", "x[1:4]", "--quiet"});
  CHECK(outcome.out == "x[1:4]  4  8  12\n");
  Outcome json = scale.run({"run"}, {"--print", "x[1]", "--json"});
  CHECK_THAT(json.err, Contains("x[1:2]  4\n"));
  CHECK_FALSE(Json::parse(json.out).empty());
  Outcome workload = warptime::test::warptime({"run", "vecadd", "--param", "n=64", "--print", "x"});
  CHECK(workload.status == 2);
  CHECK_THAT(workload.err, Contains("--print goes with a launch file or a PTX file only"));
}

TEST_CASE("constants and textures of a PTX file come from the command line") {
  Outcome outcome = warptime::test::warptime({"run", WARPTIME_SOURCE_DIR "/docs/examples/zoom.ptx", "--grid", "1,4",
                                              "--block", "4", "--buffer", "texels=f32:[0,4,8,12]", "--buffer",
                                              "out=f32:16", "--texture", "image=texels:f32:2x2:filter=linear", "--arg",
                                              "out", "--arg", "u32=4", "--print", "out[0:8]", "--quiet"});
  CAPTURE(outcome.err);
  CHECK(outcome.out == "out[0:8]  0  1  3  4  2  3  5  6\n");
  TempFolder folder;
  std::string file = folder.write("k.ptx", R"(
.version 1.4
.target sm_10
.const .f32 table[2];
.entry k(.param .u32 x)
{
  .reg .u32 %r<2>; .reg .f32 %f<2>;
  ld.param.u32 %r1, [x]; ld.const.f32 %f1, [table+4]; st.global.f32 [%r1], %f1;
  exit;
}
)");
  Outcome constant =
      warptime::test::warptime({"run", file, "--grid", "1", "--block", "1", "--buffer", "x=f32:1", "--const",
                                "table=f32:[0.5,0.25]", "--arg", "x", "--print", "x", "--quiet"});
  CAPTURE(constant.err);
  CHECK(constant.out == "x[0:1]  0.25\n");
}

TEST_CASE("a schema has what the tables say") {
  Json machine = Json::parse(warptime::test::warptime({"schema", "machine"}).out);
  const Json& tpcs = machine["definitions"]["chip"]["properties"]["tpcs"];
  CHECK(tpcs["minimum"] == 1);
  CHECK(tpcs["maximum"] == 256);
  CHECK_THAT(tpcs["description"].get<std::string>(), Contains("texture processor clusters"));
  CHECK(machine["definitions"]["l1"]["properties"]["misses"]["deprecated"] == true);
  Json launch = Json::parse(warptime::test::warptime({"schema", "launch"}).out);
  CHECK(launch["required"] == Json::array({"module", "launches"}));
  Outcome wrong = warptime::test::warptime({"schema", "lunch"});
  CHECK(wrong.status == 2);
  CHECK_THAT(wrong.err, Contains("did you mean \"launch\"?"));
}
