// Launches that run at the same time: what they compute and count, when they begin and end, and that host threads and
// steps change nothing.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <numeric>

#include "host/report/report.h"
#include "ptx/load_module.h"
#include "sim/gpu/gpu.h"
#include "sim/mem/memory_system.h"
#include "sim/model/machine_loader.h"

using namespace warptime;
using namespace warptime::sim;

namespace {

constexpr uint32_t kBufferWords = 1 << 17;

// `sums` has loads, a divergent branch, a barrier, atomic operations, local memory and stores; `powers` more registers,
// shared memory and none of these; `faulty` stores outside of all memory.
const char* const kThreeKernels = R"(.version 6.4
.target sm_75
.address_size 64
.visible .entry sums(.param .u64 buf)
{
  .reg .b64 %rd<8>; .reg .b32 %r<8>; .reg .pred %p<4>; .local .b32 kept[4];
  ld.param.u64 %rd1, [buf];
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r7, %ntid.x;
  mad.lo.u32 %r3, %r2, %r7, %r1;
  mul.wide.u32 %rd2, %r3, 4; add.u64 %rd3, %rd1, %rd2;
  mov.u32 %r5, 0; and.b32 %r6, %r1, 31; setp.eq.u32 %p3, %r6, 0;
turn:
  ld.global.u32 %r4, [%rd3+4];
  and.b32 %r6, %r1, 1; setp.eq.u32 %p1, %r6, 0;
  @%p1 bra even;
  add.u32 %r4, %r4, 2;
even:
  add.u32 %r4, %r4, 1;
  st.local.u32 [kept+4], %r4;
  bar.sync 0;
  ld.local.u32 %r4, [kept+4];
  st.global.u32 [%rd3+4], %r4;
  @%p3 atom.global.add.u32 %r6, [%rd1], 1;
  add.u32 %r5, %r5, 1;
  setp.lt.u32 %p2, %r5, 10;
  @%p2 bra turn;
  exit;
}
.visible .entry powers(.param .u64 buf)
{
  .reg .b64 %rd<8>; .reg .b32 %r<16>; .reg .f32 %f<24>; .reg .pred %p<2>; .shared .f32 tile[256];
  ld.param.u64 %rd1, [buf];
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r7, %ntid.x;
  mad.lo.u32 %r3, %r2, %r7, %r1;
  mul.wide.u32 %rd2, %r3, 4; add.u64 %rd3, %rd1, %rd2;
  cvt.rn.f32.u32 %f1, %r3; mov.f32 %f2, 0f3F800000; mov.f32 %f3, 0f3F000000;
  mov.u32 %r5, 0; shl.b32 %r8, %r1, 2; mov.u32 %r9, tile; add.u32 %r9, %r9, %r8;
turn:
  fma.rn.f32 %f2, %f2, %f3, %f1; mul.f32 %f4, %f2, %f3; add.f32 %f5, %f4, %f1; sub.f32 %f6, %f5, %f2;
  st.shared.f32 [%r9], %f6; bar.sync 0; ld.shared.f32 %f7, [%r9]; add.f32 %f2, %f2, %f7;
  add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 20;
  @%p1 bra turn;
  st.global.f32 [%rd3+4], %f2;
  exit;
}
.visible .entry faulty(.param .u64 buf)
{
  .reg .b64 %rd<4>; .reg .b32 %r<2>;
  mov.u64 %rd1, 4; mov.u32 %r1, 1;
  st.global.u32 [%rd1], %r1;
  exit;
}
)";
enum KernelNumber : size_t { kSums, kPowers, kFaulty };

struct Asked {
  KernelNumber kernel = kSums;
  uint32_t blocks = 4;
  uint32_t buffer = 0;
  Cycle arrival = 0;
  std::vector<uint32_t> after = {};
  uint32_t threads = 96;
};

struct LaunchesBench {
  explicit LaunchesBench(uint32_t concurrent = 16, const char* name = "geforce-gtx-480") {
    Diagnostics diagnostics;
    auto loaded = load_machine(name, {}, WARPTIME_SOURCE_DIR "/configs", diagnostics);
    REQUIRE(loaded.has_value());
    machine = loaded->machine.config;
    machine.chip.concurrent_kernels = concurrent;
    auto module = ptx::load_module(std::make_shared<SourceText>("k.ptx", kThreeKernels), diagnostics);
    REQUIRE(module != nullptr);
    for (const ptx::Kernel& kernel : module->kernels) {
      kernels.push_back(decode(module, kernel, SymbolAddresses(module->symbols.size(), 0), machine, diagnostics));
      REQUIRE(kernels.back() != nullptr);
    }
    memory = std::make_unique<DeviceMemory>(machine.memory.bytes, 256);
    for (Addr& buffer : buffers) buffer = memory->allocate(kBufferWords * 4, "buf", 256).value();
    gpu = std::make_unique<Gpu>(machine, *memory);
    options.threads = 2;
    options.per_instruction = true;
  }

  std::optional<Fault> run(const std::vector<Asked>& orders) {
    for (Addr buffer : buffers) std::memset(memory->at(buffer), 0, kBufferWords * 4);
    launches.clear();
    for (const Asked& order : orders) {
      QueuedLaunch& queued = launches.emplace_back();
      queued.launch.kernel = kernels[order.kernel].get();
      queued.launch.code_offset = order.kernel << 20;
      queued.launch.grid = {order.blocks, 1, 1};
      queued.launch.block = {order.threads, 1, 1};
      queued.launch.parameters.resize(8);
      std::memcpy(queued.launch.parameters.data(), &buffers[order.buffer], 8);
      queued.arrival = order.arrival;
      queued.after = order.after;
    }
    return gpu->run(launches, options);
  }
  void run_to_end(const std::vector<Asked>& orders) {
    const std::optional<Fault> fault = run(orders);
    INFO((fault ? format_fault(*fault) : std::string()));
    REQUIRE_FALSE(fault);
  }
  /// All that a run gave, as text and bytes.
  std::string everything() const {
    host::RunReport report;
    for (const QueuedLaunch& queued : launches) report.launches.push_back(queued.statistics);
    std::string out = host::to_json_text(report);
    for (const QueuedLaunch& queued : launches) out += fmt::format("{} {}\n", queued.begin, queued.end);
    for (Addr buffer : buffers) out.append(reinterpret_cast<const char*>(memory->at(buffer)), kBufferWords * 4);
    return out;
  }
  std::vector<uint32_t> words(uint32_t buffer) const {
    std::vector<uint32_t> out(kBufferWords);
    std::memcpy(out.data(), memory->at(buffers[buffer]), out.size() * 4);
    return out;
  }
  /// The most launches that run at the same time.
  size_t most_at_once() const {
    size_t most = 0;
    for (const QueuedLaunch& a : launches)
      most = std::max<size_t>(most, std::count_if(launches.begin(), launches.end(), [&](const QueuedLaunch& b) {
                                return b.begin <= a.begin && a.begin < b.end;
                              }));
    return most;
  }

  MachineConfig machine;
  std::vector<std::unique_ptr<const CompiledKernel>> kernels;
  std::unique_ptr<DeviceMemory> memory;
  std::array<Addr, 5> buffers{};
  std::unique_ptr<Gpu> gpu;
  RunOptions options;
  std::vector<QueuedLaunch> launches;
};

const std::vector<Asked> kTwo{{kSums, 20, 0}, {kPowers, 30, 1}};
const std::vector<Asked> kFive{
    {kSums, 20, 0}, {kPowers, 9, 1}, {kSums, 40, 2, 700}, {kPowers, 200, 3, 0, {0}}, {kSums, 7, 4, 0, {1, 2}}};

/// What the chip has counted for all launches, next to the sum of what it counted for each.
void launches_sum_to_the_chip(const LaunchesBench& bench) {
  MemorySystem& system = bench.gpu->memory_system();
  Cycle end = 0;
  TpcBusy ports;
  QueueUse queue;
  DramStats dram;
  QueueUse in_partitions, in_queues;
  DataCacheStats l2;
  uint64_t atomics = 0, requests = 0, responses = 0, atomic_units = 0;
  for (const QueuedLaunch& queued : bench.launches) {
    const LaunchStatistics& s = queued.statistics;
    end = std::max(end, queued.end);
    dram.add(s.dram);
    in_partitions.add(s.queues.partition);
    in_queues.add(s.queues.memory_queue);
    l2.add(s.caches.l2);
    requests += s.resources[static_cast<size_t>(Resource::TpcRequestPort)].busy;
    responses += s.resources[static_cast<size_t>(Resource::TpcResponsePort)].busy;
    atomics += s.resources[static_cast<size_t>(Resource::AtomicUnit)].busy;
  }
  for (uint32_t i = 0; i < bench.machine.chip.tpcs; ++i) {
    ports.add(system.tpc(i).busy());
    queue.add(system.tpc(i).queue_use());
  }
  for (const PartitionBusy& busy : system.partitions_busy(end)) atomic_units += busy.atomic_unit;
  CHECK(dram == system.dram_statistics(end));
  CHECK(l2 == system.cache_statistics(ReadKind::Data));
  CHECK(in_partitions.entries == system.partition_use().entries);
  CHECK(in_partitions.entry_cycles == system.partition_use().entry_cycles);
  CHECK(in_queues.entries == queue.entries);
  CHECK(in_queues.entry_cycles == queue.entry_cycles);
  CHECK(ports == TpcBusy{requests, responses});
  CHECK(atomics == atomic_units);
}

void every_slot_is_charged(const LaunchesBench& bench) {
  for (const QueuedLaunch& queued : bench.launches) {
    const LaunchStatistics& s = queued.statistics;
    CHECK(s.cycles == queued.end - queued.begin);
    for (const IssueSlots& sm : s.issue_by_sm)
      CHECK(std::accumulate(sm.stalls.begin(), sm.stalls.end(), sm.issued) == sm.slots);
  }
}

}  // namespace

TEST_CASE("launches side by side compute and count what each does alone, and need less time than one after the other") {
  LaunchesBench alone(1), together;
  alone.run_to_end(kTwo);
  together.run_to_end(kTwo);
  CHECK(alone.most_at_once() == 1);
  CHECK(together.most_at_once() == 2);
  for (uint32_t buffer : {0u, 1u}) CHECK(alone.words(buffer) == together.words(buffer));
  for (size_t i = 0; i < kTwo.size(); ++i) {
    const LaunchStatistics &a = alone.launches[i].statistics, &b = together.launches[i].statistics;
    CHECK(a.kernel == b.kernel);
    CHECK(a.counts.warp_instructions == b.counts.warp_instructions);
    CHECK(a.counts.thread_instructions == b.counts.thread_instructions);
    CHECK(a.counts.flops == b.counts.flops);
    CHECK(a.issue.issued == b.issue.issued);
    CHECK(a.global.loads == b.global.loads);
    CHECK(a.global.transactions == b.global.transactions);
    CHECK(a.shared.accesses == b.shared.accesses);
    CHECK(a.divergence.divergent_branches == b.divergence.divergent_branches);
    CHECK(b.cycles > a.cycles * 9 / 10);
  }
  every_slot_is_charged(together);
  CHECK(std::max(together.launches[0].end, together.launches[1].end) <
        alone.launches[0].statistics.cycles + alone.launches[1].statistics.cycles);
}

TEST_CASE(
    "what launches share is counted for each: the sum is the chip's, the requests are those of the launch alone") {
  for (const auto& orders : {kTwo, kFive})
    for (uint32_t threads : {1u, 2u, 3u, 8u}) {
      LaunchesBench bench, alone(1);
      bench.options.threads = threads;
      bench.options.per_instruction = threads == 2;
      bench.run_to_end(orders);
      launches_sum_to_the_chip(bench);
      if (threads > 1) continue;
      for (size_t i = 0; i < orders.size(); ++i) {
        alone.run_to_end({{orders[i].kernel, orders[i].blocks, orders[i].buffer}});
        const LaunchStatistics &a = alone.launches[0].statistics, &b = bench.launches[i].statistics;
        CHECK(a.queues.load_table.entries == b.queues.load_table.entries);
        CHECK(a.caches.l1.accesses == b.caches.l1.accesses);
        CHECK(a.caches.constant.accesses == b.caches.constant.accesses);
        CHECK(a.caches.instruction.accesses == b.caches.instruction.accesses);
        const size_t unit = static_cast<size_t>(Resource::AtomicUnit);
        CHECK(a.resources[unit].busy == b.resources[unit].busy);
        CHECK((b.caches.l1.accesses != 0 || orders[i].kernel == kPowers));
      }
    }
}

TEST_CASE("a launch through the queue is the launch alone") {
  LaunchesBench one, other;
  one.run_to_end({{kSums, 20, 0}});
  LaunchStatistics direct;
  REQUIRE_FALSE(other.gpu->run(one.launches[0].launch, other.options, direct));
  CHECK(direct.cycles == one.launches[0].statistics.cycles);
  CHECK(direct.dram.read_bytes == one.launches[0].statistics.dram.read_bytes);
}

TEST_CASE("neither host threads nor steps change launches side by side") {
  for (const auto& orders : {kTwo, kFive}) {
    std::string first;
    for (uint32_t threads : {1u, 2u, 3u, 8u})
      for (Step step : {Step::Whole, Step::Half, Step::Quarter}) {
        LaunchesBench bench;
        bench.options.threads = threads;
        bench.options.step = step;
        bench.run_to_end(orders);
        every_slot_is_charged(bench);
        if (first.empty()) first = bench.everything();
        CHECK(bench.everything() == first);
        if (threads > 1) break;  // of the steps, one is enough
      }
  }
}

TEST_CASE("a launch waits for those that it follows, and sees their stores") {
  LaunchesBench bench;
  bench.run_to_end({{kSums, 20, 0}, {kPowers, 20, 1}, {kSums, 20, 0, 0, {0}}});
  CHECK(bench.launches[2].begin >= bench.launches[0].end);
  CHECK(bench.launches[1].begin == 0);
  // Ten turns of each launch: 1 for each, and 2 more of lanes with an odd number.
  const std::vector<uint32_t> words = bench.words(0);
  CHECK(words[0] == 2 * 10 * 20 * 3);  // once for each warp
  for (uint32_t i = 0; i < 20 * 96; ++i) CHECK(words[1 + i] == (i % 96 % 2 == 0 ? 20u : 60u));
}

TEST_CASE("a launch begins when it arrives, and no more run at once than the machine can") {
  LaunchesBench bench(2);
  bench.run_to_end({{kSums, 4, 0}, {kPowers, 4, 1}, {kSums, 4, 2}, {kPowers, 4, 3}});
  CHECK(bench.most_at_once() == 2);
  CHECK(bench.launches[2].begin >= std::min(bench.launches[0].end, bench.launches[1].end));
  bench.run_to_end({{kSums, 4, 0}, {kPowers, 4, 1, 100'000}});
  CHECK(bench.launches[1].begin >= 100'000);
  CHECK(bench.launches[1].begin < 100'000 + bench.machine.chip.window_cycles);
  CHECK(bench.launches[0].end < 100'000);
}

TEST_CASE("blocks of a later launch get the room that the earlier one leaves") {
  LaunchesBench bench, alone;
  const uint32_t sms = sm_count(bench.machine);
  // The first launch fills all SMs several times, so the second gets no room before its last blocks.
  const std::vector<Asked> orders{{kSums, sms * 20, 0, 0, {}, 256}, {kPowers, 4, 1}};
  alone.run_to_end({orders[1]});
  bench.run_to_end(orders);
  CHECK(bench.launches[1].end > alone.launches[0].end * 3);
  bench.run_to_end({orders[1], orders[0]});
  CHECK(bench.launches[0].end < alone.launches[0].end * 2);
}

TEST_CASE("a fault of one launch has its place, and ends all") {
  LaunchesBench bench;
  const std::optional<Fault> fault = bench.run({{kSums, 20, 0}, {kFaulty, 1, 1}, {kPowers, 4, 2, 50'000'000}});
  REQUIRE(fault.has_value());
  CHECK(fault->kind == Fault::Kind::OutOfBounds);
  CHECK(format_fault(*fault).find("st.global.u32 [%rd1], %r1") != std::string::npos);
  CHECK(bench.launches[0].statistics.counts.warp_instructions > 0);
  CHECK(bench.launches[1].statistics.counts.warp_instructions > 0);
  CHECK_FALSE(bench.launches[2].statistics.timed);
}

TEST_CASE("the limit of cycles is that of the whole run") {
  LaunchesBench bench;
  bench.options.max_cycles = 2000;
  const std::optional<Fault> fault = bench.run(kTwo);
  REQUIRE(fault.has_value());
  CHECK(fault->kind == Fault::Kind::CycleLimit);
}
