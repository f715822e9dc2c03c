// The data of a report's page: the page with its data, the states of warps, sums by line, curves, statistics files.
#include "report/kernel_rows.h"
#include "report/limits.h"
#include "report/page.h"
#include "report/page_data.h"
#include "report/recorder.h"
#include "report/statistics_tree.h"
#include "report/trace_data.h"
#include "unit/report/test_page.h"

using namespace warptime;
using namespace warptime::report;
using Json = nlohmann::ordered_json;

namespace {

sim::TraceEvent state(sim::TraceEvent::Kind kind, uint32_t warp, Cycle begin, Cycle end, uint32_t pc) {
  sim::TraceEvent event;
  event.kind = kind;
  event.reason = sim::Stall::GlobalDependency;
  event.warp = warp;
  event.begin = begin;
  event.end = end;
  event.pc = pc;
  event.active = 0xff;
  event.lanes = 0x0f;
  return event;
}

sim::TraceLog two_warps() {
  using Kind = sim::TraceEvent::Kind;
  sim::TraceLog log;
  log.warps = {{.slot = 1, .block = 5, .index_in_block = 0, .begin = 10, .end = 40},
               {.slot = 0, .block = 0, .index_in_block = 3, .begin = 12, .end = kNever}};
  log.events = {state(Kind::Issue, 0, 10, 14, 0), state(Kind::Stall, 0, 14, 30, 1), state(Kind::Issue, 0, 30, 34, 1),
                state(Kind::Ready, 1, 12, 14, 0), state(Kind::Issue, 1, 20, 24, 0)};
  sim::TraceEvent mask = state(Kind::Mask, 0, 12, 12, 0);
  log.events.push_back(mask);
  return log;
}

sim::LaunchStatistics launch_of(const std::string& kernel) {
  sim::LaunchStatistics launch;
  launch.kernel = kernel;
  launch.grid = {4, 2, 1};
  launch.block = {64, 1, 1};
  launch.cycles = 100;
  launch.issue.slots = 200;
  launch.issue.issued = 20;
  sim::InstructionRow row;
  row.line = 7;
  row.text = "add.f32 %f1, %f2, %f3;";
  row.warp_instructions = 5;
  row.thread_instructions = 150;
  row.issued = 20;
  row.stalls[0] = 3;
  launch.instructions = {row};
  return launch;
}

/// Reads text in pieces of three bytes.
void read(const std::string& text, StatisticsTree& tree) {
  size_t at = 0;
  auto mistake = read_json(
      [&](char* to, size_t most) {
        size_t n = std::min({most, size_t{3}, text.size() - at});
        text.copy(to, n, at);
        at += n;
        return n;
      },
      tree);
  REQUIRE_FALSE(mistake);
}

}  // namespace

TEST_CASE("base64 as RFC 4648 has it") {
  CHECK(base64("").empty());
  CHECK(base64("f") == "Zg==");
  CHECK(base64("fo") == "Zm8=");
  CHECK(base64("foo") == "Zm9v");
  CHECK(base64("foobar") == "Zm9vYmFy");
  CHECK(base64("\xff\xfe\xfd") == "//79");
}

TEST_CASE("the page has its data once, and nothing to load") {
  std::string page = page_with("{\"a\": \"</script>\"}");
  CHECK(test::page_data(page)["a"] == "</script>");
  CHECK(page.find("@WARPTIME_DATA@") == std::string::npos);
  CHECK(page.find("default-src 'none'") != std::string::npos);
  CHECK(page.size() < 1'500'000);
  CHECK(page_with("{}") == page_with("{}"));
}

TEST_CASE("states of a warp are without gaps, by slot, and issues have lanes") {
  sim::TraceLog log = two_warps();
  std::vector<std::string> notes;
  Json trace = trace_json(log, launch_of("k"), 100, notes);
  CHECK(notes.empty());
  REQUIRE(trace["warps"].size() == 2);
  const Json& first = trace["warps"][0];  // slot 0
  CHECK(first["slot"] == 0);
  CHECK(first["end"].is_null());
  CHECK(first["first"] == 12);
  CHECK(first["length"] == Json({2, 6, 4}));
  CHECK(first["state"] == Json({1, -1, 0}));
  const Json& second = trace["warps"][1];
  CHECK(second["block"] == Json({1, 1, 0}));
  CHECK(second["length"] == Json({4, 16, 4}));
  auto global = static_cast<size_t>(second["state"][1].get<int>());
  CHECK(trace["states"][global]["key"] == "global_dependency");
  CHECK(second["pc"] == Json({0, 1, 1}));
  CHECK(second["lanes"] == Json({15, 15}));
  CHECK(trace["masks"] == Json({255}));
  CHECK(trace["from"] == 10);
  CHECK(trace["to"] == 34);
}

TEST_CASE("of too many states the first are kept, and a sentence says so") {
  sim::TraceLog log = two_warps();
  std::vector<std::string> notes;
  Json trace = trace_json(log, launch_of("k"), 3, notes);
  CHECK(trace["to"] == 20);
  CHECK(trace["warps"][0]["state"] == Json({1}));
  CHECK(trace["warps"][1]["state"].size() == 2);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].find("ends at cycle 20") != std::string::npos);
  notes.clear();
  trace_json(log, launch_of("k"), 5, notes);
  CHECK(notes.empty());
}

TEST_CASE("the lines of a kernel are summed over its launches") {
  Recorder recorder(1);
  sim::LaunchStatistics other = launch_of("b");
  recorder.launch(launch_of("a"));
  recorder.launch(other);
  recorder.launch(launch_of("a"));
  CHECK(recorder.launches() == 3);
  REQUIRE(recorder.traced() != nullptr);
  CHECK(recorder.traced()->kernel == "b");
  Json files = Json::array();
  Json kernels = kernels_json(recorder.take_kernels(), nullptr, files);
  REQUIRE(kernels.size() == 2);
  CHECK(kernels[0]["launches"] == 2);
  CHECK(kernels[0]["slots"] == 400);
  CHECK(kernels[0]["rows"][0]["executions"] == 10);
  CHECK(kernels[0]["rows"][0]["stalls"][0] == 6);
  CHECK(kernels[1]["rows"][0]["threads"] == 150);
  CHECK_FALSE(kernels[0]["rows"][0].contains("native"));
  CHECK(files.empty());
  CHECK(Recorder(0).traced() == nullptr);
}

TEST_CASE("only the first launches are kept, but the sums are of all") {
  Recorder recorder(0);
  for (size_t i = 0; i < kMostLaunches + 3; ++i) recorder.launch(launch_of("k"));
  for (size_t i = 0; i < kMostTimelineEvents + 2; ++i) recorder.event({});
  host::RunReport run;
  recorder.move_to(run);
  CHECK(run.launches.size() == kMostLaunches);
  CHECK(run.launches_left_out == 3);
  CHECK(run.total->cycles == 100 * (kMostLaunches + 3));
  CHECK(recorder.events_left_out() == 2);
  CHECK(recorder.take_kernels()[0].launches == kMostLaunches + 3);
}

TEST_CASE("a statistics file without its host and rows, and the rows by kernel") {
  StatisticsTree tree;
  read(
      R"({"schema": 1, "target": "t", "launches": [{"kernel": "k", "cycles": 18446744073709551615, "issue": {"slots": 8,
       "issued": 4, "stalls": {"alu_dependency": 4}}, "instructions": [{"line": 3, "text": "ret;", "warp_instructions": 2,
       "thread_instructions": 64, "issued": 4, "stalls": {"alu_dependency": 4}}]}, {"kernel": "k", "instructions": 7}],
       "timeline": [{"kind": "copy", "start_us": 0.5}], "checks": [], "host": {"wall_seconds": 1.0}})",
      tree);
  CHECK(tree.launches() == 2);
  CHECK(tree.launches_left_out() == 0);
  Json document = tree.take();
  CHECK_FALSE(document.contains("host"));
  CHECK(document["launches"][0]["cycles"] == 18446744073709551615U);
  CHECK_FALSE(document["launches"][0].contains("instructions"));
  CHECK(document["timeline"][0]["start_us"] == 0.5);
  std::vector<KernelRows> kernels = tree.take_kernels();
  REQUIRE(kernels.size() == 1);
  CHECK(kernels[0].launches == 1);
  CHECK(kernels[0].issue.slots == 8);
  CHECK(kernels[0].rows[0].stalls[0] == 4);
  CHECK(kernels[0].rows[0].thread_instructions == 64);
}

TEST_CASE("curves of occupancy are those of the command, the roofline has the machine's peaks") {
  sim::MachineConfig machine;
  Json launch{{"kernel", "k"},
              {"block", {256, 1, 1}},
              {"flops", 2e9},
              {"time_us", 1e6},
              {"dram", {{"read_bytes", 5e8}, {"write_bytes", 5e8}}},
              {"occupancy", {{"registers_per_thread", 10}, {"shared_bytes_per_block", 2084}, {"warps_per_sm", 24}}}};
  Json curves = occupancy_curves(Json::array({launch}), machine);
  REQUIRE(curves.size() == 1);
  CHECK(curves[0]["registers"]["own"] == 10);
  CHECK(curves[0]["registers"]["warps"][9] == 24);   // 10 registers: 3 blocks
  CHECK(curves[0]["registers"]["warps"][10] == 16);  // 11 registers: 2 blocks
  CHECK(curves[0]["block"]["x"].front() == 32);
  Json roof = roofline(Json::array({launch, launch}), machine);
  REQUIRE(roof["points"].size() == 1);
  CHECK(roof["points"][0]["flops_per_byte"] == 2.0);
  CHECK(roof["points"][0]["gflops"] == 2.0);
  CHECK(roof["peak_gb_s"] == host::peak_bandwidth_gb_s(machine));
  CHECK(roofline(Json::array({Json{{"kernel", "k"}}}), machine)["points"].empty());
  CHECK(occupancy_curves(Json::array({Json{{"kernel", 5}, {"block", "x"}}}), machine).empty());
}

TEST_CASE("a page that would be too large leaves out states until it fits") {
  using Kind = sim::TraceEvent::Kind;
  sim::TraceLog log;
  log.warps = {{.slot = 0, .block = 0, .index_in_block = 0, .begin = 0, .end = kNever}};
  uint32_t random = 1;
  Cycle cycle = 0;
  for (int i = 0; i < 300'000; ++i) {
    random = random * 1664525 + 1013904223;
    Cycle length = 1 + (random >> 20);
    log.events.push_back(state(i % 2 == 0 ? Kind::Issue : Kind::Stall, 0, cycle, cycle + length, random >> 22));
    cycle += length;
  }
  sim::LaunchStatistics launch = launch_of("k");
  PageInput input;
  input.statistics = {{"launches", Json::array()}};
  input.trace = &log;
  input.traced = &launch;
  std::string page = page_html(input, 600'000);
  CHECK(page.size() <= 600'000);
  Json data = test::page_data(page);
  CHECK(data["notes"].size() == 1);
  CHECK(data["trace"]["warps"][0]["state"].size() > 1000);
  CHECK(data["trace"]["warps"][0]["state"].size() < 300'000);
}
