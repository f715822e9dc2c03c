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
  CHECK(
      row(report, "flops").dump() ==
      R"({"group":"small","name":"flops","quantity":"operations","published":4096.0,"simulated":4096.0,"error":0.0,)"
      R"("kind":"other","role":"predicted","machine":"geforce-8800-gtx","run":"vecadd n=4096","source":"arithmetic"})");
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
  CHECK(row(report, "other")["simulated"] == 8192.0);  // two per thread

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
  // Each quantity by itself; a user's own has no other measure than relative errors.
  const Json& measures = summary["measures"];
  REQUIRE(measures.size() == 3);
  CHECK(measures[0].dump() == R"({"kind":"text","quantity":"text","rows":1,"failed":0,"same":1})");
  CHECK(measures[1].dump() ==
        R"({"kind":"other","quantity":"operations","rows":2,"failed":0,"mean_abs_error":0.5,"max_abs_error":1.0})");
  CHECK(measures[2]["quantity"] == "loads");
  CHECK(report["together"]["measures"].empty());  // no timing
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
  CHECK_THAT(outcome.out, Contains("predicted  quantity    figures  agreement\n"
                                   "small      text        1        1 the same\n"
                                   "small      operations  2        mean error 50.0 %, largest 100.0 %\n"
                                   "small      loads       1        mean error 104.8 %, largest 104.8 %\n"));
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
  CHECK(unknown.status == 2);
  CHECK_THAT(unknown.err, Contains("x: there is no figure \"a.flop\""));
  CHECK(Json::parse(unknown.out)["rows"][0]["error"] == 1.0);
}

TEST_CASE("validate: a figure that a run does not have has its place and the nearest name") {
  auto error_of = [](const std::string& value) {
    Outcome outcome = validate(one_row("{target: vecadd, param: {n: 64}}", value), {"--quiet"});
    CHECK(outcome.status == 2);
    return outcome.err;
  };
  CHECK_THAT(error_of("a.tme_us"), Contains("small.yaml:") && Contains("error: run \"a\" has no figure \"tme_us\"") &&
                                       Contains("^~~~~~\n") && Contains("did you mean \"time_us\"?"));
  CHECK_THAT(error_of("2 * a.issue.isued"), Contains("value: 2 * a.issue.isued") &&
                                                Contains("                      ^~~~~~~~~~~\n") &&
                                                Contains("did you mean \"issue.issued\"?"));
  CHECK_THAT(error_of("a.launches.0.occupancy.wraps_per_sm"), Contains("occupancy.warps_per_sm"));
  CHECK_THAT(error_of("a.issue"), Contains("it has the parts slots, issued, stalls"));
  CHECK_THAT(error_of("a.zzzzzz"), Contains("`warptime list statistics` has their names"));
}

TEST_CASE("validate: a wrong parameter of a run has its place in the table") {
  auto error_of = [](const std::string& parameter) {
    Outcome outcome = validate(one_row("{target: vecadd, param: {" + parameter + "}}", "a.flops"), {});
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.err, Contains("small.yaml:") && !Contains("--param"));
    return outcome.err;
  };
  CHECK_THAT(error_of("m: 64"), Contains("has no parameter \"m\"") && Contains("did you mean \"n\"?"));
  CHECK_THAT(error_of("n: -3"), Contains("parameter \"n\" is out of range") && Contains("^~\n"));
  CHECK_THAT(error_of("n: x"), Contains("is not a whole number"));
}

TEST_CASE("validate: a file is replaced with --force only") {
  TempFolder folder;
  std::string csv = folder.write("v.csv", "mine\n"), row = one_row("{target: vecadd, param: {n: 64}}", "a.flops");
  Outcome outcome = validate(row, {"--csv", csv});
  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.err, Contains(csv + " exists") && Contains("--force replaces it\n"));
  CHECK(read_text(csv) == "mine\n");
  CHECK(validate(row, {"--csv", csv, "--force", "--quiet"}).status == 0);
  CHECK_THAT(read_text(csv), Contains("small,x,"));
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

TEST_CASE("validate: a launch file is not a table, and as a target it lies beside the table") {
  Outcome table = warptime::test::warptime({"validate", WARPTIME_SOURCE_DIR "/docs/examples/scale.yaml"});
  CHECK(table.status == 2);
  CHECK_THAT(table.err, Contains("scale.yaml:1:1: error: this is a launch file, not a validation table") &&
                            Contains("`warptime run` runs it") && !Contains("unknown key"));
  Outcome target = validate(one_row("{target: scale.yaml}", "a.flops"), {});
  CHECK(target.status == 2);
  CHECK_THAT(target.err, Contains("small.yaml:2:15: error: cannot read") && Contains("scale.yaml"));
  Outcome other = validate(one_row("{target: scale.ptx}", "a.flops"), {});
  CHECK_THAT(other.err,
             Contains("\"scale.ptx\" is not a known kind of target") && Contains("or a launch file: FILE.yaml"));
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

namespace {

/// A row of each kind, with values that the expressions give whatever is simulated.
constexpr const char* kKinds = R"(
runs:
  a: {target: vecadd, param: {n: 64}}
source: arithmetic
rows:
  rate/fast: {published: 10, quantity: GB/s, role: predicted, value: 11 + 0 * a.flops}
  rate/slow: {published: 10, quantity: cycles, role: predicted, value: 8 + 0 * a.flops}
  rate/given: {published: 10, quantity: ms, role: input, value: 10 + 0 * a.flops}
  p/kernel_speedup: {published: 10, quantity: kernel_speedup, role: predicted, value: 20 + 0 * a.flops}
  q/kernel_speedup: {published: 40, quantity: kernel_speedup, role: predicted, value: 10 + 0 * a.flops}
  p/scalar_speedup: {published: 4, quantity: scalar_speedup, role: alternative, value: 400 + 0 * a.flops}
  p/gpu_percent: {published: 60, quantity: gpu_percent, role: predicted, value: 70 + 0 * a.flops}
  q/gpu_percent: {published: "true", quantity: gpu_percent, role: predicted, value: a.flops > 99, note: "> 99, say"}
  p/shared: {published: 8.1, quantity: shared_bytes_per_thread, role: predicted, value: 8.141 + 0 * a.flops}
  p/registers: {published: 9, quantity: registers_estimated, role: predicted, value: 7 + 0 * a.flops}
  p/ratio: {published: 0.2, quantity: memory_to_compute, role: predicted, value: 3 + 0 * a.flops}
)";

/// The environment of a host on which no gnuplot is installed.
Environment without_gnuplot(const TempFolder& folder) { return {{"PATH", folder.path("")}}; }

}  // namespace

TEST_CASE("validate: a row shows its distance, and a summary its measures, by the quantity's kind") {
  Outcome outcome = validate(kKinds, {});
  CHECK(outcome.status == 0);
  for (const char* line :
       {"11         +10.0 %", "20         2 times", "10         0.25 times", "70         +10.0 points",
        "true       other", "8.141      exact", "7          -2", "3          listed"}) {
    CAPTURE(line);
    std::string text = outcome.out;
    if (std::string(line) == "true       other") text.replace(text.find("false      other"), 5, "true ");
    CHECK_THAT(text, Contains(line));
  }
  CHECK_THAT(outcome.out,
             Contains("small      kernel timing            2        mean error 15.0 %, largest 20.0 %\n") &&
                 Contains("small      kernel_speedup           2        off by a factor of 2.83 (geometric mean; "
                          "simulated / published 0.71), rank correlation -1.00\n") &&
                 Contains("small      gpu_percent              1        mean difference 10.0 percentage points "
                          "(+10.0 with signs), largest 10.0\n") &&
                 Contains("small      shared_bytes_per_thread  1        1 exact, mean deviation 0.041") &&
                 Contains("small      registers_estimated      1        0 exact, mean deviation 2, largest 2\n") &&
                 Contains("small      gpu_percent              1        0 the same\n") &&
                 Contains("small      memory_to_compute        1        listed, in no mean"));
}

TEST_CASE("validate: --csv writes the rows, and the summaries beside them") {
  TempFolder folder;
  CHECK(validate(kKinds, {"--quiet", "--csv", folder.path("v.csv")}).status == 0);
  std::string rows = read_text(folder.path("v.csv")), summary = read_text(folder.path("v.summary.csv"));
  CHECK_THAT(rows, Catch::StartsWith("group,name,quantity,kind,published,simulated,error,difference,same,factor,role,"
                                     "machine,set,source,note,failure,published_low,published_high,samples,"
                                     "within_uncertainty,run,class\nsmall,rate/fast,GB/s,timing,10,11,0.1") &&
                       Contains("small,p/gpu_percent,gpu_percent,share,60,70,0.1666") && Contains(",10,,,predicted,") &&
                       Contains("small,q/gpu_percent,gpu_percent,text,true,false,,,false,,predicted,"
                                "geforce-8800-gtx,,arithmetic,\"> 99, say\",,,,,,vecadd n=64,\n"));
  CHECK_THAT(summary,
             Catch::StartsWith("group,quantity,kind,rows,failed,mean_abs_error,max_abs_error,geometric_mean_factor,"
                               "geometric_mean_ratio,rank_correlation,mean_difference,mean_abs_difference,"
                               "max_abs_difference,same\nsmall,kernel timing,timing,2,0,0.15") &&
                 Contains("\nsmall,registers_estimated,count,1,0,,,,,,-2,2,2,0\n") &&
                 Contains("\nsmall,memory_to_compute,listed,1,0,,,,,,,,,\n"));
  // On standard output the rows are alone, without the table for readers.
  CHECK(validate(kKinds, {"--csv", "-"}).out == rows);
  Outcome clash =
      validate(kKinds, {"--force", "--csv", folder.path("v.csv"), "--json=" + folder.path("v.summary.csv")});
  CHECK(clash.status == 2);
  CHECK_THAT(clash.err, Contains("are the same file"));
}

TEST_CASE("validate: a page with two charts") {
  TempFolder folder;
  Outcome outcome = validate(kKinds, {"--quiet", "--markdown", folder.path("page.md"), "--chart-scripts"});
  CAPTURE(outcome.err);
  CHECK(outcome.status == 0);
  std::string page = read_text(folder.path("page.md"));
  CHECK_THAT(
      page,
      Contains(
          "| rate/fast | GB/s | 10 | 11 | +10.0 % | predicted | geforce-8800-gtx | vecadd n=64 | arithmetic |  |\n"));
  CHECK_THAT(page, Contains("| small | kernel_speedup | speedup | 2 | off by a factor of 2.83 "));
  CHECK_THAT(page, Contains("(page-scatter.svg)") && Contains("(page-bars.svg)"));
  // Nothing is known of where the figures in a table of one's own come from.
  CHECK_THAT(page, !Contains("measured on hardware") && !Contains("published ones") &&
                       Contains("The figures of small come from a table of the user's own"));
  std::string scatter = read_text(folder.path("page-scatter.svg")), bars = read_text(folder.path("page-bars.svg"));
  for (const std::string& chart : {scatter, bars})
    CHECK_THAT(chart, Catch::StartsWith("<?xml ") && Catch::EndsWith("</svg>\n") && Contains("predicted"));
  CHECK_THAT(scatter, Contains(">kernel_speedup<") && Contains(">p<") && Contains(">q<") &&
                          Contains(">p/scalar_speedup<") && Contains("within a factor of 2") && !Contains("rate/"));
  // Bars are of timing alone.
  CHECK_THAT(bars, Contains(">rate/fast<") && Contains("+10.0 %") && Contains(">rate/slow<") &&
                       !Contains("rate/given") && !Contains("gpu_percent"));
  CHECK_THAT(read_text(folder.path("page-bars.gp")), Contains("\"rate/fast\"") && Contains("plot "));
  CHECK_THAT(read_text(folder.path("page-scatter.gp")), Contains("set logscale xy"));

  // Again, and with other settings of the user's: the same bytes.
  Environment other{{"LC_ALL", "de_DE.UTF-8"}, {"HOME", folder.path("")}, {"GNUTERM", "dumb"}, {"TZ", "Asia/Tokyo"}};
  folder.write(".gnuplot", "set title 'mine'\n");
  CHECK(warptime::test::warptime(
            {"validate", folder.write("small.yaml", kKinds), "--quiet", "--markdown", folder.path("again.md")}, other)
            .status == 0);
  CHECK(read_text(folder.path("again-scatter.svg")) == scatter);
  CHECK(read_text(folder.path("again-bars.svg")) == bars);
}

TEST_CASE("validate: a chart without a row is not drawn") {
  TempFolder folder;
  Outcome published = warptime::test::warptime(
      {"validate", "micro", "--only", "issue/add", "--quiet", "--markdown", folder.path("micro.md")});
  CHECK(published.status == 0);
  CHECK_THAT(read_text(folder.path("micro.md")),
             Contains("Every figure here was measured on hardware and published.") && !Contains(".svg"));
  CHECK_FALSE(std::filesystem::exists(folder.path("micro-bars.svg")));
}

TEST_CASE("validate: gnuplot does not run names in a table as commands") {
  TempFolder folder;
  std::string table = R"(
runs: {a: {target: vecadd, param: {n: 64}}}
source: s
rows:
)";
  for (const char* quantity : {"GB/s", "kernel_speedup"})
    table += std::string("  '`touch ") + folder.path("made") + "` \" %d & <b> \\ EOD " + quantity +
             "': {published: 10, quantity: " + quantity + ", role: predicted, value: 11 + 0 * a.flops}\n";
  Outcome outcome = validate(table, {"--quiet", "--markdown", folder.path("page.md")});
  CAPTURE(outcome.err);
  CHECK(outcome.status == 0);
  CHECK_FALSE(std::filesystem::exists(folder.path("made")));
  for (const char* chart : {"page-bars.svg", "page-scatter.svg"})
    CHECK_THAT(read_text(folder.path(chart)), Contains("` ' %d &amp; &lt;b> \\ EOD"));
}

TEST_CASE("validate: a missing gnuplot is reported before anything runs") {
  TempFolder folder;
  std::string table = folder.write("small.yaml", kKinds), page = folder.path("page.md");
  Outcome missing = warptime::test::warptime({"validate", table, "--markdown", page}, without_gnuplot(folder));
  CHECK(missing.status == 2);
  CHECK(missing.out.empty());
  CHECK_THAT(missing.err, Contains("error: --markdown draws its charts with gnuplot, which is not on PATH") &&
                              Contains("hint: apt-get install gnuplot-nox"));
  CHECK_FALSE(std::filesystem::exists(page));
  CHECK(warptime::test::warptime({"validate", table, "--quiet"}, without_gnuplot(folder)).status == 0);

  // One that draws nothing.
  std::filesystem::permissions(folder.write("gnuplot", "#!/bin/sh\necho 'line 3: no such terminal' >&2\nexit 1\n"),
                               std::filesystem::perms::owner_all);
  Outcome broken =
      warptime::test::warptime({"validate", table, "--quiet", "--markdown", page}, without_gnuplot(folder));
  CHECK(broken.status == 2);
  CHECK_THAT(broken.err, Contains("drew no chart (exit status 1): line 3: no such terminal"));
  CHECK_FALSE(std::filesystem::exists(page));
  Outcome alone = validate(kKinds, {"--chart-scripts"});
  CHECK(alone.status == 2);
  CHECK_THAT(alone.err, Contains("--chart-scripts goes with --markdown FILE.md"));
}
