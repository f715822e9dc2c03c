// Are the workloads' results right (timed: test_invariants.cc), and is their work what it must be?
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "workloads/workload_run.h"

namespace warptime {

namespace {

uint64_t flops(const host::RunReport& report) {
  uint64_t sum = 0;
  for (const auto& launch : report.launches) sum += launch.counts.flops;
  return sum;
}

}  // namespace

TEST_CASE("Every workload's results match the CPU reference, functional") {
  sim::RunOptions options;
  options.functional = true;
  for (const Target& target : small_targets()) {
    host::RunReport report = run(target, options);
    check_results(report);
    CHECK_FALSE(report.launches.front().timed);
    CHECK(report.timeline.empty());
  }
}

TEST_CASE("The generic machine runs every workload without timing", "[full]") {
  for (const Target& target : small_targets()) {
    if (target.workload == "gemm-wgmma") continue;  // its blocks need more shared memory than the machine has
    host::RunReport report = run(target, {}, "generic");
    check_results(report);
    CHECK_FALSE(report.launches.front().timed);
  }
}

TEST_CASE("A timed and a functional run execute the same instructions", "[full]") {
  sim::RunOptions functional;
  functional.functional = true;
  for (const Target& target : small_targets()) {
    host::RunReport a = run(target), b = run(target, functional);
    REQUIRE(a.launches.size() == b.launches.size());
    for (size_t i = 0; i < a.launches.size(); ++i) {
      INFO(target.name());
      CHECK(a.launches[i].counts == b.launches[i].counts);
    }
  }
}

TEST_CASE("Floating-point operations are those of the method") {
  CHECK(flops(run({"vecadd", "", {"n=1001"}})) == 1001);
  CHECK(flops(run({"saxpy", "", {"n=1001"}})) == 2 * 1001);
  for (const char* variant : {"naive", "tiled", "unrolled", "prefetch"})
    CHECK(flops(run({"matmul", variant, {"n=48"}})) == 2 * 48 * 48 * 48);
  // 40 is padded to 48, 30 at tile 12 to 36.
  CHECK(flops(run({"matmul", "unrolled", {"n=40"}})) == 2 * 48 * 48 * 48);
  CHECK(flops(run({"matmul", "tiled", {"n=30", "tile=12"}})) == 2 * 36 * 36 * 36);
  // An element of sgemm: a product, and a fused one, beside its sum.
  CHECK(flops(run({"sgemm", "", {"n=64"}})) == 2 * 64 * 64 * 64 + 3 * 64 * 64);
  CHECK(flops(run({"sgemm", "", {"n=128", "blocks=3"}})) == uint64_t{3} * 1024 * (2 * 128 + 3));
  // 19 for an interaction of nbody; 300 bodies fill two tiles.
  for (const char* variant : {"rolled", "unrolled"}) CHECK(flops(run({"nbody", variant, {"n=300"}})) == 19 * 512 * 512);
  // 5 blocks of 256 dot products of length 128.
  CHECK(flops(run({"matmul", "naive", {"n=128", "blocks=5"}})) == 2 * 5 * 256 * 128);
}

TEST_CASE("A walk along rows makes 16 transactions a half-warp, one down columns makes one") {
  auto transactions = [](const char* variant) {
    // 1024 threads; besides a load for each of 32 steps a store, which is in order.
    return run({"walk", variant, {"n=32"}}).launches.front().global.transactions - 1024 / 16;
  };
  CHECK(transactions("rows") == 1024 / 16 * 32 * 16);
  CHECK(transactions("columns") == 1024 / 16 * 32);
}

TEST_CASE("A transpose through shared memory is coalesced, and padding its tile takes the bank conflicts away") {
  host::RunReport report = run({"transpose", "", {"n=64"}});
  auto of = [&](const std::string& kernel) {
    for (const sim::LaunchStatistics& launch : report.launches)
      if (launch.kernel == kernel) return launch;
    FAIL("no launch of " << kernel);
    return report.launches.front();
  };
  // 64 x 64 words by half-warps: a transaction for each read and for each write, or for each word written.
  CHECK(of("naive").global.transactions == 64 * 64 / 16 * (1 + 16));
  for (const char* kernel : {"copy", "coalesced", "padded", "fine_grained", "coarse_grained", "diagonal"}) {
    INFO(kernel);
    CHECK(of(kernel).global.transactions == 64 * 64 / 16 * 2);
    // A column of a tile of 32 words per row lies in one bank: 15 more accesses for each half-warp's read.
    CHECK(of(kernel).shared.conflict_passes == (std::string(kernel) == "coalesced" ? 64 * 64 / 16 * 15 : 0));
  }
}

TEST_CASE("A matrix-vector product has two operations per element, and its variants' access patterns") {
  host::RunReport report = run({"matvec", "", {"n=256"}});
  REQUIRE(report.launches.size() == 4);
  for (const sim::LaunchStatistics& launch : report.launches) {
    INFO(launch.kernel);
    CHECK(launch.counts.flops == 2 * 256 * 256);
    // 16 conflicting reads of the tile in each of 16 tiles per half-warp.
    CHECK(launch.shared.conflict_passes == (launch.kernel == "shared" ? 256 / 16 * 256 * 15 : 0));
  }
  // Half-warps: 16 transactions for each term of `direct`, for A and for x, and one for each store.
  CHECK(report.launches[0].global.transactions == 256 / 16 * (256 * 2 * 16 + 1));
  CHECK(report.launches[1].global.transactions == 256 / 16 * (256 + 1 + 1));
}

TEST_CASE("A copy of four words per thread moves as much as one of a word") {
  host::RunReport report = run({"copy", "", {"n=4096"}});
  REQUIRE(report.launches.size() == 3);
  CHECK(report.launches[0].global.bytes_requested == 2 * 4 * 4096);
  CHECK(report.launches[1].global.bytes_requested == 2 * 4 * 4096);
}

TEST_CASE("Each step of the parallel reduction takes away what it names") {
  host::RunReport report = run({"reduce", "", {"n=131072"}});
  auto of = [&](const std::string& kernel) {
    for (const sim::LaunchStatistics& launch : report.launches)
      if (launch.kernel == kernel) return launch;  // the first level
    FAIL("no launch of " << kernel);
    return report.launches.front();
  };
  CHECK(of("interleaved_divergent").shared.conflict_passes == 0);
  CHECK(of("interleaved_conflicts").shared.conflict_passes > 0);
  CHECK(of("interleaved_conflicts").divergence.divergent_branches <
        of("interleaved_divergent").divergence.divergent_branches);
  CHECK(of("sequential").shared.conflict_passes == 0);
  CHECK(of("first_add").grid[0] == of("sequential").grid[0] / 2);
  const char* const kernels[] = {
      "interleaved_divergent", "interleaved_conflicts", "sequential", "first_add", "last_warp", "unrolled", "several"};
  for (size_t i = 1; i < std::size(kernels); ++i) {
    INFO(kernels[i]);
    CHECK(of(kernels[i]).cycles < of(kernels[i - 1]).cycles);
  }
}

TEST_CASE("Padding leaves the tree of prefix sums with few bank conflicts") {
  host::RunReport report = run({"scan", "", {"n=8192"}});
  REQUIRE(report.launches.size() == 3);  // the pieces, their sums, and what lies before each
  const sim::LaunchStatistics& pieces = report.launches.front();
  CHECK(pieces.kernel == "scan_piece");
  CHECK(pieces.shared.conflict_passes < pieces.shared.accesses / 4);
}

TEST_CASE("The Coulomb potential has 26 arithmetic operations per atom and thread, 17 of them two, and 8 roots") {
  // 16 blocks of 128 threads; 6 to place the thread's points and 8 to add to what is there.
  uint64_t all = flops(run({"cp", "", {"size=128", "atoms=40"}})),
           fewer = flops(run({"cp", "", {"size=128", "atoms=30"}}));
  CHECK(all - fewer == uint64_t{10} * 16 * 128 * (9 + 2 * 17 + 8));
}

TEST_CASE("A sample of mri-q has 12 operations a voxel, one of mri-fhd 16: sine and cosine count as one each") {
  for (auto [workload, operations] : {std::pair("mri-q", 12), std::pair("mri-fhd", 16)})
    for (const char* variant : {"constant", "global"}) {
      uint64_t all = flops(run({workload, variant, {"size=8", "samples=20"}})),
               fewer = flops(run({workload, variant, {"size=8", "samples=15"}}));
      CHECK(all - fewer == uint64_t{5} * 512 * static_cast<uint64_t>(operations));
    }
}

TEST_CASE("Threads at once, registers and shared bytes per thread are those of Ryoo 2008, table 3") {
  struct Row {
    Target target;
    uint32_t threads, registers;
    const char* shared_bytes;
  };
  for (const Row& row : {Row{{"mri-q", "constant", {"size=8", "samples=1"}}, 8192, 11, "20.1"},
                         Row{{"mri-fhd", "constant", {"size=8", "samples=1"}}, 8192, 12, "20.1"},
                         Row{{"tpacf", "binary", {"size=300"}}, 4096, 24, "52.2"}}) {
    const sim::LaunchStatistics launch = run(row.target).launches.front();
    INFO(row.target.name());
    CHECK(launch.occupancy.blocks_per_sm * 16 * 256 == row.threads);
    CHECK(launch.occupancy.registers_per_thread == row.registers);
    CHECK(fmt::format("{:.1f}", launch.occupancy.shared_bytes_per_block / 256.0) == row.shared_bytes);
  }
}

TEST_CASE("Shared memory cuts global loads by the width of the tile") {
  auto loads = [](const Target& target) { return run(target).launches.front().global.loads; };
  // Each of 64 * 64 / 32 warps: two loads per step of 64.
  CHECK(loads({"matmul", "naive", {"n=64"}}) == 128 * 2 * 64);
  CHECK(loads({"matmul", "tiled", {"n=64"}}) == 128 * 2 * 64 / 16);
  CHECK(loads({"matmul", "unrolled", {"n=64"}}) == 128 * 2 * 64 / 16);
  CHECK(loads({"matmul", "prefetch", {"n=64"}}) == 128 * 2 * 64 / 16);
}

TEST_CASE("Lookups in constant memory cost by how many entries a half-warp asks for") {
  auto issued = [](const char* variant, const char* entries) {
    sim::RunOptions options;
    options.per_instruction = true;
    host::RunReport report = run({"lookup", variant, {"n=2048", "rounds=10", entries}}, options);
    uint64_t cycles = 0;
    for (const sim::InstructionRow& row : report.launches.front().instructions)
      if (row.text.find("ld.const") != std::string::npos) cycles += row.issued;
    return cycles;
  };
  // 64 warps, 10 rounds; a load holds the port 4 cycles for each distinct entry of its requests, at most 16.
  for (const char* entries : {"entries=1", "entries=1024"}) CHECK(issued("uniform", entries) == 64u * 10 * 4);
  CHECK(issued("scattered", "entries=1") == 64u * 10 * 4);
  CHECK(issued("scattered", "entries=8") == 64u * 10 * 4 * 8);
  CHECK(issued("scattered", "entries=1024") == 64u * 10 * 4 * 16);
}

TEST_CASE("matmul alone runs the four variants in order, one launch each, with the published registers") {
  host::RunReport report = run({"matmul", "", {"n=32"}});
  REQUIRE(report.launches.size() == 4);
  const char* kernels[] = {"naive", "tiled_16", "unrolled", "prefetch"};
  const uint32_t registers[] = {10, 10, 9, 11};
  for (size_t i = 0; i < 4; ++i) {
    CHECK(report.launches[i].kernel == kernels[i]);
    CHECK(report.launches[i].occupancy.registers_per_thread == registers[i]);
  }
  CHECK(report.launches[1].occupancy.blocks_per_sm == 3);
  CHECK(report.launches[3].occupancy.blocks_per_sm == 2);
  CHECK(report.launches[3].occupancy.limiter == "registers");
}

TEST_CASE("Shared memory of a block: two tiles, a 16-byte header, three 4-byte addresses and two widths") {
  host::RunReport report = run({"matmul", "tiled", {"n=32"}});
  CHECK(report.launches.front().occupancy.shared_bytes_per_block == 2 * 1024 + 16 + 3 * 4 + 2 * 4);
}

TEST_CASE("A run has copies and kernels on its timeline, one after the other") {
  host::RunReport report = run({"vecadd", "", {"n=4096"}});
  REQUIRE(report.timeline.size() == 4);
  double now = 0;
  for (const host::TimelineEvent& event : report.timeline) {
    CHECK(event.start_us == now);
    CHECK(event.end_us > event.start_us);
    now = event.end_us;
  }
  CHECK(report.timeline[0].bytes == 4096 * 4);
  CHECK(report.timeline[2].kind == host::TimelineEvent::Kind::Kernel);
  const sim::HostConfig& host = report.machine.config.host;
  CHECK(report.timeline[0].end_us == Approx(host.copy_latency_us + 4096 * 4 / (host.host_to_device_gb_s * 1000)));
  CHECK(report.timeline[2].end_us - report.timeline[2].start_us == Approx(host.launch_us + report.launches[0].time_us));
}

TEST_CASE("matmul at its default size, every element checked", "[full]") {
  sim::RunOptions functional;
  functional.functional = true;
  functional.threads = 2;
  check_results(run({"matmul", "", {}}, functional));
}

TEST_CASE("Part of a large grid keeps the large row pitch", "[full]") {
  host::RunReport report = run({"matmul", "unrolled", {"n=4096", "blocks=96"}});
  check_results(report);
  CHECK(report.launches.front().grid == std::array<uint32_t, 3>{256, 256, 1});
  CHECK(flops(report) == uint64_t{2} * 96 * 256 * 4096);
}

}  // namespace warptime
