// `warptime sweep`: rows, their order, what fails, and what an interrupted sweep is worth.
#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tools/run_program.h"

using namespace warptime::test;
using Catch::Contains;
using Json = nlohmann::ordered_json;

namespace {

using Words = std::vector<std::string>;
using Rows = std::vector<Words>;

// 2 x 2 x 2 points of a few milliseconds.
const Words kAxes{"--set", "memory.partitions=2,6", "--set", "dram.scheduler=fr_fcfs,fcfs", "--param", "n=1000,4096"};

Outcome sweep(Words more, const std::string& target = "vecadd", const Words& axes = kAxes) {
  Words words{"sweep", target};
  words.insert(words.end(), axes.begin(), axes.end());
  words.insert(words.end(), more.begin(), more.end());
  return warptime::test::warptime(words);
}

Words split(const std::string& text, char at) {
  Words out;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) out.push_back(part);
  return out;
}

Rows rows_of(const std::string& csv) {
  Rows rows;
  for (const std::string& line : split(csv, '\n')) rows.push_back(split(line, ','));
  return rows;
}

size_t column(const Rows& rows, const std::string& name) {
  auto found = std::find(rows[0].begin(), rows[0].end(), name);
  REQUIRE(found != rows[0].end());
  return static_cast<size_t>(found - rows[0].begin());
}

}  // namespace

TEST_CASE("a sweep has a row for every combination, the last axis varying fastest") {
  Outcome outcome = sweep({});
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.err.empty());
  Rows rows = rows_of(outcome.out);
  REQUIRE(rows.size() == 9);
  Words begin{"memory.partitions", "dram.scheduler", "n", "status", "launches", "cycles", "time_us"};
  CHECK(Words(rows[0].begin(), rows[0].begin() + 7) == begin);
  CHECK(Words(rows[1].begin(), rows[1].begin() + 5) == Words{"2", "fr_fcfs", "1000", "0", "1"});
  CHECK(Words(rows[2].begin(), rows[2].begin() + 5) == Words{"2", "fr_fcfs", "4096", "0", "1"});
  CHECK(Words(rows[3].begin(), rows[3].begin() + 5) == Words{"2", "fcfs", "1000", "0", "1"});
  CHECK(Words(rows[8].begin(), rows[8].begin() + 5) == Words{"6", "fcfs", "4096", "0", "1"});
  for (const Words& row : rows) CHECK(row.size() == rows[0].size());
}

TEST_CASE("a row has the numbers of the run that it stands for") {
  Rows rows = rows_of(sweep({}).out);
  Json total = Json::parse(warptime::test::warptime({"run", "vecadd", "--param", "n=4096", "--set",
                                                     "memory.partitions=2", "--set", "dram.scheduler=fcfs", "--json"})
                               .out)
                   .at("total");
  auto cell = [&](const std::string& name) { return Json::parse(rows[4][column(rows, name)]); };
  CHECK(cell("time_us") == total["time_us"]);
  CHECK(cell("issue.issued") == total["issue"]["issued"]);
  for (const auto& [reason, cycles] : total["issue"]["stalls"].items()) CHECK(cell("issue.stalls." + reason) == cycles);
  CHECK(cell("dram.row_hits") == total["dram"]["row_hits"]);
  CHECK(cell("pipes.sp.busy_cycles") == total["pipes"]["sp"]["busy_cycles"]);
  // Every number has its column.
  size_t numbers = 0;
  std::function<void(const Json&)> count = [&](const Json& value) {
    if (value.is_number()) ++numbers;
    if (value.is_structured())
      for (const Json& member : value) count(member);
  };
  total["divergence"].erase("active_lanes_histogram");
  count(total);
  for (const Json& resource : total["resources"])
    CHECK(cell("resources." + resource["name"].get<std::string>() + ".busy") == resource["busy"]);
  CHECK(rows[0].size() == 3 + 2 + numbers + 4 + 1);
  CHECK(rows[4][column(rows, "occupancy.limiter")] == "threads");
  CHECK(rows[4][column(rows, "occupancy.warps_per_sm")] == "24");
  CHECK(rows[4][column(rows, "bound")] == "latency");
}

TEST_CASE("caches have columns where a point's machine may have them") {
  auto columns = [](const Words& axes) { return rows_of(sweep({}, "vecadd", axes).out)[0]; };
  auto has = [](const Words& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  Words plain = columns({"--param", "n=64"});
  CHECK(has(plain, "caches.instruction.hits"));
  CHECK_FALSE(has(plain, "caches.l2.hits"));
  CHECK(has(columns({"--param", "n=64", "--set", "l2.cache.bytes=0,65536"}), "caches.l2.hits"));
  CHECK_FALSE(has(columns({"--param", "n=64", "--set", "l2.cache.bytes=0"}), "caches.l2.hits"));
}

TEST_CASE("the rows are the same bytes for any number of jobs") {
  std::string one = sweep({"--jobs", "1"}).out;
  CHECK(one == sweep({"--jobs", "3"}).out);
  CHECK(one == sweep({"--threads", "20"}).out);
}

TEST_CASE("a point that fails is a row, and the sweep goes on") {
  TempFolder folder;
  std::string csv = folder.path("x.csv");
  // A window of 128 is longer than the way to the partitions (80 cycles): that machine cannot be.
  Outcome outcome = sweep({"--csv", csv}, "vecadd", {"--set", "chip.window_cycles=64,128,32", "--param", "n=1000"});
  CHECK(outcome.status == 0);
  CHECK(outcome.out.empty());
  CHECK_THAT(outcome.err, Contains("point 2 (chip.window_cycles=128, n=1000): status 2\n"));
  CHECK_THAT(outcome.err, Contains("must be at least chip.window_cycles (128)"));
  CHECK_THAT(outcome.err, Contains("1 of 3 points failed"));
  Rows rows = rows_of(read_text(csv));
  REQUIRE(rows.size() == 4);
  size_t status = column(rows, "status");
  CHECK(rows[1][status] == "0");
  CHECK(rows[2][status] == "2");
  CHECK(rows[2][status + 1].empty());
  CHECK(rows[2].size() == rows[0].size());
  CHECK(rows[3][status] == "0");

  // Too few cycles for the second size only.
  Rows cut = rows_of(sweep({"--max-cycles", "5000", "--quiet"}, "vecadd", {"--param", "n=1000,100000"}).out);
  REQUIRE(cut.size() == 3);
  CHECK(cut[1][1] == "0");
  CHECK(cut[2][1] == "3");
}

TEST_CASE("a machine without timing leaves the cells of time empty") {
  Rows rows = rows_of(sweep({"--machine", "generic"}, "vecadd", {"--param", "n=1000"}).out);
  REQUIRE(rows.size() == 2);
  CHECK(rows[1][1] == "0");
  CHECK(rows[1][column(rows, "time_us")].empty());
  CHECK(rows[1][column(rows, "issue.issued")].empty());
  CHECK(rows[1][column(rows, "warp_instructions")] != "");
}

TEST_CASE("the same rows as JSON") {
  TempFolder folder;
  Outcome outcome = sweep({"--csv", folder.path("x.csv"), "--json"});
  Json json = Json::parse(outcome.out);
  Rows rows = rows_of(read_text(folder.path("x.csv")));
  CHECK(json.at("target") == "vecadd");
  CHECK(json.at("machine") == "geforce-8800-gtx");
  CHECK(json.at("axes").at(1) == Json{{"kind", "set"}, {"name", "dram.scheduler"}, {"values", {"fr_fcfs", "fcfs"}}});
  REQUIRE(json.at("rows").size() + 1 == rows.size());
  for (size_t i = 1; i < rows.size(); ++i) {
    const Json& row = json["rows"][i - 1];
    CHECK(row.at("memory.partitions") == Json::parse(rows[i][0]));  // a number
    CHECK(row.at("dram.scheduler") == rows[i][1]);
    CHECK(row.at("status") == 0);
    CHECK(row.at("time_us") == Json::parse(rows[i][column(rows, "time_us")]));
  }
}

TEST_CASE("mistakes are told before the first point, all of them") {
  TempFolder folder;
  std::string csv = folder.path("x.csv");
  auto [words, message] = GENERATE(table<Words, std::string>({
      {{"vecadd"}, "nothing to sweep over"},
      {{"vecadd", "--set", "chip.tpcs"}, "--set of a sweep is PATH=V1,V2,..."},
      {{"vecadd", "--param", "=4"}, "--param of a sweep is NAME=V1,V2,..."},
      {{"vecadd", "--set", "chip.tpcs=1,0,2"}, "1 | chip.tpcs=0\n       |           ^"},
      {{"vecadd", "--set", "chip.tpcs=1,,2"}, "\"chip.tpcs\" must be a whole number"},
      {{"vecadd", "--set", "chip.tpsc=1,2"}, "did you mean \"chip.tpcs\"?"},
      {{"vecadd", "--set", "dram.scheduler=fcfs,fifo"}, "fifo"},
      {{"vecadd", "--param", "n=4,x"}, "1 | n=x\n       |   ^"},
      {{"vecadd", "--param", "m=4"}, "has no parameter \"m\""},
      {{"vecadd", "--param", "n=4", "--param", "n=5"}, "n is swept twice"},
      {{"vecad", "--param", "n=4"}, "did you mean \"vecadd\"?"},
      {{"matmul:tilde", "--param", "n=32"}, "did you mean \"tiled\"?"},
      {{"nowhere.yaml", "--set", "chip.tpcs=1"}, "nowhere.yaml"},
      {{"vecadd", "--param", "n=4", "--machine", "geforce-8800-gtz"}, "geforce-8800-gtx"},
      {{"vecadd", "--param", "n=4", "--resume"}, "--resume needs the file"},
      {{"vecadd", "--param", "n=4", "--jobs", "0"}, "--jobs must be 1 to"},
      {{"vecadd", "--param", "n=4", "--max-cycles", "no"}, "--max-cycles requires a whole number"},
      {{"vecadd", "--param", "n=4", "--jobs", "1", "--threads", "1"}, "the same thing"},
  }));
  Words call{"sweep"};
  call.insert(call.end(), words.begin(), words.end());
  // The case of --resume is about its file being missing.
  if (message.find("--resume") == std::string::npos) call.insert(call.end(), {"--csv", csv});
  Outcome outcome = warptime::test::warptime(call);
  CAPTURE(words, outcome.err);
  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
  CHECK_THAT(outcome.err, Contains("error: ") && Contains(message));
  CHECK_FALSE(std::filesystem::exists(csv));
}

TEST_CASE("every mistake in the values is named at once") {
  Outcome outcome = sweep({}, "vecadd", {"--set", "chip.tpcs=0,1,x", "--param", "n=y"});
  CHECK_THAT(outcome.err, Contains("chip.tpcs=0") && Contains("chip.tpcs=x") && Contains("n=y"));
}

TEST_CASE("a renamed parameter is swept, with one note") {
  Outcome outcome = sweep({}, "vecadd", {"--set", "memory.pending_loads=1,48", "--param", "n=1000"});
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.err.starts_with("--set:1:1: note: \"memory.pending_loads\" is now called"));
  CHECK(outcome.err.find("note: ", outcome.err.find("note: ") + 1) == std::string::npos);
  Rows rows = rows_of(outcome.out);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0][0] == "memory.pending_loads");
  size_t cycles = column(rows, "cycles");
  CHECK(rows[1][cycles] != rows[2][cycles]);
}

TEST_CASE("a list in brackets is one value") {
  Rows rows = rows_of(sweep({"--machine", "generic"}, "vecadd", {"--set", "features=[f64,vote],f64"}).out);
  REQUIRE(rows.size() == 3);
  CHECK(rows[1][0] == "\"[f64");  // the comma is quoted
  CHECK(rows[2][0] == "f64");
}

TEST_CASE("resumed from any point, the file is that of an undisturbed sweep") {
  TempFolder folder;
  std::string whole_file = folder.path("whole.csv"), file = folder.path("cut.csv");
  REQUIRE(sweep({"--csv", whole_file}).status == 0);
  std::string whole = read_text(whole_file);
  size_t header = whole.find('\n') + 1, second = whole.find('\n', header) + 1;
  // Nothing, half a header, a header, a row but for its end, a row, half of the next one, all but the last byte, all.
  for (size_t length :
       {size_t{0}, header / 2, header, second - 1, second, second + 30, whole.size() - 1, whole.size()}) {
    CAPTURE(length);
    folder.write("cut.csv", whole.substr(0, length));
    Outcome outcome = sweep({"--csv", file, "--resume"});
    CHECK(outcome.status == 0);
    CHECK(read_text(file) == whole);
  }
  // A file that is not there yet is begun.
  CHECK(sweep({"--csv", folder.path("new.csv"), "--resume"}).status == 0);
  CHECK(read_text(folder.path("new.csv")) == whole);
}

TEST_CASE("a resumed sweep does not run the points that it has") {
  TempFolder folder;
  std::string file = folder.path("x.csv");
  REQUIRE(sweep({"--csv", file}).status == 0);
  // A time that no run gives stays where it is.
  std::string text = read_text(file);
  Rows rows = rows_of(text);
  std::string time = rows[3][column(rows, "time_us")];
  text.replace(text.find("," + time + ","), time.size() + 2, ",12345.5,");
  folder.write("x.csv", text);
  REQUIRE(sweep({"--csv", file, "--resume"}).status == 0);
  CHECK(read_text(file) == text);
}

TEST_CASE("a file of another sweep is refused and left alone") {
  TempFolder folder;
  std::string file = folder.path("x.csv");
  REQUIRE(sweep({"--csv", file}).status == 0);
  std::string before = read_text(file);
  auto refused = [&](const std::string& why, Words more, const std::string& target = "vecadd",
                     const Words& axes = kAxes) {
    more.insert(more.end(), {"--csv", file, "--resume"});
    Outcome outcome = sweep(more, target, axes);
    CAPTURE(why, outcome.err);
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.err, Contains("was written by a different sweep: " + why));
    CHECK(read_text(file) == before);
  };
  Words two(kAxes.begin(), kAxes.begin() + 4), other_value = kAxes, fewer = kAxes;
  other_value[3] = "dram.scheduler=fcfs,fr_fcfs";
  fewer[1] = "memory.partitions=2";
  refused("it has other columns", {}, "vecadd", two);
  refused("line 2 is another point", {}, "vecadd", other_value);
  refused("line 2 has another target, machine or options", {}, "vecadd", fewer);
  refused("line 2 has another target, machine or options", {}, "saxpy");
  refused("line 2 has another target, machine or options", {"--no-check"});
  refused("line 2 has another target, machine or options", {"--machine", "generic"});
  // Another build: the first ten digits of the last column are those of the plan.
  std::string own = before.substr(before.rfind(',') + 1, 16), other = own.substr(0, 10) + "abcdef";
  for (size_t at = before.find(own); at != std::string::npos; at = before.find(own)) before.replace(at, 16, other);
  folder.write("x.csv", before);
  Outcome build = sweep({"--csv", file, "--resume"});
  CHECK(build.status == 2);
  CHECK_THAT(build.err, Contains("line 2 of " + file + " was written by another build of warptime than this"));
  CHECK(read_text(file) == before);
  before = "some notes of mine\n";
  folder.write("x.csv", before);
  refused("it has other columns", {});
  before = "some notes of mine";
  folder.write("x.csv", before);
  refused("its first line is not this sweep's", {});
}

/// Shell words: starts the sweep with its rows in `file` and waits until that has so many lines, or the sweep is gone.
static std::string started(const std::string& words, const std::string& file, int lines) {
  return "\"" WARPTIME_BINARY "\" sweep " + words + " --csv " + file + " & while kill -0 $! && [ \"$(wc -l < " + file +
         " 2>/dev/null || echo 0)\" -lt " + std::to_string(lines) + " ]; do sleep 0.01; done; ";
}

TEST_CASE("killed in the middle and resumed, the file is that of an undisturbed sweep") {
  TempFolder folder;
  Words axes{"--set", "memory.partitions=1,2,3,4,5,6,7,8", "--param", "n=4096,8192"};
  REQUIRE(sweep({"--csv", folder.path("whole.csv")}, "vecadd", axes).status == 0);
  std::string file = folder.path("x.csv");
  std::string script = started("vecadd --set memory.partitions=1,2,3,4,5,6,7,8 --param n=4096,8192", file, 4) +
                       "kill -9 $!; wait $!; true";
  REQUIRE(run_program({"/bin/bash", "-c", script}).status == 0);
  CHECK(sweep({"--csv", file, "--resume"}, "vecadd", axes).status == 0);
  CHECK(read_text(file) == read_text(folder.path("whole.csv")));
}

TEST_CASE("a point's process that is asked to end ends the sweep, and is not a row") {
  TempFolder folder;
  std::string file = folder.path("x.csv");
  // The second row's process is told to end while it runs; 143 is the shell's word for SIGTERM.
  std::string script = started("matmul:tiled --param n=32,400 --jobs 1 --no-check", file, 2) +
                       "while kill -0 $! && ! kill -TERM $(cat /proc/$!/task/$!/children); do :; done; wait $!";
  CHECK(run_program({"/bin/bash", "-c", script}).status == 143);
  CHECK(rows_of(read_text(file)).size() == 2);
}

TEST_CASE("a launch file is swept, a failed check is status 1, and its outputs are not written") {
  TempFolder folder;
  std::string scale = WARPTIME_SOURCE_DIR "/docs/examples/scale.ptx";
  auto write = [&](const std::string& expected) {
    return folder.write("run.yaml", "module: " + scale +
                                        "\nbuffers:\n  x: {type: f32, values: [1, 2]}\nlaunches:\n  - {kernel: scale, "
                                        "grid: [1], block: [32], args: [x, {f32: 2}, {u32: 2}]}\noutputs:\n  x: "
                                        "x.bin\nexpect:\n  x: {values: [2, " +
                                        expected + "]}\n");
  };
  std::string file = write("5"), csv = folder.path("x.csv");
  Outcome outcome = sweep({"--csv", csv}, file, {"--set", "chip.tpcs=1,2"});
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.err, Contains("result x differs from the reference: element 1: 4, expected 5"));
  Rows rows = rows_of(read_text(csv));
  REQUIRE(rows.size() == 3);
  CHECK(rows[2][1] == "1");
  CHECK(rows[2][column(rows, "time_us")] != "");
  CHECK_FALSE(std::filesystem::exists(folder.path("x.bin")));
  // The file's contents are part of what the sweep is.
  write("4");
  CHECK_THAT(sweep({"--csv", csv, "--resume"}, file, {"--set", "chip.tpcs=1,2"}).err,
             Contains("line 2 has another target, machine or options"));
  CHECK(rows_of(sweep({}, file, {"--set", "chip.tpcs=1,2"}).out)[2][1] == "0");
}

TEST_CASE("rows that cannot be written end the sweep") {
  Outcome outcome = sweep({"--csv", "/dev/full"});
  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.err, Contains("cannot write /dev/full: No space left on device"));
  CHECK(sweep({"--csv", "/nonexistent/x.csv"}).status == 2);
}
