// What docs/bottleneck.md says of a program; the bottleneck itself is in verdict_test.cc.
#include "host/validation/validation_suite.h"

#include <catch2/catch.hpp>

#include "sim/model/machine_loader.h"
#include "sim/model/occupancy.h"

namespace warptime::host {

namespace {

const sim::Machine& suite_machine() {
  static const sim::Machine machine = [] {
    Diagnostics diagnostics;
    return sim::load_machine("geforce-8800-gtx", {}, WARPTIME_SOURCE_DIR "/configs", diagnostics)->machine;
  }();
  return machine;
}

sim::LaunchStatistics timed_launch(const std::string& kernel, double time_us) {
  sim::LaunchStatistics launch;
  launch.kernel = kernel;
  launch.cycles = static_cast<uint64_t>(time_us * 1350);
  launch.time_us = time_us;
  launch.grid = {100, 1, 1};
  launch.block = {256, 1, 1};
  launch.occupancy = sim::occupancy(suite_machine().config, 256, 10, 2084);
  launch.occupancy.registers_estimated = 9;
  launch.issue.slots = launch.cycles * 16;
  return launch;
}

}  // namespace

TEST_CASE("suite: figures are of the kernel that takes the most time, times of everything") {
  RunReport report;
  report.machine = suite_machine();
  CHECK_FALSE(suite_figures(report).has_value());
  report.launches = {timed_launch("short", 30), timed_launch("long", 20), timed_launch("long", 20)};
  for (sim::LaunchStatistics& launch : report.launches) {
    auto use = [&](sim::Resource resource) -> sim::ResourceUse& {
      return launch.resources[static_cast<size_t>(resource)];
    };
    use(sim::Resource::Sp) = {.busy = launch.cycles * 8, .busiest = launch.cycles * 8, .available = launch.cycles * 16};
    use(sim::Resource::Dram) = {.busy = 500, .busiest = 500, .available = 2000};
  }
  report.timeline = {{TimelineEvent::Kind::Copy, TimelineEvent::Direction::HostToDevice, "x", 0, 7, 4},
                     {TimelineEvent::Kind::Kernel, TimelineEvent::Direction::None, "short", 7, 47, 0},
                     {TimelineEvent::Kind::Copy, TimelineEvent::Direction::DeviceToHost, "x", 47, 50, 4}};
  auto figures = suite_figures(report);
  REQUIRE(figures.has_value());
  CHECK(figures->kernel == "long");
  CHECK(figures->active_threads == 3 * 256 * 16);
  CHECK(figures->registers_estimated == 9);
  CHECK(figures->shared_bytes_per_thread == Approx(2084 / 256.0));
  CHECK(figures->issue == Approx(0.5));
  CHECK(figures->memory == Approx(0.25 * 6 / 5));
  CHECK(figures->memory_to_compute == Approx(0.5));
  CHECK(figures->bottleneck == "issue");  // 768 threads, and the SPs are nearer to their limit
  CHECK(figures->kernels_us == Approx(40));
  CHECK(figures->copies_us == Approx(10));

  CHECK(figures->kernel_speedup == 0);

  // 7000 us of scalar code, 3500 of packed; kernels of 70 us, with their launches 40; 10 of copies.
  report.cpu.emplace();
  report.cpu->scalar_seconds = 0.007;
  report.cpu->simd_seconds = 0.0035;
  figures = suite_figures(report);
  CHECK(figures->kernel_speedup == Approx(100));
  CHECK(figures->application_speedup == Approx(140));
  CHECK(figures->gpu_percent == Approx(80));
  CHECK(figures->transfer_percent == Approx(20));
  CpuBaselineSpec half{
      .processor = "x", .simd = true, .kernel_share = 0.5, .where = {}};  // 3500 us are not in the kernels
  figures = suite_figures(report, half);
  CHECK(figures->kernel_speedup == Approx(50));
  CHECK(figures->application_speedup == Approx(7000 / 3550.0));
  CHECK(figures->gpu_percent == Approx(100 * 40 / 3550.0));
  CHECK(figures->transfer_percent == Approx(100 * 10 / 3550.0));

  report.launches[0].timed = false;
  CHECK_FALSE(suite_figures(report).has_value());
}

}  // namespace warptime::host
