// Caches and open rows that outlive a launch: the same for any number of threads, in a launch that goes on from a
// snapshot, and empty after one that was not timed to its end.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <memory>

#include "host/report/report.h"
#include "ptx/load_module.h"
#include "sim/gpu/gpu.h"
#include "sim/gpu/session.h"
#include "sim/model/machine_loader.h"

using namespace warptime;
using namespace warptime::sim;

namespace {

constexpr uint32_t kWarmBlocks = 40, kWarmThreads = 64;

// Constants, loads, stores to the same lines, and code of several lines.
const char* const kWarmKernel = R"(.version 6.4
.target sm_75
.address_size 64
.const .align 16 .b8 table[1024];
.visible .entry k(.param .u64 buf)
{
  .reg .b64 %rd<8>; .reg .b32 %r<12>; .reg .pred %p<2>;
  ld.param.u64 %rd1, [buf];
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;
  mad.lo.u32 %r4, %r2, %r3, %r1;
  mul.wide.u32 %rd2, %r4, 4; add.u64 %rd3, %rd1, %rd2;
  mov.u32 %r5, 0;
turn:
  ld.const.u32 %r6, [table]; ld.const.u32 %r7, [table+512];
  ld.global.u32 %r8, [%rd3]; ld.global.u32 %r9, [%rd1+1024];
  add.u32 %r8, %r8, %r6; add.u32 %r8, %r8, %r7; add.u32 %r8, %r8, %r9; add.u32 %r8, %r8, 1;
  st.global.u32 [%rd3+16384], %r8;
  add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 4;
  @%p1 bra turn;
  exit;
}
)";

struct WarmBench {
  explicit WarmBench(const char* name = "geforce-gtx-480", bool keeps = true, uint32_t tpcs = 0) {
    Diagnostics diagnostics;
    auto loaded = load_machine(name, {}, WARPTIME_SOURCE_DIR "/configs", diagnostics);
    REQUIRE(loaded.has_value());
    machine = loaded->machine.config;
    if (tpcs != 0) machine.chip.tpcs = tpcs;
    CachesBetweenLaunchesConfig& kept = machine.chip.caches_between_launches;
    kept.l1 = kept.l2 = kept.constant = kept.instruction = keeps ? CacheContents::keep : CacheContents::empty;
    machine.dram.rows_between_launches = keeps ? OpenRows::keep : OpenRows::close;
    auto module = ptx::load_module(std::make_shared<SourceText>("k.ptx", kWarmKernel), diagnostics);
    REQUIRE(module != nullptr);
    constants.resize(module->const_bytes);
    kernel = decode(module, module->kernels[0], SymbolAddresses(module->symbols.size(), 0), machine, diagnostics);
    REQUIRE(kernel != nullptr);
    memory = std::make_unique<DeviceMemory>(machine.memory.bytes, 256);
    address = memory->allocate(1 << 21, "buf", 256).value();
    gpu = std::make_unique<Gpu>(machine, *memory);
  }

  Launch launch() const {
    Launch out;
    out.kernel = kernel.get();
    out.grid = {blocks, 1, 1};
    out.block = {kWarmThreads, 1, 1};
    out.constants = constants;
    out.parameters.resize(8);
    std::memcpy(out.parameters.data(), &address, 8);
    return out;
  }
  LaunchStatistics run(const RunOptions& run_options) {
    LaunchStatistics out;
    gpu->run(launch(), run_options, out);
    return out;
  }
  LaunchStatistics run() { return run(options); }
  static std::string text(const LaunchStatistics& statistics) {
    host::RunReport report;
    report.launches = {statistics};
    return host::to_json_text(report);
  }

  uint32_t blocks = kWarmBlocks;
  MachineConfig machine;
  std::unique_ptr<const CompiledKernel> kernel;
  std::vector<std::byte> constants;
  std::unique_ptr<DeviceMemory> memory;
  Addr address = 0;
  std::unique_ptr<Gpu> gpu;
  RunOptions options;
};

}  // namespace

TEST_CASE("a warm launch is the same with any number of threads and any step") {
  for (const char* machine : {"geforce-gtx-480", "tesla-c1060"}) {
    CAPTURE(machine);
    std::string second, third;
    for (uint32_t threads : {1, 2, 3, 8})
      for (Step step : {Step::Whole, Step::Quarter}) {
        WarmBench bench(machine);
        bench.options.threads = threads;
        bench.options.step = step;
        const Cycle cold = bench.run().cycles;
        const LaunchStatistics warm = bench.run(), again = bench.run();
        CHECK(warm.cycles < cold);
        if (second.empty()) second = WarmBench::text(warm), third = WarmBench::text(again);
        CHECK(WarmBench::text(warm) == second);
        CHECK(WarmBench::text(again) == third);
      }
    WarmBench empty(machine, false);
    CHECK(WarmBench::text(empty.run()) == WarmBench::text(empty.run()));
  }
}

TEST_CASE("a warm launch goes on from a snapshot, and so does the one behind it") {
  WarmBench bench;
  bench.options.threads = 2;
  bench.run();
  const LaunchStatistics warm = bench.run(), next = bench.run();
  for (uint64_t part : {0, 2, 7}) {
    CAPTURE(part);
    WarmBench first;
    first.run();
    LaunchStatistics statistics;
    Session session = first.gpu->begin(first.launch(), first.options, statistics);
    if (part != 0) REQUIRE(session.step(warm.cycles * part / 10));
    const Snapshot snapshot = session.save();
    CHECK_FALSE(session.step(kNever));
    CHECK(WarmBench::text(statistics) == WarmBench::text(warm));
    session.restore(snapshot);  // after its end
    const Snapshot again = session.save();
    CHECK(std::equal(again.state().begin(), again.state().end(), snapshot.state().begin(), snapshot.state().end()));
    CHECK_FALSE(session.step(kNever));
    CHECK(WarmBench::text(statistics) == WarmBench::text(warm));
    CHECK(WarmBench::text(first.run()) == WarmBench::text(next));

    WarmBench other;  // that has not run the launch before
    LaunchStatistics continued;
    Session rest = other.gpu->begin(other.launch(), other.options, continued);
    rest.restore(snapshot);
    CHECK_FALSE(rest.step(kNever));
    CHECK(WarmBench::text(continued) == WarmBench::text(warm));
    CHECK(WarmBench::text(other.run()) == WarmBench::text(next));
  }
}

TEST_CASE("a launch that was abandoned, cut or not timed leaves an empty chip") {
  WarmBench bench;
  const std::string cold = WarmBench::text(bench.run()), warm = WarmBench::text(bench.run());
  CHECK(cold != warm);
  auto is_cold_again = [&] {
    CHECK(WarmBench::text(bench.run()) == cold);
    CHECK(WarmBench::text(bench.run()) == warm);
  };
  {
    LaunchStatistics ignored;
    Session session = bench.gpu->begin(bench.launch(), bench.options, ignored);
    REQUIRE(session.step(500));
  }
  is_cold_again();
  RunOptions cut = bench.options;
  cut.max_cycles = 500;
  bench.run(cut);
  is_cold_again();
  RunOptions functional = bench.options;
  functional.functional = true;
  bench.run(functional);
  is_cold_again();
}

TEST_CASE("a launch too small to be sampled finds and leaves what a timed one does") {
  WarmBench timed, sampled;
  sampled.options.sampling = Sampling::FullValues;
  for (int i = 0; i < 3; ++i) {
    LaunchStatistics all = timed.run(), small = sampled.run();
    CHECK_FALSE(small.sampling.has_value());
    CHECK(small.cycles == all.cycles);
  }
}

TEST_CASE("a sampled launch leaves an empty chip") {
  WarmBench bench("jetson-tk1");
  const std::string cold = WarmBench::text(bench.run()), warm = WarmBench::text(bench.run());
  CHECK(cold != warm);
  RunOptions sampling = bench.options;
  sampling.sampling = Sampling::Timing;
  bench.blocks = 8000;
  const LaunchStatistics sampled = bench.run(sampling);
  if (!sampled.sampling) WARN(sampled.note);
  CHECK(sampled.sampling.has_value());
  bench.blocks = kWarmBlocks;
  CHECK(WarmBench::text(bench.run()) == cold);
  CHECK(WarmBench::text(bench.run()) == warm);
}
