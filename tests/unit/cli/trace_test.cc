// `warptime trace`: its files are well-formed and agree with the statistics on every workload; the drawing; mistakes.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tools/run_program.h"
#include "unit/cli/trace_readers.h"
#include "workloads/workload_run.h"

using namespace warptime::test;
using Catch::Contains;
using Json = nlohmann::ordered_json;

namespace {

// One SM, so that what it does is the whole launch.
const std::vector<std::string> kOneSm{"--set", "chip.tpcs=1", "--set", "chip.sms_per_tpc=1"};

std::vector<std::string> words_of(const std::string& command, const ::warptime::Target& target) {
  std::vector<std::string> words{command, target.workload + (target.variant.empty() ? "" : ":" + target.variant)};
  for (const std::string& parameter : target.parameters) words.insert(words.end(), {"--param", parameter});
  words.insert(words.end(), {"--machine", target.machine});
  words.insert(words.end(), kOneSm.begin(), kOneSm.end());
  return words;
}

/// The first launch, as `run` counts it.
Json first_launch(const ::warptime::Target& target) {
  std::vector<std::string> words = words_of("run", target);
  words.insert(words.end(), {"--stats", "-", "--quiet"});
  Outcome outcome = ::warptime::test::warptime(words);
  REQUIRE(outcome.status == 0);
  return Json::parse(outcome.out)["launches"][0];
}

std::string traced(const ::warptime::Target& target, const std::string& file) {
  std::vector<std::string> words = words_of("trace", target);
  words.insert(words.end(), {"--window", "0:1000000000", "-o", file});
  Outcome outcome = ::warptime::test::warptime(words);
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  return read_text(file);
}

void check_json(const std::string& text, const Json& launch, uint32_t ports) {
  ChromeTrace trace(text);
  trace.check_tracks();
  CHECK(trace.count("issue") == launch["warp_instructions"]);
  CHECK(trace.cycles("issue") == launch["issue"]["issued"]);
  CHECK(trace.cycles("issue") + trace.cycles("wait") == launch["warp_cycles"]["resident"]);
  CHECK(trace.about["time"] == "1 us is 1 shader cycle");
  for (const auto& [track, instants] : trace.instants) {
    CHECK(instants.front().name == "starts");
    CHECK(std::count_if(instants.begin(), instants.end(), [](const auto& i) { return i.name == "ends"; }) == 1);
  }
  // At most a warp's lanes at a time through each port; nothing is left in the end.
  const auto& lanes = trace.counters.at("active lanes");
  CHECK(
      std::all_of(lanes.begin(), lanes.end(), [&](const auto& l) { return l.second >= 0 && l.second <= 32 * ports; }));
  CHECK(lanes.back().second == 0);
  const auto& queue = trace.counters.at("memory queue");
  CHECK(std::any_of(queue.begin(), queue.end(), [](const auto& q) { return q.second > 0; }));
  CHECK(queue.back().second == 0);
}

void check_kanata(const std::string& text, const Json& launch) {
  KanataLog log(text);
  CHECK(log.instructions.size() == launch["warp_instructions"]);
  CHECK(log.cycles("#") + log.cycles("+") == launch["issue"]["issued"]);
  uint64_t all = 0;
  for (const KanataLog::Instruction& instruction : log.instructions) all += instruction.end - instruction.begin;
  CHECK(all == launch["warp_cycles"]["resident"]);
}

/// A launch of more than `most` warp instructions is left out.
void check_formats(const ::warptime::Target& target, uint64_t most = UINT64_MAX) {
  INFO(target.name());
  TempFolder folder;
  Json launch = first_launch(target);
  if (launch["warp_instructions"] > most) return;
  uint32_t ports = ::warptime::shipped_machine(target.machine).config.issue.ports;
  check_json(traced(target, folder.path("t.json")), launch, ports);
  check_kanata(traced(target, folder.path("t.kanata")), launch);
}

// Two warps part at a branch, meet, wait for each other at a barrier, and store.
const char* const kParting = R"(.version 1.4
.target sm_10
.entry k (.param .u32 p) {
  .reg .pred %p<4>;
  .reg .u32 %r<8>;
  ld.param.u32 %r1, [p];
  mov.u32 %r2, %tid.x;
  and.b32 %r3, %r2, 1;
  setp.eq.u32 %p1, %r3, 0;
  shl.b32 %r4, %r2, 2;
  add.u32 %r4, %r4, %r1;
  @%p1 bra EVEN;
  ld.global.u32 %r5, [%r4];
  add.u32 %r5, %r5, 3;
  bra DONE;
EVEN:
  mul.lo.u32 %r5, %r2, %r2;
DONE:
  bar.sync 0;
  st.global.u32 [%r4], %r5;
  exit;
}
)";

Outcome trace_parting(const std::vector<std::string>& options) {
  TempFolder folder;
  std::vector<std::string> words{
      "trace", folder.write("k.ptx", kParting), "--grid", "1", "--block", "64", "--buffer", "a=u32:64", "--arg", "a"};
  words.insert(words.end(), options.begin(), options.end());
  return ::warptime::test::warptime(words);
}

}  // namespace

TEST_CASE("trace: both formats are well-formed and agree with the statistics") {
  for (const ::warptime::Target& target :
       {::warptime::Target{"vecadd", "", {"n=1001"}}, {"saxpy", "", {"n=77"}}, {"matmul", "tiled", {"n=16", "tile=4"}}})
    check_formats(target);
}

TEST_CASE("trace: both formats are well-formed and agree with the statistics, on every workload", "[full]") {
  std::vector<::warptime::Target> targets = ::warptime::small_targets();
  targets.push_back({"cp", "", {"size=128", "atoms=1"}});
  targets.push_back({"tpacf", "", {"size=20"}});
  for (const ::warptime::Target& target : targets) check_formats(target, 15000);
}

TEST_CASE("trace: both formats are well-formed and agree with the statistics, of up to 100,000 warp instructions",
          "[all]") {
  for (const ::warptime::Target& target : ::warptime::small_targets()) check_formats(target, 100000);
}

TEST_CASE("trace: a window's files are well-formed, too") {
  TempFolder folder;
  for (std::string machine : {"geforce-8800-gtx", "geforce-gtx-480"})
    for (std::string name : {"t.json", "t.kanata"}) {
      Outcome outcome = ::warptime::test::warptime({"trace", "matmul:tiled", "--param", "n=64", "--window", "3000:4000",
                                                    "--machine", machine, "-o", folder.path(name)});
      INFO(outcome.err);
      REQUIRE(outcome.status == 0);
    }
  ChromeTrace trace(read_text(folder.path("t.json")));
  trace.check_tracks();
  CHECK(trace.count("issue") > 10);
  for (const auto& [track, slices] : trace.slices)
    for (const ChromeTrace::Slice& slice : slices) CHECK((slice.begin < 4000 && slice.end > 3000));
  // The last instruction of each warp is still waiting where the window ends.
  KanataLog log(read_text(folder.path("t.kanata")));
  CHECK(log.instructions.size() > trace.count("issue"));
  CHECK(log.start <= 3000);
}

TEST_CASE("trace: compressed files hold the same text") {
  TempFolder folder;
  ::warptime::Target target{"matmul", "tiled", {"n=32"}};
  for (std::string name : {"a.json", "a.kanata"}) {
    std::string plain = traced(target, folder.path(name));
    std::string compressed = traced(target, folder.path(name + ".gz"));
    CHECK(compressed.size() * 4 < plain.size());
    CHECK(gunzip(folder.path(name + ".gz")) == plain);
  }
}

TEST_CASE("trace: 100,000 cycles of an SM are at most 20 MB compressed", "[full]") {
  TempFolder folder;
  for (std::string name : {"a.json.gz", "a.kanata.gz"}) {
    Outcome outcome =
        ::warptime::test::warptime({"trace", "matmul:unrolled", "--window", "100000:200000", "--param", "n=4096",
                                    "--param", "blocks=64", "--no-check", "-o", folder.path(name)});
    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    CHECK_THAT(outcome.out, Contains("SM 0, cycles 100000 to 200000; "));
    CHECK(std::filesystem::file_size(folder.path(name)) < 20'000'000);
    CHECK(gunzip(folder.path(name)).size() > 1'000'000);
  }
}

TEST_CASE("trace: a parting of lanes, their meeting and a barrier in the JSON") {
  TempFolder folder;
  Outcome outcome = trace_parting({"-o", folder.path("k.json")});
  REQUIRE(outcome.status == 0);
  ChromeTrace trace(read_text(folder.path("k.json")));
  REQUIRE(trace.instants.size() == 2);
  CHECK(trace.processes.at(2) == "block (0)");
  for (const auto& [track, instants] : trace.instants) {
    std::vector<std::string> names;
    for (const ChromeTrace::Instant& instant : instants) names.push_back(instant.name);
    CHECK(names == std::vector<std::string>{"starts", "ends", "lanes diverge", "other lanes", "lanes reconverge",
                                            "arrives at barrier", "released"});
  }
  // Both go on together.
  auto released = [&](size_t thread) { return trace.instants.at({2, thread}).back().cycle; };
  CHECK(released(3) == released(4));
}

// The machine without instruction caches, so that the drawing is short; a column is 6 cycles. WARPTIME_UPDATE=1
// rewrites the expected one: read what it changed.
TEST_CASE("trace: the drawing") {
  Outcome outcome = trace_parting({"--set", "instruction.sm_cache.bytes=0", "--set", "instruction.tpc_cache.bytes=0"});
  std::string text = outcome.out.substr(outcome.out.find('\n') + 1);  // the first line has the file's path
  const char* expected = WARPTIME_SOURCE_DIR "/tests/unit/cli/trace_drawing.txt";
  if (std::getenv("WARPTIME_UPDATE") != nullptr) std::ofstream(expected) << text;
  CHECK(text == read_text(expected));
}

TEST_CASE("trace: the drawing fits 120 columns, whatever is drawn") {
  std::string window = GENERATE("0:65", "400:500", "500:1500", "0:100000");
  Outcome outcome = ::warptime::test::warptime({"trace", "vecadd", "--param", "n=40000", "--window", window});
  REQUIRE(outcome.status == 0);
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 120);
  if (window == "400:500") CHECK_THAT(outcome.out, Contains("a column is 1 cycle\n") && Contains("  #  "));
  if (window == "0:100000") CHECK_THAT(outcome.out, Contains("the next block's warp comes") && Contains(" +"));
}

TEST_CASE("trace: one warp as a list") {
  Outcome outcome = trace_parting({"--warp", "1"});
  REQUIRE(outcome.status == 0);
  CHECK_THAT(outcome.out, Contains("block (0) warp 1, cycles "));
  CHECK_THAT(outcome.out, Contains("  issue                 32    12  @%p1 bra EVEN;\n") &&
                              Contains("lanes diverge: 55555555\n") && Contains("other lanes: aaaaaaaa\n") &&
                              Contains("lanes reconverge: ffffffff\n") && Contains("at barrier 0\n") &&
                              Contains("released\n"));
  CHECK(outcome.out.find("lanes diverge") < outcome.out.find("at barrier"));
}

TEST_CASE("trace: the same bytes for any number of threads") {
  TempFolder folder;
  for (std::string threads : {"1", "2", "3", "8"})
    REQUIRE(::warptime::test::warptime({"trace", "matmul:tiled", "--param", "n=64", "--sm", "5", "--threads", threads,
                                        "-o", folder.path(threads + ".json")})
                .status == 0);
  std::string one = read_text(folder.path("1.json"));
  CHECK(one.size() > 10000);
  for (std::string threads : {"2", "3", "8"}) CHECK(read_text(folder.path(threads + ".json")) == one);
}

TEST_CASE("trace: mistakes are exit 2 with their place") {
  auto [options, message] = GENERATE(table<std::vector<std::string>, std::string>({
      {{"--sm", "16"}, "--sm must be 0 to 15"},
      {{"--window", "5"}, "two cycles A:B"},
      {{"--window", "1:2x"}, "two cycles A:B"},
      {{"--window", "9:3"}, "is empty"},
      {{"--window", "999999:1000000"}, "over before cycle 999999"},
      {{"--launch", "3"}, "there is no launch 3"},
      {{"--warp", "40"}, "no warp 40"},
      {{"--warp", "1", "-o", "a.json"}, "--warp is for the terminal"},
      {{"-o", "x.txt"}, "cannot tell the format"},
      {{"-o"}, "needs a value"},
      {{"-o", "/nonexistent/a.json"}, "cannot write"},
      {{"--functional"}, "has no option"},
      {{"--machine", "generic"}, "has no timing"},
  }));
  Outcome outcome = trace_parting(options);
  CAPTURE(outcome.err);
  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
  CHECK_THAT(outcome.err, Contains(message) && Contains("^"));
}

TEST_CASE("trace: an SM without a block says so") {
  Outcome outcome = trace_parting({"--sm", "1"});
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.out, Contains("SM 1: no warp in cycles 0 to 100000"));
}
