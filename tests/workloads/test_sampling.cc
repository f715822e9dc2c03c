// Sampled runs beside runs in full detail: values exact, time within the interval, counters that add up; what is too
// small or cannot be sampled is timed in full. One SM makes many waves of blocks cheap.
#include <cmath>
#include <numeric>

#include "workloads/workload_run.h"

namespace warptime {

namespace {

const std::vector<std::string> kOneSm{"chip.tpcs=1", "chip.sms_per_tpc=1", "memory.partitions=1"};

host::RunReport run_small(const Target& target, const sim::RunOptions& options) {
  return run(target, options, shipped_machine(target.machine, kOneSm));
}

sim::RunOptions sampled(sim::Sampling mode = sim::Sampling::FullValues, uint64_t seed = 1) {
  sim::RunOptions options;
  options.sampling = mode;
  options.sample_seed = seed;
  return options;
}

double off_by(const sim::LaunchStatistics& sampled, const sim::LaunchStatistics& full) {
  return std::abs(static_cast<double>(sampled.cycles) / static_cast<double>(full.cycles) - 1);
}

/// Without attribution `stalls` are zero, and so is what is known of the waiting of warps.
void check_laws(const sim::LaunchStatistics& launch, const sim::MachineConfig& machine) {
  CHECK(launch.issue.slots == launch.cycles * sim::sm_count(machine) * machine.issue.ports);
  CHECK(launch.issue.issued + sum(launch.issue.stalls) == launch.issue.slots);
  REQUIRE(launch.issue_by_sm.size() == sim::sm_count(machine));
  for (const sim::IssueSlots& sm : launch.issue_by_sm) CHECK(sm.issued + sum(sm.stalls) == sm.slots);
  sim::InstructionRow rows;
  for (const sim::InstructionRow& row : launch.instructions) {
    rows.warp_instructions += row.warp_instructions;
    rows.thread_instructions += row.thread_instructions;
    rows.issued += row.issued;
    for (size_t i = 0; i < sim::kStallCount; ++i) rows.stalls[i] += row.stalls[i];
  }
  CHECK(rows.warp_instructions == launch.counts.warp_instructions);
  CHECK(rows.thread_instructions == launch.counts.thread_instructions);
  CHECK(rows.issued == launch.issue.issued);
  CHECK(rows.stalls == launch.issue.stalls);
  const sim::WarpCycles& w = launch.warp_cycles;
  CHECK(w.issuing + w.not_selected + sum(w.waiting) == w.resident);
  CHECK(std::accumulate(launch.active_lanes_histogram.begin(), launch.active_lanes_histogram.end(), uint64_t{0}) ==
        launch.counts.warp_instructions);
}

void check_passed(const host::RunReport& report) {
  for (const host::Check& check : report.checks) {
    INFO(check.name << ": " << check.first_failure);
    CHECK(check.ok);
  }
}

// Sizes of a second or less.
const Target kSaxpy{"saxpy", "", {"n=600000"}};
const Target kMandelbrot{"mandelbrot", "f32", {"size=512", "blocks=1024", "depth=40"}};

}  // namespace

TEST_CASE("A sampled launch has all values, exact counts, and about the time of full detail") {
  Target target = GENERATE(kSaxpy, kMandelbrot);
  INFO(target.name());
  sim::RunOptions options = sampled();
  options.per_instruction = true;
  host::RunReport full = run_small(target, {}), report = run_small(target, options);
  CHECK_FALSE(report.checks.empty());
  check_passed(report);
  const sim::LaunchStatistics &a = report.launches[0], &b = full.launches[0];
  REQUIRE(a.sampling.has_value());
  CHECK(a.sampling->full_values);
  CHECK(a.sampling->seed == 1);
  CHECK(a.sampling->samples >= 10);
  CHECK(a.sampling->blocks_timed > 0);
  CHECK(a.sampling->blocks_timed <= uint64_t{a.grid[0]} / 2);
  CHECK(a.sampling->cycles_low <= a.cycles);
  CHECK(a.cycles <= a.sampling->cycles_high);
  CHECK(off_by(a, b) < 0.03);
  check_laws(a, report.machine.config);
  // What does not depend on time is that of every block.
  CHECK(a.counts == b.counts);
  CHECK(a.divergence == b.divergence);
  CHECK(a.active_lanes_histogram == b.active_lanes_histogram);
  CHECK(a.shared == b.shared);
  CHECK(a.global == b.global);
  // What does is an estimate.
  auto near = [](uint64_t x, uint64_t y) {
    CHECK(static_cast<double>(x) == Approx(static_cast<double>(y)).epsilon(0.05));
  };
  near(a.issue.issued, b.issue.issued);
  near(a.pipes.sp, b.pipes.sp);
  near(a.dram.read_bytes + a.dram.write_bytes, b.dram.read_bytes + b.dram.write_bytes);
  near(a.warp_cycles.resident, b.warp_cycles.resident);
}

TEST_CASE("Timing alone gives the same estimate where blocks execute the same, and scales the counts") {
  sim::RunOptions options = sampled(sim::Sampling::Timing);
  options.per_instruction = true;
  host::RunReport full = run_small(kSaxpy, {}), report = run_small(kSaxpy, options);
  const sim::LaunchStatistics &a = report.launches[0], &b = full.launches[0];
  REQUIRE(a.sampling.has_value());
  CHECK_FALSE(a.sampling->full_values);
  CHECK(off_by(a, b) < 0.03);
  CHECK(static_cast<double>(a.counts.warp_instructions) ==
        Approx(static_cast<double>(b.counts.warp_instructions)).epsilon(0.01));
  check_laws(a, report.machine.config);
  CHECK_FALSE(report.checks[0].ok);  // most blocks were not executed
}

TEST_CASE("Timing alone refuses launches whose blocks differ") {
  REQUIRE_THROWS_WITH(run_small(kMandelbrot, sampled(sim::Sampling::Timing)),
                      Catch::Contains("mandelbrot_f32 that were timed differ by") &&
                          Catch::Contains("% in instructions") && Catch::Contains("use --sample"));
}

TEST_CASE("However well samples agree, when the launch ends is left open by a block of an SM") {
  const Target unrolled{"matmul", "unrolled", {"n=256"}};  // 256 blocks, one SM: all samples take the same
  const sim::LaunchStatistics full = run_small(unrolled, {}).launches[0];
  const sim::LaunchStatistics estimate = run_small(unrolled, sampled(sim::Sampling::Timing)).launches[0];
  REQUIRE(estimate.sampling.has_value());
  CHECK(off_by(estimate, full) < 0.001);
  CHECK(estimate.sampling->cycles_low <= full.cycles);
  CHECK(full.cycles <= estimate.sampling->cycles_high);
  // A 256th of the time either way, and little more. Each end is rounded.
  uint64_t width = estimate.sampling->cycles_high - estimate.sampling->cycles_low;
  CHECK(width + 2 >= 2 * estimate.cycles / 256);
  CHECK(width <= 2 * estimate.cycles / 200);
}

TEST_CASE("Without attribution a sampled launch takes the same time") {
  sim::RunOptions off = sampled();
  off.attribution = false;
  for (sim::Sampling mode : {sim::Sampling::FullValues, sim::Sampling::Timing}) {
    off.sampling = mode;
    host::RunReport a = run_small(kSaxpy, sampled(mode)), b = run_small(kSaxpy, off);
    CHECK(a.launches[0].cycles == b.launches[0].cycles);
    CHECK(a.launches[0].issue.issued == b.launches[0].issue.issued);
    CHECK_FALSE(b.launches[0].attributed);
  }
}

TEST_CASE("Another seed takes other samples") {
  host::RunReport one = run_small(kSaxpy, sampled()), two = run_small(kSaxpy, sampled(sim::Sampling::FullValues, 2));
  CHECK(one.launches[0].cycles != two.launches[0].cycles);
  CHECK(two.launches[0].sampling->seed == 2);
}

TEST_CASE("A launch of a few waves is timed in full detail, and a note says so") {
  Target small{"saxpy", "", {"n=4096"}};
  sim::Machine machine = shipped_machine("geforce-8800-gtx", kOneSm);
  host::Device device(machine, sampled());
  host::run_workload(device, *host::find_workload("saxpy"),
                     {.variant = "", .parameters = {"n=4096"}, .directory = WARPTIME_SOURCE_DIR "/workloads/saxpy"});
  const sim::LaunchStatistics& launch = device.launches()[0];
  CHECK_FALSE(launch.sampling.has_value());
  CHECK(launch.cycles == run_small(small, {}).launches[0].cycles);
  CHECK_THAT(device.warnings(),
             Catch::Contains("kernel saxpy: 16 blocks are 5.3 waves of 3, too few to sample: timed in full detail"));
}

TEST_CASE("Of launches that are alike the first ten are timed, and then one in ten, values are those of all") {
  sim::Machine machine = shipped_machine("geforce-8800-gtx", kOneSm);
  host::Device device(machine, sampled());
  auto module = device.load_module_file(WARPTIME_SOURCE_DIR "/workloads/saxpy/saxpy.ptx");
  std::vector<float> x(4096, 1.0f), y(4096, 0.0f);
  host::Buffer dx = device.allocate<float>(x.size(), "x"), dy = device.allocate<float>(y.size(), "y");
  device.copy_to(dx, x, "x");
  device.copy_to(dy, y, "y");
  constexpr size_t kLaunches = 40;
  for (size_t i = 0; i < kLaunches; ++i)
    device.launch(module, "saxpy", {16}, {256}, {host::arg_u32(4096), host::arg_f32(2.0f), dx, dy});
  device.copy_from(y, dy, "y");
  for (float value : y) REQUIRE(value == 2.0f * kLaunches);

  const auto& launches = device.launches();
  size_t timed = 0;
  for (size_t i = 0; i < kLaunches; ++i) {
    const sim::LaunchStatistics& launch = launches[i];
    if (i < 10) CHECK_FALSE(launch.sampling.has_value());
    if (!launch.sampling) ++timed;
    else CHECK(launch.sampling->blocks_timed == 0);
    CHECK(launch.counts == launches[0].counts);
    CHECK(off_by(launch, launches[0]) < 0.01);
  }
  CHECK(timed == 13);
  // A launch with another amount of work is not like them, whatever its grid.
  device.launch(module, "saxpy", {16}, {256}, {host::arg_u32(64), host::arg_f32(2.0f), dx, dy});
  CHECK_FALSE(launches.back().sampling.has_value());
}

TEST_CASE("Blocks that wait for one another cannot be sampled: full detail, with their values") {
  // Block b waits until block b - 1 has raised its flag.
  const char* chain = R"(.version 1.4
.target sm_10
.entry chain (.param .u64 flags) {
  .reg .pred %p<3>;
  .reg .u32 %r<5>;
  .reg .u64 %d<5>;
  mov.u32 %r1, %ctaid.x;
  ld.param.u64 %d1, [flags];
  cvt.u64.u32 %d2, %r1;
  shl.b64 %d2, %d2, 2;
  add.u64 %d3, %d1, %d2;
  mov.u32 %r2, 0;  // so long that it could be sampled
work:
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p1, %r2, 1500;
  @%p1 bra work;
  mov.u32 %r2, 1;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra raise;
wait:
  ld.volatile.global.u32 %r2, [%d3+-4];
  setp.eq.u32 %p2, %r2, 0;
  @%p2 bra wait;
  add.u32 %r2, %r2, 1;
raise:
  st.volatile.global.u32 [%d3], %r2;
  exit;
}
)";
  std::vector<std::string> machine = kOneSm;
  machine.emplace_back("sm.max_blocks=1");
  host::Device device(shipped_machine("geforce-8800-gtx", machine), sampled());
  auto module = device.load_module(std::make_shared<SourceText>("chain.ptx", chain));
  std::vector<uint32_t> flags(100, 0);
  host::Buffer buffer = device.allocate<uint32_t>(flags.size(), "flags");
  device.copy_to(buffer, flags, "flags");
  device.launch(module, "chain", {100}, {1}, {buffer});
  device.copy_from(flags, buffer, "flags");
  for (uint32_t i = 0; i < flags.size(); ++i) REQUIRE(flags[i] == i + 1);
  CHECK_FALSE(device.launches()[0].sampling.has_value());
  CHECK_THAT(device.warnings(), Catch::Contains("kernel chain: its blocks depend on one another"));
}

void check_sampled(const Target& target, const std::vector<std::string>& settings = {}) {
  sim::Machine machine = shipped_machine(target.machine, settings);
  host::RunReport full = run(target, {}, machine);
  for (uint64_t seed : {1, 2}) {
    host::RunReport report = run(target, sampled(sim::Sampling::FullValues, seed), machine);
    INFO(target.name() << ", seed " << seed);
    check_passed(report);
    REQUIRE(report.launches[0].sampling.has_value());
    CHECK(off_by(report.launches[0], full.launches[0]) < 0.01);
  }
}

// The figures of docs/sampling.md, at sizes that take seconds.
TEST_CASE("A sampled launch is within 1 % of full detail", "[full]") {
  check_sampled({"matmul", "unrolled", {"n=512"}}, {"chip.tpcs=2", "memory.partitions=2"});
}
TEST_CASE("Sampled launches are within 1 % of full detail", "[all]") {
  check_sampled({"mandelbrot", "f32", {"size=2048", "blocks=16384"}});
  check_sampled({"vecadd", "", {"n=16000000"}});
}

}  // namespace warptime
