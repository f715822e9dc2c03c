// The largest machine that a machine file may describe: 256 TPCs, 128 partitions, SMs of 64 warps and 32 blocks.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <memory>

#include "host/report/report.h"
#include "ptx/load_module.h"
#include "sim/gpu/gpu.h"
#include "sim/gpu/session.h"
#include "sim/mem/memory_view.h"
#include "sim/model/machine_loader.h"
#include "sim/state/sm_state.h"

using namespace warptime;
using namespace warptime::sim;

namespace {

constexpr uint32_t kPartitions = 128, kLargeThreads = 64;

// Each thread reads a word and writes it to another buffer, plus 1.
const char* const kLargeKernel = R"(.version 6.4
.target sm_75
.address_size 64
.visible .entry k(.param .u64 from, .param .u64 to)
{
  .reg .b64 %rd<6>; .reg .b32 %r<8>;
  ld.param.u64 %rd1, [from]; ld.param.u64 %rd2, [to];
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;
  mad.lo.u32 %r3, %r2, 64, %r1;
  mul.wide.u32 %rd3, %r3, 4; add.u64 %rd4, %rd1, %rd3; add.u64 %rd5, %rd2, %rd3;
  ld.global.u32 %r4, [%rd4];
  bar.sync 0;
  add.u32 %r4, %r4, 1;
  st.global.u32 [%rd5], %r4;
  exit;
}
)";

struct LargeBench {
  LargeBench(uint32_t tpcs, uint32_t blocks_per_tpc) : blocks(tpcs * blocks_per_tpc), words(blocks * kLargeThreads) {
    Diagnostics diagnostics;
    auto loaded = load_machine(
        "geforce-gtx-480",
        {fmt::format("chip.tpcs={}", tpcs), "chip.sms_per_tpc=1", "chip.tpcs_per_gpc=32", "memory.partitions=128",
         "sm.max_threads=2048", "sm.max_warps=64", fmt::format("sm.max_blocks={}", std::min(32u, blocks_per_tpc)),
         "sm.registers=65536", "chip.block_interval_cycles=0"},
        WARPTIME_SOURCE_DIR "/configs", diagnostics);
    INFO(diagnostics.to_text());
    REQUIRE(loaded.has_value());
    machine = loaded->machine.config;
    auto module = ptx::load_module(std::make_shared<SourceText>("k.ptx", kLargeKernel), diagnostics);
    REQUIRE(module != nullptr);
    kernel = decode(module, module->kernels[0], SymbolAddresses(module->symbols.size(), 0), machine, diagnostics);
    REQUIRE(kernel != nullptr);
    memory = std::make_unique<DeviceMemory>(machine.memory.bytes, 256);
    parameters = {memory->allocate(words * 4, "from", 256).value(), memory->allocate(words * 4, "to", 256).value()};
    for (uint32_t i = 0; i < words; ++i) std::memcpy(memory->at(parameters[0] + Addr{i} * 4), &i, 4);
    gpu = std::make_unique<Gpu>(machine, *memory);
  }

  Launch launch() const {
    Launch out;
    out.kernel = kernel.get();
    out.grid = {blocks, 1, 1};
    out.block = {kLargeThreads, 1, 1};
    out.parameters.resize(16);
    std::memcpy(out.parameters.data(), parameters.data(), 16);
    return out;
  }
  bool is_right() const {
    for (uint32_t i = 0; i < words; ++i) {
      uint32_t word = 0;
      std::memcpy(&word, memory->at(parameters[1] + Addr{i} * 4), 4);
      if (word != i + 1) return false;
    }
    return true;
  }
  static std::string text(const LaunchStatistics& statistics) {
    host::RunReport report;
    report.launches = {statistics};
    return host::to_json_text(report);
  }

  uint32_t blocks, words;
  MachineConfig machine;
  std::unique_ptr<const CompiledKernel> kernel;
  std::unique_ptr<DeviceMemory> memory;
  std::array<Addr, 2> parameters{};
  std::unique_ptr<Gpu> gpu;
};

}  // namespace

TEST_CASE("a launch on the largest chip uses all of it, with any number of threads") {
  std::string expected;
  for (uint32_t threads : {1, 3}) {
    CAPTURE(threads);
    LargeBench bench(256, 2);
    RunOptions options;
    options.threads = threads;
    LaunchStatistics statistics;
    Session session = bench.gpu->begin(bench.launch(), options, statistics);
    REQUIRE(session.step(bench.machine.chip.block_launch_cycles + 1));
    for (uint32_t sm = 0; sm < 256; ++sm) REQUIRE(session.sm(sm) != nullptr);
    // Also from a state that was saved while requests were on their way.
    REQUIRE(session.step(400));
    if (threads > 1) session.restore(session.save());
    CHECK_FALSE(session.step(kNever));
    CHECK_FALSE(session.fault().has_value());
    CHECK(bench.is_right());
    const std::vector<PartitionView> partitions = session.partitions();
    CHECK(partitions.size() == kPartitions);
    for (const PartitionView& one : partitions)
      CHECK(std::any_of(one.open_rows.begin(), one.open_rows.end(), [](const auto& row) { return row.has_value(); }));
    if (expected.empty()) expected = LargeBench::text(statistics);
    CHECK(LargeBench::text(statistics) == expected);
  }
}

TEST_CASE("the largest SM holds 64 warps of 32 blocks") {
  LargeBench bench(2, 40);
  LaunchStatistics statistics;
  Session session = bench.gpu->begin(bench.launch(), {}, statistics);
  REQUIRE(session.step(bench.machine.chip.block_launch_cycles + 1));
  for (uint32_t sm = 0; sm < 2; ++sm) {
    const SmState* state = session.sm(sm);
    REQUIRE(state != nullptr);
    uint32_t warps = 0;
    for (uint32_t slot = 0; slot < state->warp_slots(); ++slot) warps += state->warp(slot).resident;
    CHECK(warps == 64);
  }
  CHECK_FALSE(session.step(kNever));
  CHECK_FALSE(session.fault().has_value());
  CHECK(bench.is_right());
  CHECK(statistics.occupancy.blocks_per_sm == 32);
  CHECK(statistics.occupancy.warps_per_sm == 64);
}
