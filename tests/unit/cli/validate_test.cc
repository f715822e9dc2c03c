// `warptime validate` through the program itself, on tables of a few small runs.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tools/run_program.h"

using namespace warptime::test;
using Catch::Contains;
using Json = nlohmann::ordered_json;

namespace {

constexpr const char* kTable = R"(
runs:
  add: {target: vecadd, param: {n: 4096}}
  same: {target: vecadd, param: {n: 4096}}
  slow: {target: vecadd, param: {n: 4096}, set: {memory.partitions: 1}}
  as_it_is: {target: vecadd, param: {n: 4096}, set: {memory.address_map: hashed}}
  gt200: {target: vecadd, param: {n: 4096}, machine: tesla-c1060}
rows:
  flops: {published: 4096, quantity: operations, role: predicted, source: "arithmetic", value: add.flops}
  twice: {published: 4096, quantity: operations, role: predicted, source: "arithmetic", value: add.flops + same.flops}
  slower: {published: "true", quantity: text, role: predicted, source: "reason", value: add.cycles < slow.cycles}
  of-slow: {published: 4096, quantity: operations, role: predicted, source: "arithmetic", value: slow.flops}
  fitted: {published: 4096, quantity: operations, role: fitted, source: "arithmetic", value: as_it_is.flops, note: why}
  other: {published: 4000, quantity: loads, role: predicted, source: "arithmetic", value: gt200.global.loads * 32}
  recalled: {published: 5120, quantity: operations, role: recalled, source: "hearsay", value: slow.flops}
)";

Outcome validate(const std::string& table, std::vector<std::string> more) {
  TempFolder folder;
  more.insert(more.begin(), {"validate", folder.write("small.yaml", table)});
  return warptime::test::warptime(more);
}

Json json_of(const std::string& table, std::vector<std::string> more = {}) {
  more.push_back("--json");
  return Json::parse(validate(table, more).out);
}

const Json& row(const Json& report, const std::string& name) {
  for (const Json& r : report.at("rows"))
    if (r.at("name") == name) return r;
  FAIL("no row " << name);
  return report;
}

std::string one_row(const std::string& run, const std::string& value) {
  return "runs:\n  a: " + run +
         "\nrows:\n  x: {published: 4, quantity: q, role: predicted, source: s, value: " + value + "}\n";
}

}  // namespace

TEST_CASE("validate: every row has its figure, error and role") {
  Outcome outcome = validate(kTable, {"--json"});
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.err.empty());
  Json report = Json::parse(outcome.out);
  CHECK(row(report, "flops").dump() ==
        R"({"group":"small","name":"flops","quantity":"operations","published":4096.0,"simulated":4096.0,"error":0.0,)"
        R"("role":"predicted","machine":"geforce-8800-gtx","source":"arithmetic"})");
  CHECK(row(report, "twice")["error"] == 1.0);
  CHECK(row(report, "slower")["simulated"] == "true");
  CHECK(row(report, "slower")["error"].is_null());
  // Another machine than the file's explains no figure of it; an override that changes nothing is the file's.
  CHECK(row(report, "of-slow")["role"] == "alternative");
  CHECK(row(report, "of-slow")["set"] == Json{"memory.partitions=1"});
  CHECK(row(report, "fitted")["role"] == "fitted");
  CHECK(row(report, "fitted")["note"] == "why");
  // A recalled figure has a factor in place of an error, and stays one on another machine than the file's.
  CHECK(row(report, "recalled")["role"] == "recalled");
  CHECK(row(report, "recalled")["error"].is_null());
  CHECK(row(report, "recalled")["factor"] == 1.25);
  CHECK_FALSE(row(report, "of-slow").contains("factor"));
  CHECK(row(report, "other")["machine"] == "tesla-c1060");
  CHECK(row(report, "other")["simulated"] == 8192.0);  // two a thread

  CHECK(report["machine_hashes"].size() == 2);
  CHECK(report["machine_hashes"]["geforce-8800-gtx"].get<std::string>().size() == 16);
  const Json& summary = report["summary"]["small"];
  CHECK(summary["predicted"]["rows"] == 3);
  CHECK(summary["predicted"]["mean_abs_error"] == Approx((0 + 1 + (8192 / 4000.0 - 1)) / 3));
  CHECK(summary["predicted"]["max_abs_error"] == Approx(8192 / 4000.0 - 1));
  CHECK(summary["predicted"].contains("rank_correlation"));
  CHECK(summary["by_quantity"].size() == 2);
  CHECK(summary["by_quantity"]["operations"]["rows"] == 2);
  CHECK(summary["by_quantity"]["loads"]["geometric_mean_factor"] == Approx(2.048));
  CHECK(report["together"]["rows"] == 3);
}

TEST_CASE("validate: the same bytes for any number of jobs") {
  std::string one = validate(kTable, {"--json", "--jobs", "1"}).out;
  CHECK(one == validate(kTable, {"--json", "--jobs", "3"}).out);
  CHECK(one == validate(kTable, {"--json", "--threads", "16"}).out);
}

TEST_CASE("validate: the table on the screen") {
  Outcome outcome = validate(kTable, {});
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.out, Contains("small     quantity    published  simulated  error"));
  CHECK_THAT(outcome.out,
             Contains("flops     operations  4096       4096       +0.0 %       predicted    geforce-8800-gtx"));
  CHECK_THAT(outcome.out, Contains("slower    text        true       true       same"));
  CHECK_THAT(outcome.out, Contains("recalled  operations  5120       4096       factor 1.25  recalled"));
  CHECK_THAT(outcome.out, Contains("3 predicted figures: mean error 68.3 %, largest 104.8 %"));
  CHECK(validate(kTable, {"--quiet"}).out.empty());
}

TEST_CASE("validate: --only takes rows and runs no others, --set changes every machine") {
  Json report = json_of(kTable, {"--only", "flo", "--only", "fit"});
  REQUIRE(report["rows"].size() == 2);
  CHECK(report["machine_hashes"].size() == 1);
  Json changed = json_of(kTable, {"--only", "fitted", "--set", "dram.tRCD=20"});
  CHECK(changed["machine_hashes"] != report["machine_hashes"]);
  CHECK(row(changed, "fitted")["role"] == "fitted");  // the override changes all of it
  Outcome none = validate(kTable, {"--only", "nothing"});
  CHECK(none.status == 2);
  CHECK_THAT(none.err, Contains("no row has such a name"));
}

TEST_CASE("validate: a row that could not be run is an error of 1 and ends nothing") {
  std::string table = one_row("{target: \"mandelbrot:f64\", param: {size: 8}}", "a.flops");
  Outcome outcome = validate(table, {"--json"});
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.err, Contains("mandelbrot:f64 size=8 on geforce-8800-gtx: status 2") && Contains("f64"));
  Json report = Json::parse(outcome.out);
  CHECK(report["rows"][0]["simulated"].is_null());
  CHECK(report["rows"][0]["error"] == 1.0);
  CHECK(report["summary"]["small"]["predicted"]["mean_abs_error"] == 1.0);

  Outcome unknown = validate(one_row("{target: vecadd, param: {n: 64}}", "a.flop"), {"--json"});
  CHECK(unknown.status == 0);
  CHECK_THAT(unknown.err, Contains("x: there is no figure \"a.flop\""));
  CHECK(Json::parse(unknown.out)["rows"][0]["error"] == 1.0);
}

TEST_CASE("validate: figures by name, in the total, and anywhere in a report") {
  auto simulated = [](const std::string& run, const std::string& value) {
    Json report = json_of(one_row(run, value));
    return report["rows"][0]["simulated"];
  };
  std::string walk = "{target: \"walk:rows\", param: {n: 32}}";
  CHECK(simulated(walk, "a.rows_bytes") == 4 * 256 / 16 * 32 * 512.0);
  CHECK(simulated(walk, "a.global.stores") == 32.0);
  CHECK(simulated(walk, "a.launches.0.occupancy.warps_per_sm") == 24.0);
  CHECK(simulated(walk, "a.launches.1.cycles").is_null());
  CHECK(simulated(walk, "a.resources.dram.busy").get<double>() > 0.01);
  CHECK(simulated(walk, "a.launches.0.resources.dram.busiest") == simulated(walk, "a.resources.dram.busiest"));
  CHECK(simulated(walk, "a.resources.disk.busy").is_null());
}

TEST_CASE("validate: a run beside its CPU baseline, and what a table of applications says of it") {
  auto simulated = [](const std::string& value) {
    std::string run = "{target: saxpy, param: {n: 40000}, cpu: {processor: cpu-opteron-248, code: scalar}}";
    return json_of(one_row(run, value))["rows"][0]["simulated"];
  };
  CHECK(simulated("a.cpu.operations.add") == 40000.0);
  CHECK(simulated("a.cpu.scalar_seconds").get<double>() > 0);
  CHECK(simulated("a.suite.active_threads") == 12288.0);
  CHECK(json_of("runs:\n  a: {target: saxpy, param: {n: 40000}}\n"
                "rows:\n  x: {published: issue, quantity: q, role: predicted, source: s, value: a.suite.bottleneck}\n")
            ["rows"][0]["simulated"] == "bandwidth");
  Outcome unknown = validate(one_row("{target: saxpy, cpu: {processor: opteron, code: scalar}}", "a.flops"), {});
  CHECK(unknown.status == 2);
  CHECK_THAT(unknown.err, Contains("small.yaml:2:39: error: no processor \"opteron\""));
  Outcome none = validate(one_row("{target: vecadd, cpu: {processor: cpu-opteron-248, code: simd}}", "a.flops"), {});
  CHECK(none.status == 0);
  CHECK_THAT(none.err, Contains("workload \"vecadd\" has no CPU baseline"));
}

TEST_CASE("validate: a launch file is neither a table nor a target") {
  Outcome table = warptime::test::warptime({"validate", WARPTIME_SOURCE_DIR "/docs/examples/scale.yaml"});
  CHECK(table.status == 2);
  CHECK_THAT(table.err, Contains("scale.yaml:1:1: error: this is a launch file, not a validation table") &&
                            Contains("`warptime run` runs it") && !Contains("unknown key"));
  Outcome target = validate(one_row("{target: scale.yaml}", "a.flops"), {});
  CHECK(target.status == 2);
  CHECK_THAT(target.err, Contains("small.yaml:2:15: error: \"scale.yaml\" is not a known kind of target") &&
                             Contains("the target of a validation run is a workload") && !Contains("launch file"));
}

TEST_CASE("validate: mistakes are exit 2 before anything runs") {
  TempFolder folder;
  Outcome outcome = warptime::test::warptime({"validate", "matmull"});
  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.err, Contains("there is no group \"matmull\"") && Contains("matmul"));
  CHECK(warptime::test::warptime({"validate", "nowhere.yaml"}).status == 2);
  Outcome target = validate(one_row("{target: vecad}", "a.flops"), {});
  CHECK(target.status == 2);
  CHECK_THAT(target.err, Contains("small.yaml:2:15: error: ") && Contains("did you mean \"vecadd\"?"));
  CHECK_THAT(validate(one_row("{target: vecadd, machine: g80}", "a.flops"), {}).err, Contains("small.yaml:2:"));
  CHECK_THAT(validate(one_row("{target: vecadd, param: {m: 3}}", "a.flops"), {}).err,
             Contains("has no parameter \"m\""));
  CHECK_THAT(validate(one_row("{target: vecadd, set: {chip.tpc: 3}}", "a.flops"), {}).err, Contains("chip.tpcs"));
  CHECK_THAT(validate(kTable, {"--markdown", "page.txt"}).err, Contains("--markdown requires a FILE.md"));
}

TEST_CASE("validate: a page with two charts") {
  TempFolder folder;
  Outcome outcome = validate(kTable, {"--quiet", "--markdown", folder.path("page.md")});
  CHECK(outcome.status == 0);
  std::string page = read_text(folder.path("page.md"));
  CHECK_THAT(
      page, Contains("| flops | operations | 4096 | 4096 | +0.0 % | predicted | geforce-8800-gtx | arithmetic |  |\n"));
  CHECK_THAT(page, Contains("(page-scatter.svg)") && Contains("(page-bars.svg)"));
  // Of a table of one's own nothing is known of where its figures come from.
  CHECK_THAT(page, !Contains("measured on hardware") && !Contains("published ones") &&
                       Contains("The figures of small come from a table of the user's own"));
  Outcome published = warptime::test::warptime(
      {"validate", "micro", "--only", "issue/", "--quiet", "--markdown", folder.path("micro.md")});
  CHECK(published.status == 0);
  CHECK_THAT(read_text(folder.path("micro.md")), Contains("Every figure here was measured on hardware and published."));
  std::string scatter = read_text(folder.path("page-scatter.svg")), bars = read_text(folder.path("page-bars.svg"));
  CHECK_THAT(scatter, Catch::StartsWith("<svg ") && Catch::EndsWith("</svg>\n") && Contains("flops: 4096 operations") &&
                          Contains("recalled: 4096 operations, published 5120"));
  CHECK_THAT(bars, Catch::StartsWith("<svg ") && Contains(">twice<") && Contains("+100.0 %"));
  CHECK_THAT(bars, !Contains(">slower<") && !Contains("factor"));
}
