// Launches with clusters whose blocks are on several SMs: where the blocks are, the same values as without time, the
// same bytes for any number of threads and any step, and checkpoints in the middle.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <map>
#include <set>

#include "base/state_archive.h"
#include "host/report/report.h"
#include "ptx/load_module.h"
#include "sim/gpu/session.h"
#include "sim/model/machine_loader.h"

using namespace warptime;
using namespace warptime::sim;

namespace {

// In each turn every block reads, writes and adds to the shared memory of the next, arrives at its mbarrier object,
// sends it a word that the object counts, and gets a range of global memory that block 0 sends to all. The result of a
// thread is all that it has read. The last word of a block's shared memory in use is 200 KB from the first.
const char* const kClusterKernel = R"(.version 8.6
.target sm_90
.address_size 64
.extern .shared .align 128 .b8 dynamic[];
.visible .entry k(.param .u64 buf, .param .u64 in)
{
  .reg .b64 %rd<8>; .reg .b32 %r<40>; .reg .pred %p<8>; .reg .b16 %h<4>;
  .shared .align 128 .b8 tile[512];
  .shared .align 8 .b8 full[8];
  .shared .align 16 .b8 words[1024];
  ld.param.u64 %rd1, [buf]; ld.param.u64 %rd2, [in];
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r7, %ntid.x;
  mad.lo.u32 %r3, %r2, %r7, %r1;
  mul.wide.u32 %rd3, %r3, 4; add.u64 %rd3, %rd1, %rd3;
  mov.u32 %r4, %cluster_ctarank; mov.u32 %r5, %cluster_nctarank;
  add.u32 %r6, %r4, 1; rem.u32 %r6, %r6, %r5;
  mov.u32 %r8, words; mov.u32 %r9, full; mov.u32 %r10, tile;
  mapa.shared::cluster.u32 %r11, %r8, %r6; mapa.shared::cluster.u32 %r12, %r9, %r6;
  shl.b32 %r13, %r1, 2; add.u32 %r14, %r8, %r13; add.u32 %r15, %r11, %r13;
  setp.eq.u32 %p0, %r1, 0;
  setp.eq.and.u32 %p1, %r4, 0, %p0;
  @%p0 mbarrier.init.shared.b64 [%r9], 2;
  fence.mbarrier_init.release.cluster;
  add.u32 %r16, %r3, 7; st.shared.u32 [%r14], %r16;
  mov.u32 %r17, dynamic; add.u32 %r17, %r17, 198656; add.u32 %r18, %r17, %r13; st.shared.u32 [%r18], %r3;
  mapa.shared::cluster.u32 %r17, %r18, %r6;
  mov.u32 %r20, 0; mov.u32 %r21, 0; mov.u32 %r22, 0;
  mov.u32 %r23, 1; shl.b32 %r23, %r23, %r5; sub.u32 %r23, %r23, 1; cvt.u16.u32 %h1, %r23;
  barrier.cluster.arrive.release; barrier.cluster.wait.acquire;
TURN:
  ld.shared::cluster.u32 %r24, [%r15];
  mad.lo.u32 %r20, %r20, 31, %r24;
  ld.shared::cluster.u32 %r24, [%r17];
  add.u32 %r20, %r20, %r24;
  @%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%r9], 132;
  barrier.cluster.arrive; barrier.cluster.wait;
  add.u32 %r25, %r3, %r21;
  st.shared::cluster.u32 [%r15], %r25;
  and.b32 %r26, %r1, 7;
  shl.b32 %r26, %r26, 2;
  add.u32 %r26, %r26, %r11;
  atom.shared::cluster.add.u32 %r27, [%r26+512], 1;
  red.shared::cluster.add.u32 [%r11+640], %r1;
  @%p0 st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r11+768], %r25, [%r12];
  @%p0 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r12];
  @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r10], [%rd2], 128, [%r9], %h1;
WAIT:
  mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [%r9], %r22;
  @!%p2 bra WAIT;
  ld.shared.u32 %r28, [%r10+64];
  ld.shared.u32 %r29, [%r8+768];
  mad.lo.u32 %r20, %r20, 17, %r28;
  mad.lo.u32 %r20, %r20, 13, %r29;
  barrier.cluster.arrive; barrier.cluster.wait;
  ld.shared.u32 %r30, [%r8+640];
  mad.lo.u32 %r20, %r20, 5, %r30;
  xor.b32 %r22, %r22, 1;
  add.u32 %r21, %r21, 1;
  setp.lt.u32 %p3, %r21, 6;
  @%p3 bra TURN;
  st.global.u32 [%rd3], %r20;
  barrier.cluster.arrive; barrier.cluster.wait;
  exit;
}
)";

// Each block leaves its SM.
const char* const kPlaceKernel = R"(.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 buf, .param .u64 in)
{
  .reg .b64 %rd<4>; .reg .b32 %r<4>;
  ld.param.u64 %rd1, [buf];
  mov.u32 %r1, %smid; mov.u32 %r2, %ctaid.x;
  mul.wide.u32 %rd2, %r2, 4; add.u64 %rd2, %rd1, %rd2;
  st.global.u32 [%rd2], %r1;
  barrier.cluster.arrive; barrier.cluster.wait;
  exit;
}
)";

struct ClusterBench {
  explicit ClusterBench(const char* text, bool functional = false) {
    Diagnostics diagnostics;
    auto loaded = load_machine("h200-sxm", {}, WARPTIME_SOURCE_DIR "/configs", diagnostics);
    REQUIRE(loaded.has_value());
    machine = loaded->machine.config;
    machine.chip.caches_between_launches.l2 = CacheContents::empty;
    auto module = ptx::load_module(std::make_shared<SourceText>("k.ptx", text), diagnostics);
    INFO(diagnostics.to_text());
    REQUIRE(module != nullptr);
    kernel = decode(module, module->kernels[0], SymbolAddresses(module->symbols.size(), 0), machine, diagnostics);
    REQUIRE(kernel != nullptr);
    memory = std::make_unique<DeviceMemory>(machine.memory.bytes, 256);
    address = memory->allocate(4 * kWords, "buf", 256).value();
    in = memory->allocate(256, "in", 256).value();
    for (uint32_t i = 0; i < 64; ++i) std::memcpy(memory->at(in + 4 * i), &i, 4);
    gpu = std::make_unique<Gpu>(machine, *memory);
    options.functional = functional;
  }
  Launch launch(uint32_t blocks, uint32_t cluster, uint32_t threads, uint32_t shared) const {
    Launch out;
    out.kernel = kernel.get();
    out.grid = {blocks, 1, 1};
    out.block = {threads, 1, 1};
    out.cluster = {cluster, 1, 1};
    out.explicit_cluster = true;
    out.dynamic_shared_bytes = shared;
    out.parameters.resize(16);
    std::memcpy(out.parameters.data(), &address, 8);
    std::memcpy(out.parameters.data() + 8, &in, 8);
    return out;
  }
  std::vector<uint32_t> words() const {
    std::vector<uint32_t> out(kWords);
    std::memcpy(out.data(), memory->at(address), out.size() * 4);
    return out;
  }
  std::string run(const Launch& launch) {
    std::memset(memory->at(address), 0, 4 * kWords);
    LaunchStatistics statistics;
    const auto fault = gpu->run(launch, options, statistics);
    INFO((fault ? format_fault(*fault) : ""));
    REQUIRE_FALSE(fault.has_value());
    cycles = statistics.cycles;
    return text(statistics);
  }
  static std::string text(const LaunchStatistics& statistics) {
    host::RunReport report;
    report.launches = {statistics};
    return host::to_json_text(report);
  }

  static constexpr uint32_t kWords = 1 << 15;
  MachineConfig machine;
  std::unique_ptr<const CompiledKernel> kernel;
  std::unique_ptr<DeviceMemory> memory;
  Addr address = 0, in = 0;
  std::unique_ptr<Gpu> gpu;
  RunOptions options;
  Cycle cycles = 0;
};

constexpr uint32_t kLarge = 200 * 1024;  // one block an SM

}  // namespace

TEST_CASE("blocks of a cluster are on SMs of one GPC, each on its own while there is room", "[cluster]") {
  ClusterBench bench(kPlaceKernel);
  const std::vector<uint32_t> gpcs = tpcs_of_gpcs(bench.machine.chip);
  auto gpc_of = [&](uint32_t sm) {
    uint32_t gpc = 0;
    for (uint32_t end = gpcs[0]; sm >= end; end += gpcs[++gpc]) continue;
    return gpc;
  };
  for (const uint32_t cluster : {1, 2, 4, 8, 16})
    for (const uint32_t shared : {0u, kLarge}) {
      CAPTURE(cluster, shared);
      bench.run(bench.launch(128, cluster, 128, shared));
      const std::vector<uint32_t> sms = bench.words();
      std::set<uint32_t> used;
      for (uint32_t first = 0; first < 128; first += cluster) {
        std::set<uint32_t> own(sms.begin() + first, sms.begin() + first + cluster);
        const uint32_t gpc = gpc_of(sms[first]);
        for (const uint32_t sm : own) CHECK(gpc_of(sm) == gpc);
        if (cluster <= gpcs[gpc]) CHECK(own.size() == cluster);
        else CHECK(own.size() == gpcs[gpc]);  // two of 16 blocks on each of 8 SMs
        used.insert(own.begin(), own.end());
      }
      CHECK(used.size() > 100);
    }
}

TEST_CASE("clusters of several SMs compute what they compute without time", "[cluster]") {
  ClusterBench timed(kClusterKernel), functional(kClusterKernel, true);
  for (const uint32_t cluster : {1, 2, 4, 8, 16})
    for (const uint32_t threads : {32, 128}) {
      CAPTURE(cluster, threads);
      const Launch launch = timed.launch(64, cluster, threads, kLarge);
      timed.run(launch);
      if (cluster * threads / 32 > 32) continue;
      functional.run(functional.launch(64, cluster, threads, kLarge));
      CHECK(timed.words() == functional.words());
      CHECK(timed.words()[63 * threads] != 0);
    }
}

TEST_CASE("clusters give the same bytes for any number of threads and any step", "[cluster]") {
  ClusterBench bench(kClusterKernel);
  const Launch launch = bench.launch(256, 4, 128, kLarge);  // more than fit at a time
  const std::string first = bench.run(launch);
  const std::vector<uint32_t> words = bench.words();
  for (const uint32_t threads : {2, 3, 8})
    for (const Step step : {Step::Whole, Step::Half, Step::Quarter}) {
      CAPTURE(threads);
      bench.options.threads = threads;
      bench.options.step = step;
      CHECK(bench.run(launch) == first);
      CHECK(bench.words() == words);
    }
}

TEST_CASE("a launch goes on from the middle of its clusters", "[cluster]") {
  ClusterBench bench(kClusterKernel);
  const Launch launch = bench.launch(256, 4, 64, kLarge);
  const std::string whole = bench.run(launch);
  const std::vector<uint32_t> words = bench.words();
  const Cycle length = bench.cycles;
  for (uint64_t part = 1; part < 20; ++part) {
    CAPTURE(part);
    std::memset(bench.memory->at(bench.address), 0, 4 * ClusterBench::kWords);
    LaunchStatistics statistics;
    Session session = bench.gpu->begin(launch, bench.options, statistics);
    REQUIRE(session.step(length * part / 20));
    REQUIRE(session.why_not_saved().empty());
    const Snapshot snapshot = session.save();
    CHECK_FALSE(session.step(kNever));
    CHECK(ClusterBench::text(statistics) == whole);
    ClusterBench other(kClusterKernel);
    other.options.threads = 3;
    other.options.step = Step::Half;
    LaunchStatistics continued;
    Session rest = other.gpu->begin(other.launch(256, 4, 64, kLarge), other.options, continued);
    rest.restore(snapshot);
    const Snapshot again = rest.save();
    CHECK(std::equal(again.state().begin(), again.state().end(), snapshot.state().begin(), snapshot.state().end()));
    CHECK_FALSE(rest.step(kNever));
    CHECK_FALSE(rest.fault().has_value());
    CHECK(ClusterBench::text(continued) == whole);
    CHECK(other.words() == words);
  }
}

TEST_CASE("an access to the shared memory of a block that has exited is a fault", "[cluster]") {
  struct Access {
    const char *text, *name;
  };
  for (const Access& access :
       {Access{"ld.shared::cluster.u32 %r5, [%r4];", "ld"}, Access{"st.shared::cluster.u32 [%r4], %r1;", "st"},
        Access{"red.shared::cluster.add.u32 [%r4], 1;", "red"},
        Access{"mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r4];", "arrive"},
        Access{"st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r4+8], %r1, [%r4];", "st.async"}}) {
    CAPTURE(access.name);
    const std::string text = std::string(R"(.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 buf, .param .u64 in)
{
  .reg .b32 %r<8>; .reg .pred %p<4>;
  .shared .align 8 .b8 words[64];
  mov.u32 %r1, %cluster_ctarank; setp.eq.u32 %p1, %r1, 1; @%p1 exit;
  mov.u32 %r2, 0;
LOOP:
  .pragma "nounroll"; add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 200; @%p2 bra LOOP;
  mov.u32 %r3, words; mapa.shared::cluster.u32 %r4, %r3, 1;
  )") + access.text + "\n  add.u32 %r5, %r5, 1;\n  exit;\n}\n";
    for (const bool functional : {false, true}) {
      CAPTURE(functional);
      ClusterBench bench(text.c_str(), functional);
      LaunchStatistics statistics;
      const auto fault = bench.gpu->run(bench.launch(2, 2, 32, 0), bench.options, statistics);
      REQUIRE(fault.has_value());
      CHECK(fault->kind == Fault::Kind::ExitedBlock);
      CHECK(fault->message == "access to the shared memory of block (1,0,0), which has exited");
      CHECK_THAT(format_fault(*fault), Catch::Matchers::Contains("k.ptx:13"));
      CHECK(fault->block == std::array<uint32_t, 3>{0, 0, 0});
      CHECK(fault->thread == std::array<uint32_t, 3>{0, 0, 0});
    }
  }
}

TEST_CASE("threads that exit are not waited for at the barrier of a cluster", "[cluster]") {
  // Block 1 exits at once; of block 0 one warp exits while the other waits.
  const char* const text = R"(.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 buf, .param .u64 in)
{
  .reg .b64 %rd<4>; .reg .b32 %r<8>; .reg .pred %p<4>;
  mov.u32 %r1, %cluster_ctarank; setp.eq.u32 %p1, %r1, 1; @%p1 exit;
  mov.u32 %r2, %tid.x; setp.lt.u32 %p2, %r2, 32; @%p2 bra WAITS;
  mov.u32 %r3, 0;
LOOP:
  add.u32 %r3, %r3, 1; setp.lt.u32 %p3, %r3, 100; @%p3 bra LOOP;
  exit;
WAITS:
  barrier.cluster.arrive; barrier.cluster.wait;
  ld.param.u64 %rd1, [buf];
  st.global.u32 [%rd1], 5;
  exit;
}
)";
  ClusterBench bench(text);
  bench.run(bench.launch(4, 2, 64, 0));
  CHECK(bench.words()[0] == 5);
}

TEST_CASE("what a block stores is there for others behind the barrier of the cluster", "[cluster]") {
  // To global memory, by one warp, of which another block's reads it.
  const char* const text = R"(.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 buf, .param .u64 in)
{
  .reg .b64 %rd<8>; .reg .b32 %r<8>;
  ld.param.u64 %rd1, [buf];
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; shl.b32 %r3, %r2, 5; add.u32 %r3, %r3, %r1;
  mul.wide.u32 %rd2, %r3, 4; add.u64 %rd2, %rd1, %rd2;
  xor.b32 %r4, %r3, 32; mul.wide.u32 %rd3, %r4, 4; add.u64 %rd3, %rd1, %rd3;
  add.u32 %r5, %r3, 100;
  st.global.u32 [%rd2], %r5;
  barrier.cluster.arrive.release; barrier.cluster.wait.acquire;
  ld.global.u32 %r6, [%rd3];
  st.global.u32 [%rd2+4096], %r6;
  exit;
}
)";
  ClusterBench bench(text);
  bench.run(bench.launch(32, 2, 32, 0));
  for (uint32_t i = 0; i < 1024; ++i) CHECK(bench.words()[1024 + i] == (i ^ 32) + 100);
}
