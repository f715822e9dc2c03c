// The rule of docs/bottleneck.md, each part at its edge, and that nothing that names a bottleneck says another.
#include "host/report/verdict.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "host/report/summary.h"
#include "host/validation/validation_suite.h"
#include "sim/model/machine_loader.h"
#include "sim/model/occupancy.h"

namespace warptime::host {

namespace {

using Catch::Matchers::Contains;
using sim::Resource;

const sim::Machine& verdict_machine() {
  static const sim::Machine machine = [] {
    Diagnostics diagnostics;
    return sim::load_machine("geforce-8800-gtx", {}, WARPTIME_SOURCE_DIR "/configs", diagnostics)->machine;
  }();
  return machine;
}

/// A launch that uses nothing, of a grid larger than the chip.
sim::LaunchStatistics idle_launch(uint32_t threads, uint32_t registers, uint32_t shared_bytes) {
  sim::LaunchStatistics launch;
  launch.kernel = "k";
  launch.cycles = 1350;
  launch.time_us = 1;
  launch.grid = {1000, 1, 1};
  launch.block = {threads, 1, 1};
  launch.occupancy = sim::occupancy(verdict_machine().config, threads, registers, shared_bytes);
  for (sim::ResourceUse& use : launch.resources) use.available = 1'000'000;
  return launch;
}

void set_busy(sim::LaunchStatistics& launch, Resource resource, double share, double busiest = 0) {
  sim::ResourceUse& use = launch.resources[static_cast<size_t>(resource)];
  use.busy = static_cast<uint64_t>(share * 1'000'000);
  use.busiest = static_cast<uint64_t>(std::max(share, busiest) * 1'000'000);
}

Verdict verdict_of(const sim::LaunchStatistics& launch) { return *verdict(launch, verdict_machine().config); }

RunReport report_of(const sim::LaunchStatistics& launch) {
  RunReport report;
  report.machine = verdict_machine();
  report.target = "k";
  report.launches = {launch};
  return report;
}

}  // namespace

TEST_CASE("verdict: a resource that is taken nearly all the time, whatever the occupancy") {
  sim::LaunchStatistics launch = idle_launch(256, 25, 64);  // one block, for its registers
  for (size_t i = 0; i < sim::kResourceCount; ++i) {
    auto resource = static_cast<Resource>(i);
    INFO(sim::info(resource).key);
    sim::LaunchStatistics one = launch;
    double edge = 0.8 * sim::info(resource).reachable;
    set_busy(one, resource, edge - 0.001);
    CHECK(verdict_of(one).bound() == "latency");
    CHECK(verdict_of(one).paper_class() == "registers+latency");
    CHECK(verdict_of(one).busiest == resource);
    set_busy(one, resource, edge + 0.001);
    CHECK(verdict_of(one).bound() == sim::info(resource).bound);
    bool issue = sim::info(resource).group == sim::ResourceClass::Issue;
    CHECK(verdict_of(one).paper_class() == (issue ? "issue" : "bandwidth"));
  }
}

TEST_CASE("verdict: of several the one that is nearest to what it can reach") {
  sim::LaunchStatistics launch = idle_launch(256, 10, 64);
  set_busy(launch, Resource::Sp, 0.85);
  set_busy(launch, Resource::TpcResponsePort, 0.84);
  CHECK(verdict_of(launch).bound() == "sp");
  set_busy(launch, Resource::TpcResponsePort, 0.99);
  CHECK(verdict_of(launch).bound() == "interconnect");
  CHECK(verdict_of(launch).words() == "TPC response port");
  set_busy(launch, Resource::Sp, 0.99);
  CHECK(verdict_of(launch).bound() == "sp");  // equal: the first of the table
  set_busy(launch, Resource::Dram, 0.83);     // 0.996 of what it can reach
  CHECK(verdict_of(launch).bound() == "dram");
}

TEST_CASE("verdict: the line says why a busier one is the next") {
  sim::LaunchStatistics launch = idle_launch(256, 10, 64);
  set_busy(launch, Resource::Dram, 0.8);
  set_busy(launch, Resource::Issue, 0.85);
  std::string limit = fmt::format("{:.0f} %", 100 * sim::info(Resource::Dram).reachable);
  CHECK(verdict_of(launch).line() ==
        "DRAM, busy 80.0 % (96.0 % of its limit, about " + limit + "); next warp scheduler, 85.0 %");
  // 87 % of a limit of 83 % would contradict itself.
  set_busy(launch, Resource::Dram, 0.87);
  set_busy(launch, Resource::Issue, 0.98);
  CHECK(verdict_of(launch).line(0.84) == "DRAM, busy 87.0 % (busiest partition; mean 84.0 %; about " + limit +
                                             " counts as full); next warp scheduler, 98.0 %");
  set_busy(launch, Resource::Dram, 0.8);
  set_busy(launch, Resource::Issue, 0.7);
  CHECK(verdict_of(launch).line() == "DRAM, busy 80.0 %; next warp scheduler, 70.0 %");
}

TEST_CASE("verdict: without a bottleneck the line says which SM is meant") {
  sim::LaunchStatistics launch = idle_launch(256, 10, 64);
  set_busy(launch, Resource::Sp, 0.071);
  CHECK_THAT(verdict_of(launch).line(0.004), Catch::EndsWith("next SP, busy 7.1 % (busiest SM; mean 0.4 %)"));
  CHECK_THAT(verdict_of(launch).line(0.071), Catch::EndsWith("next SP, busy 7.1 %"));
}

TEST_CASE("verdict: the busiest unit decides, as a launch is not over before it is") {
  sim::LaunchStatistics launch = idle_launch(256, 10, 64);
  set_busy(launch, Resource::Partition, 0.16, 0.97);  // all addresses in one of six
  CHECK(verdict_of(launch).bound() == "interconnect");
  CHECK(verdict_of(launch).share == Approx(0.97));
}

TEST_CASE("verdict: what keeps further threads out, where nothing is saturated") {
  auto of = [](uint32_t threads, uint32_t registers, uint32_t shared) {
    return verdict_of(idle_launch(threads, registers, shared));
  };
  CHECK(of(256, 11, 64).paper_class() == "registers+latency");  // 2 blocks; 3 would need 8448 registers
  CHECK(of(256, 11, 64).words() == "latency (registers)");
  CHECK(of(64, 10, 5000).paper_class() == "shared_capacity");  // 3 blocks
  sim::LaunchStatistics small = idle_launch(256, 11, 64);
  small.grid = {32, 1, 1};  // two for each SM
  CHECK(verdict_of(small).paper_class() == "global_capacity");
  CHECK(verdict_of(small).words() == "latency (grid)");
  small.grid = {33, 1, 1};
  CHECK(verdict_of(small).paper_class() == "registers+latency");
  sim::LaunchStatistics full = idle_launch(256, 8, 64);  // 768 threads
  CHECK(verdict_of(full).paper_class() == "issue");
  set_busy(full, Resource::Dram, 0.1);
  CHECK(verdict_of(full).paper_class() == "bandwidth");
  CHECK(verdict_of(full).words() == "latency (threads)");
}

TEST_CASE("verdict: nothing is said without timing") {
  sim::LaunchStatistics launch = idle_launch(256, 10, 64);
  launch.timed = false;
  CHECK_FALSE(verdict(launch, verdict_machine().config).has_value());
  CHECK(to_json(report_of(launch))["launches"][0]["bound"].is_null());
}

TEST_CASE("summary, statistics and validation say the same") {
  // 10 registers allow the 3 blocks that 768 threads do: `run` says "limited by threads".
  sim::LaunchStatistics launch = idle_launch(256, 10, 64);
  CHECK_THAT(summarize(report_of(launch)), Contains("limited by threads") && Contains("latency (threads)"));
  CHECK(suite_figures(report_of(launch))->bottleneck == "issue");
  CHECK(suite_figures(report_of(launch))->bound == "latency");

  set_busy(launch, Resource::TpcResponsePort, 0.72, 0.99);
  set_busy(launch, Resource::Issue, 0.067);
  CHECK_THAT(summarize(report_of(launch)), Contains("TPC response port, busy 99.0 % (busiest TPC; mean 72.0 %);"));
  CHECK(to_json(report_of(launch))["launches"][0]["bound"] == "interconnect");
  CHECK(suite_figures(report_of(launch))->bottleneck == "bandwidth");
  CHECK(suite_figures(report_of(launch))->bound == "interconnect");
}

}  // namespace warptime::host
