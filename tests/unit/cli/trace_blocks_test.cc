// `warptime trace --level block` and `--host`: blocks over SMs, and what the host did; where a run that was cut short
// ends.
#include <catch2/catch.hpp>
#include <cmath>
#include <set>
#include <sstream>

#include "tools/run_program.h"
#include "unit/cli/trace_readers.h"

using namespace warptime::test;
using Catch::Contains;
using Json = nlohmann::ordered_json;

namespace {

const std::vector<std::string> kTiled{"matmul:tiled", "--param", "n=128", "--set", "chip.tpcs=2"};

Outcome command(const std::string& name, const std::vector<std::string>& more) {
  std::vector<std::string> words{name};
  words.insert(words.end(), kTiled.begin(), kTiled.end());
  words.insert(words.end(), more.begin(), more.end());
  return ::warptime::test::warptime(words);
}

ChromeTrace traced(const std::vector<std::string>& more) {
  TempFolder folder;
  std::vector<std::string> words = more;
  words.insert(words.end(), {"-o", folder.path("t.json")});
  Outcome outcome = command("trace", words);
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  return ChromeTrace(read_text(folder.path("t.json")), true);
}

Json statistics() { return Json::parse(command("run", {"--quiet", "--stats", "-"}).out); }

}  // namespace

TEST_CASE("trace --level block: each block once, on an SM, within the launch") {
  ChromeTrace trace = traced({"--sm", "all", "--level", "block"});
  trace.check_tracks();
  Json launch = statistics()["launches"][0];
  uint64_t origin = 0;
  std::set<std::string> blocks, sms;
  uint64_t begin = ~uint64_t{0}, end = 0, resident = 0;
  for (const auto& [track, slices] : trace.slices) {
    if (trace.processes[track.first] == "host") continue;
    sms.insert(trace.processes[track.first]);
    CHECK_THAT(trace.threads[track], Contains("block slot "));
    for (const ChromeTrace::Slice& slice : slices) {
      CHECK(slice.category == "block");
      CHECK(blocks.insert(slice.name).second);
      begin = std::min(begin, slice.begin);
      end = std::max(end, slice.end);
      resident += slice.end - slice.begin;
    }
  }
  CHECK(blocks.size() == 64);
  CHECK(blocks.count("block (7,7)") == 1);
  CHECK(sms == std::set<std::string>{"SM 0", "SM 1", "SM 2", "SM 3"});
  // Eight warps per block; the last warp's last instruction ends after its block does.
  double warps = launch["sm_cycles"]["warps"].get<double>();
  CHECK(static_cast<double>(resident) * 8 == Approx(warps).epsilon(0.05));
  for (const auto& [track, slices] : trace.slices)
    if (trace.processes[track.first] == "host")
      for (const ChromeTrace::Slice& slice : slices)
        if (trace.threads[track] == "launches") origin = slice.end - launch["cycles"].get<uint64_t>();
  CHECK(begin >= origin);
  CHECK(end - origin <= launch["cycles"].get<uint64_t>());
  CHECK(end - origin + 2000 > launch["cycles"].get<uint64_t>());
}

TEST_CASE("trace --level block: the drawing, of all SMs and of one") {
  Outcome all = command("trace", {"--level", "block"});
  REQUIRE(all.status == 0);
  CHECK_THAT(all.out, Contains("blocks in cycles ") && Contains(" SM slot  |") && Contains("\n  0    0  1") &&
                          Contains("\n       1  1") && Contains("\n  3    0  1") && Contains("64 blocks on 4 SMs: "));
  std::istringstream lines(all.out);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 200);
  Outcome one = command("trace", {"--level", "block", "--sm", "2", "--window", "0:2000"});
  REQUIRE(one.status == 0);
  CHECK_THAT(one.out, Contains("\n  2    0  1") && Contains(" on 1 SM: ") && !Contains("\n  0    0"));
  Outcome none = command("trace", {"--level", "block", "--window", "0:1"});
  CHECK(none.status == 0);
  CHECK_THAT(none.out, Contains("no block in cycles 0 to 1\n"));
}

TEST_CASE("trace --host: the timeline of the statistics, and the launch where it was") {
  bool blocks = GENERATE(false, true);
  ChromeTrace trace =
      traced(blocks ? std::vector<std::string>{"--level", "block"} : std::vector<std::string>{"--host"});
  trace.check_tracks();
  Json run = statistics();
  std::multiset<std::string> expected, found;
  for (const Json& event : run["timeline"])
    expected.insert(event["name"].get<std::string>() + " " + std::to_string(event["start_us"].get<double>()) + " " +
                    std::to_string(event["end_us"].get<double>()) + " " +
                    std::to_string(event["bytes"].get<uint64_t>()));
  double mhz = 1350;
  for (const auto& [track, slices] : trace.slices) {
    if (trace.processes[track.first] != "host") continue;
    for (size_t i = 0; i < slices.size(); ++i) {
      const nlohmann::json& arguments = trace.arguments[track][i];
      double start = std::stod(arguments["start_us"].get<std::string>());
      double end = std::stod(arguments["end_us"].get<std::string>());
      found.insert(slices[i].name + " " + std::to_string(start) + " " + std::to_string(end) + " " +
                   std::to_string(arguments.value("bytes", uint64_t{0})));
      CHECK(std::abs(static_cast<double>(slices[i].begin) - start * mhz) <= 1);
      CHECK(std::abs(static_cast<double>(slices[i].end) - end * mhz) <= 1);
    }
  }
  CHECK(expected.size() >= 3);
  CHECK(found == expected);
  CHECK_THAT(trace.about["time"].get<std::string>(), Contains("the launch begins at "));
}

TEST_CASE("trace: a run that is cut short has nothing beyond the cut") {
  for (const std::vector<std::string>& level : std::vector<std::vector<std::string>>{{}, {"--level", "block"}}) {
    TempFolder folder;
    std::vector<std::string> words = level;
    words.insert(words.end(), {"--max-cycles", "600", "--interval", "100", "-o", folder.path("t.json")});
    Outcome outcome = command("trace", words);
    REQUIRE(outcome.status == 3);
    ChromeTrace trace(read_text(folder.path("t.json")));
    trace.check_tracks();
    CHECK(trace.about["complete"].get<bool>() == false);
    CHECK(trace.about["cycles"].get<uint64_t>() == 600);
    uint64_t last = 0, host_end = 0;
    for (const auto& [track, slices] : trace.slices)
      for (const ChromeTrace::Slice& slice : slices) {
        uint64_t& end = trace.processes[track.first] == "host" ? host_end : last;
        end = std::max(end, slice.end);
      }
    CHECK(last == (level.empty() ? 600 : host_end));
    for (const auto& [track, instants] : trace.instants)
      for (const auto& instant : instants) CHECK(instant.cycle < 600);
    for (const auto& [name, values] : trace.counters)
      for (const auto& value : values) CHECK(value.first <= 600);
  }
}

TEST_CASE("trace of blocks: mistakes are exit 2 with their place") {
  auto [options, message] = GENERATE(table<std::vector<std::string>, std::string>({
      {{"--sm", "all"}, "--sm all goes with --level block"},
      {{"--level", "blocks"}, "--level"},
      {{"--level", "block", "--sm", "16"}, "--sm must be 0 to 3"},
      {{"--level", "block", "--warp", "0"}, "--level block records none"},
      {{"--level", "block", "-o", "a.kanata"}, "Konata shows instructions of warps"},
      {{"--host", "-o", "a.kanata"}, "--host goes with .pftrace and .json"},
      {{"--interval", "9", "-o", "a.kanata"}, "--interval goes with .pftrace and .json"},
      {{"--interval", "9"}, "--interval goes with -o"},
      {{"--host"}, "--host goes with -o"},
      {{"--interval", "0", "-o", "a.json"}, "--interval must be"},
  }));
  Outcome outcome = command("trace", options);
  CAPTURE(outcome.err);
  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
  CHECK_THAT(outcome.err, Contains(message) && Contains("^"));
}
