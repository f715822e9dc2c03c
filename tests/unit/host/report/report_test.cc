#include "host/report/report.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "host/report/summary.h"

using namespace warptime;
using namespace warptime::host;
using Catch::Matchers::Contains;
using nlohmann::ordered_json;

namespace {

// 16 SMs for 1350 cycles are 21600 slots and exactly one microsecond.
sim::LaunchStatistics launch_of(const std::string& kernel) {
  sim::LaunchStatistics s;
  s.kernel = kernel;
  s.grid = {32, 32, 1};
  s.block = {16, 16, 1};
  s.cycles = 1350;
  s.time_us = 1.0;
  s.counts = {.thread_instructions = 32000,
              .warp_instructions = 1000,
              .native_warp_instructions = 1200,
              .flops = 64000,
              .flops_f64 = 0,
              .flops_f16 = 0};
  s.occupancy = {3, 24, "threads", 10, 15, 0, 2084};
  s.issue.slots = 21600;
  s.issue.issued = 10000;
  s.issue.stalls[static_cast<size_t>(sim::Stall::SpBusy)] = 5000;
  s.issue.stalls[static_cast<size_t>(sim::Stall::GlobalDependency)] = 4000;
  s.issue.stalls[static_cast<size_t>(sim::Stall::Drained)] = 2600;
  s.issue_by_sm.resize(16);
  s.divergence = {100, 3};
  s.active_lanes_histogram[32] = 1000;
  s.shared = {50, 7};
  s.global = {
      .loads = 20, .stores = 4, .coalesced = 36, .uncoalesced = 12, .transactions = 228, .bytes_requested = 3072};
  s.dram = {.read_bytes = 40000, .write_bytes = 3200, .row_hits = 90, .row_misses = 10};
  s.pipes = {.sp = 10800, .sfu = 0, .dp = 0, .memory_port = 912};
  return s;
}

RunReport report(std::vector<sim::LaunchStatistics> launches) {
  RunReport r;
  r.machine.name = "geforce-8800-gtx";
  r.machine.hash = "0123456789abcdef";
  r.target = "matmul";
  r.conditions = "n = 512";
  r.launches = std::move(launches);
  r.timeline.push_back({TimelineEvent::Kind::Copy, TimelineEvent::Direction::HostToDevice, "a", 0, 10.5, 4096});
  r.timeline.push_back({TimelineEvent::Kind::Kernel, TimelineEvent::Direction::None, "k", 10.5, 11.5, 0});
  Check check;
  check.name = "C";
  check.ok = true;
  check.max_abs_error = 1.5e-6;
  check.max_ulp_error = 4;
  check.bound = 1e-5;
  r.checks.push_back(check);
  r.host = {2.0, 0.5, 2, 120000000};
  return r;
}

std::vector<std::string> keys(const ordered_json& object) {
  std::vector<std::string> out;
  for (const auto& [key, value] : object.items()) out.push_back(key);
  return out;
}

/// Those of its keys that are in the list; further groups of statistics may stand between them.
std::vector<std::string> documented(const ordered_json& object, const std::vector<std::string>& list) {
  std::vector<std::string> out = keys(object);
  std::erase_if(out, [&](const std::string& key) { return std::find(list.begin(), list.end(), key) == list.end(); });
  return out;
}

}  // namespace

TEST_CASE("the report has the documented keys in the documented order") {
  ordered_json json = to_json(report({launch_of("k")}));
  CHECK(keys(json) == std::vector<std::string>{"schema", "program", "machine", "target", "launches", "total",
                                               "timeline", "checks", "figures", "complete", "host"});
  CHECK(json["schema"] == 1);
  CHECK(json["program"]["name"] == "warptime");
  CHECK(json["machine"] == ordered_json{{"name", "geforce-8800-gtx"}, {"hash", "0123456789abcdef"}});
  const std::vector<std::string> of_total{"cycles",
                                          "time_us",
                                          "thread_instructions",
                                          "warp_instructions",
                                          "native_warp_instructions",
                                          "flops",
                                          "flops_f64",
                                          "flops_f16",
                                          "gflops",
                                          "issue",
                                          "divergence",
                                          "shared",
                                          "global",
                                          "dram",
                                          "caches",
                                          "pipes",
                                          "resources"};
  std::vector<std::string> of_launch = of_total;
  of_launch.insert(of_launch.begin(), {"kernel", "grid", "block"});
  of_launch.insert(std::find(of_launch.begin(), of_launch.end(), "issue"), "occupancy");
  of_launch.insert(of_launch.end(),
                   {"bound", "sampling", "warp_cycles", "issue_by_sm", "busy_by_unit", "instructions"});
  CHECK(documented(json["launches"][0], of_launch) == of_launch);
  CHECK(documented(json["total"], of_launch) == of_total);
}

TEST_CASE("a launch's numbers, and the ratios made of them") {
  ordered_json l = to_json(report({launch_of("k")}))["launches"][0];
  CHECK(l["grid"].dump() == "[32,32,1]");
  CHECK(l["gflops"].get<double>() == Approx(64.0));  // 64000 flops in 1 us
  CHECK(l["occupancy"].dump() ==
        R"({"blocks_per_sm":3,"warps_per_sm":24,"limiter":"threads","registers_per_thread":10,)"
        R"("registers_estimated":15,"registers_over_limit":0,"shared_bytes_per_block":2084})");
  CHECK(l["issue"]["slots"] == 21600);
  CHECK(l["issue"]["stalls"].size() == sim::kStallCount);
  CHECK(l["issue"]["stalls"]["sp_busy"] == 5000);
  CHECK(l["divergence"]["active_lanes_histogram"].size() == 33);
  CHECK(l["dram"]["bandwidth_gb_s"].get<double>() == Approx(43.2));  // 43200 bytes in 1 us
  CHECK(l["caches"].dump() ==
        R"({"constant":{"accesses":0,"hits":0,"misses":0},"texture":{"accesses":0,"hits":0,"misses":0},)"
        R"("instruction":{"accesses":0,"hits":0,"misses":0}})");
  CHECK(l["pipes"].dump() ==
        R"({"sp":{"busy_cycles":10800},"sfu":{"busy_cycles":0},"dp":{"busy_cycles":0},"tensor":{"busy_cycles":0},)"
        R"("alu":{"busy_cycles":0},"copy_engine":{"busy_cycles":0},"memory_port":{"busy_cycles":912}})");
  CHECK(l["sampling"].is_null());
  CHECK(l["issue_by_sm"].size() == 16);
  CHECK(l["instructions"].dump() == "[]");
}

TEST_CASE("the total is the sum, its ratios are made anew") {
  sim::LaunchStatistics second = launch_of("second");
  second.cycles = 4050;
  second.time_us = 3.0;
  ordered_json total = to_json(report({launch_of("first"), second}))["total"];
  CHECK(total["cycles"] == 5400);
  CHECK(total["time_us"] == 4.0);
  CHECK(total["flops"] == 128000);
  CHECK(total["gflops"].get<double>() == Approx(32.0));  // not 64 + 21.3
  CHECK(total["dram"]["bandwidth_gb_s"].get<double>() == Approx(21.6));
  CHECK(total["issue"]["stalls"]["drained"] == 5200);
  CHECK(total["divergence"]["active_lanes_histogram"][32] == 2000);
  CHECK(total["global"]["transactions"] == 456);
  CHECK(total["pipes"]["sp"]["busy_cycles"] == 21600);
}

TEST_CASE("a functional run has null for everything about time") {
  sim::LaunchStatistics s = launch_of("k");
  s.timed = false;
  ordered_json json = to_json(report({s}));
  for (const ordered_json* part : {&json["launches"][0], &json["total"]})
    for (const char* key : {"cycles", "time_us", "gflops", "issue", "dram", "caches", "pipes"}) {
      INFO(key);
      REQUIRE(part->contains(key));
      CHECK((*part)[key].is_null());
    }
  CHECK(json["launches"][0]["warp_instructions"] == 1000);
  CHECK(json["launches"][0]["global"]["loads"] == 20);
}

TEST_CASE("without attribution the stalls are null, the rest stays") {
  sim::LaunchStatistics s = launch_of("k");
  s.attributed = false;
  ordered_json json = to_json(report({s}));
  CHECK(json["launches"][0]["issue"]["stalls"].is_null());
  CHECK(json["launches"][0]["issue"]["issued"] == 10000);
  CHECK(json["total"]["issue"]["stalls"].is_null());
}

TEST_CASE("instructions, timeline, checks and host") {
  sim::LaunchStatistics s = launch_of("k");
  s.instructions.push_back({12, "add.s32 %r1, %r2, 1;", 10, 320, 20, {}});
  ordered_json json = to_json(report({s}));
  CHECK(keys(json["launches"][0]["instructions"][0]) ==
        std::vector<std::string>{"line", "text", "source", "warp_instructions", "thread_instructions", "issued",
                                 "stalls", "target", "memory", "divergence", "caches", "latency"});
  CHECK(json["launches"][0]["instructions"][0]["line"] == 12);
  CHECK(json["timeline"].dump() ==
        R"([{"kind":"copy","direction":"host_to_device","name":"a","start_us":0.0,"end_us":10.5,"bytes":4096},)"
        R"({"kind":"kernel","direction":null,"name":"k","start_us":10.5,"end_us":11.5,"bytes":0}])");
  CHECK(json["checks"].dump() == R"([{"name":"C","ok":true,"max_abs_error":1.5e-06,"max_ulp_error":4}])");
  CHECK(json["host"].dump() ==
        R"({"wall_seconds":2.0,"simulate_seconds":0.5,"warp_instructions_per_second":2000.0,"threads":2,)"
        R"("peak_rss_bytes":120000000})");
}

TEST_CASE("resources: shares of the time, largest first, sums are of several launches, columns by name") {
  auto use = [](sim::LaunchStatistics& s, sim::Resource resource) -> sim::ResourceUse& {
    return s.resources[static_cast<size_t>(resource)];
  };
  sim::LaunchStatistics a = launch_of("a"), b = launch_of("b");
  use(a, sim::Resource::Dram) = {.busy = 60, .busiest = 90, .available = 100};
  use(a, sim::Resource::Sp) = {.busy = 10, .busiest = 10, .available = 100};
  use(b, sim::Resource::Dram) = {.busy = 0, .busiest = 0, .available = 300};
  use(b, sim::Resource::Sp) = {.busy = 300, .busiest = 301, .available = 300};  // an estimate may be a little too high
  RunReport both = report({a, b});
  ordered_json json = to_json(both);
  const ordered_json& of_a = json["launches"][0]["resources"];
  REQUIRE(of_a.size() == sim::kResourceCount);
  CHECK(of_a[0].dump() == R"({"name":"dram","busy":0.6,"busiest":0.9})");
  CHECK(of_a[1].dump() == R"({"name":"sp","busy":0.1,"busiest":0.1})");
  CHECK(of_a[2]["name"] == "issue");  // of equals, the first of the table
  CHECK(json["launches"][1]["resources"][0].dump() == R"({"name":"sp","busy":1.0,"busiest":1.0})");
  CHECK(json["total"]["resources"][0].dump() == R"({"name":"sp","busy":0.775,"busiest":0.7775})");
  CHECK(json["total"]["resources"][1].dump() == R"({"name":"dram","busy":0.15,"busiest":0.225})");

  std::istringstream csv(to_csv(both));
  std::string header, first, second;
  std::getline(csv, header);
  std::getline(csv, first);
  std::getline(csv, second);
  auto cell = [&](const std::string& row, const std::string& name) {
    std::istringstream names(header), cells(row);
    for (std::string column, value; std::getline(names, column, ',') && std::getline(cells, value, ',');)
      if (column == name) return value;
    return std::string("none");
  };
  CHECK(cell(first, "resources.dram.busy") == "0.6");
  CHECK(cell(first, "resources.dram.busiest") == "0.9");
  CHECK(cell(second, "resources.dram.busy") == "0.0");
  CHECK(cell(second, "resources.sp.busy") == "1.0");

  a.timed = false;
  CHECK(to_json(report({a}))["launches"][0]["resources"].is_null());
}

TEST_CASE("a report of no launches has a total of zeros") {
  ordered_json json = to_json(report({}));
  CHECK(json["launches"].dump() == "[]");
  CHECK(json["total"]["cycles"] == 0);
  CHECK(json["total"]["gflops"] == 0.0);
  CHECK(to_csv(report({})).empty());
}

TEST_CASE("bytes that are no UTF-8 do not break the report") {
  CHECK_THAT(to_json_text(report({launch_of("k\xff")})), Contains("\"kernel\": \"k"));
}

TEST_CASE("CSV: one row per launch, dotted columns, no instructions") {
  sim::LaunchStatistics odd = launch_of("a,\"b\"");
  odd.instructions.push_back({12, "x", 10, 320, 20, {}});
  std::istringstream csv(to_csv(report({launch_of("k"), odd})));
  std::string header, first, second, none;
  std::getline(csv, header);
  std::getline(csv, first);
  std::getline(csv, second);
  CHECK_FALSE(std::getline(csv, none));
  CHECK_THAT(header, Catch::Matchers::StartsWith("machine.name,machine.hash,target,kernel,grid,block,cycles,time_us,"));
  CHECK_THAT(header, Contains(",issue.stalls.sp_busy,") && Contains(",dram.bandwidth_gb_s,") &&
                         Contains(",pipes.memory_port.busy_cycles,") && !Contains("instructions.") &&
                         !Contains("issue_by_sm"));
  CHECK_THAT(first,
             Catch::Matchers::StartsWith("geforce-8800-gtx,0123456789abcdef,matmul,k,32 32 1,16 16 1,1350,1.0,"));
  CHECK_THAT(second, Contains(",\"a,\"\"b\"\"\",32 32 1,"));
  CHECK(std::count(header.begin(), header.end(), ',') == std::count(first.begin(), first.end(), ','));
}

TEST_CASE("the machine's peaks") {
  sim::MachineConfig g80;
  CHECK(peak_gflops(g80) == Approx(345.6));         // Ryoo et al. 2008, 3.2
  CHECK(peak_bandwidth_gb_s(g80) == Approx(86.4));  // the same
  sim::MachineConfig gt200;
  gt200.chip.tpcs = 10, gt200.chip.sms_per_tpc = 3;
  gt200.clocks.shader_mhz = 1296;
  CHECK(peak_gflops_f64(gt200) == Approx(77.76));  // 30 SMs, one double-precision unit each
  gt200.sp.groups = gt200.dp.groups = 2;
  CHECK(peak_gflops(gt200) == Approx(2 * 622.08));
  CHECK(peak_gflops_f64(gt200) == Approx(2 * 77.76));
}
