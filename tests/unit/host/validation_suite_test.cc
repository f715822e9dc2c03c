// The rules of docs/bottleneck.md, each at its edge.
#include "host/validation_suite.h"

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

/// A kernel whose pipes are idle, on a grid larger than the chip.
KernelUse idle(uint32_t threads, uint32_t registers, uint32_t shared_bytes) {
  KernelUse use;
  use.occupancy = sim::occupancy(suite_machine().config, threads, registers, shared_bytes);
  use.threads_per_block = threads;
  use.blocks = 1000;
  return use;
}

std::string label(const KernelUse& use) { return std::string(bottleneck(use, suite_machine().config)); }

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

TEST_CASE("bottleneck: a saturated resource, whatever the occupancy") {
  KernelUse use = idle(256, 25, 64);  // one block, for its registers
  use.issue = 0.8;
  CHECK(label(use) == "issue");
  use.memory = 0.81;
  CHECK(label(use) == "bandwidth");
  use.issue = use.memory;
  CHECK(label(use) == "issue");
  use.issue = use.memory = 0.79;
  CHECK(label(use) == "registers+latency");
}

TEST_CASE("bottleneck: what keeps further threads out") {
  CHECK(label(idle(256, 11, 64)) == "registers+latency");  // 2 blocks; 3 would need 8448 registers
  CHECK(label(idle(64, 10, 5000)) == "shared_capacity");   // 3 blocks
  KernelUse small = idle(256, 11, 64);
  small.blocks = 32;  // two for each SM
  CHECK(label(small) == "global_capacity");
  small.blocks = 33;
  CHECK(label(small) == "registers+latency");
  KernelUse full = idle(256, 8, 64);  // 768 threads
  CHECK(label(full) == "issue");
  full.memory = 0.1;
  CHECK(label(full) == "bandwidth");
}

TEST_CASE("bottleneck: of registers and shared memory the one that would have to grow by more") {
  // One block of either; two would need 12288 of 8192 registers (1.5), and of 16384 bytes:
  CHECK(label(idle(256, 24, 12288)) == "registers+latency");  // 1.5, equal
  CHECK(label(idle(256, 24, 12289)) == "shared_capacity");    // 25600: 1.56
  CHECK(label(idle(256, 24, 11776)) == "registers+latency");  // 1.44
  // 10 registers allow the 3 blocks that 768 threads do, too: what the program uses comes first.
  CHECK(label(idle(256, 10, 64)) == "registers+latency");
}

TEST_CASE("suite: figures are of the kernel that takes the most time, times of everything") {
  RunReport report;
  report.machine = suite_machine();
  CHECK_FALSE(suite_figures(report).has_value());
  report.launches = {timed_launch("short", 30), timed_launch("long", 20), timed_launch("long", 20)};
  for (sim::LaunchStatistics& launch : report.launches) {
    launch.pipes.sp = launch.cycles * 8;                                         // half of 16 SMs' time
    launch.dram.read_bytes = static_cast<uint64_t>(launch.time_us * 86400) / 4;  // a quarter of the peak
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
  CpuUse half{.processor = "x", .simd = true, .kernel_share = 0.5, .where = {}};  // 3500 us are not in the kernels
  figures = suite_figures(report, half);
  CHECK(figures->kernel_speedup == Approx(50));
  CHECK(figures->application_speedup == Approx(7000 / 3550.0));
  CHECK(figures->gpu_percent == Approx(100 * 40 / 3550.0));
  CHECK(figures->transfer_percent == Approx(100 * 10 / 3550.0));

  report.launches[0].timed = false;
  CHECK_FALSE(suite_figures(report).has_value());
}

}  // namespace warptime::host
