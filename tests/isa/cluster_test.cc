// Clusters of blocks in small programs: numbers of blocks in them, shared memory of others, their barrier, and launches
// that are refused. On `generic` and on a machine with timing that has been given the features.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "host/device/device.h"
#include "sim/gpu/gpu.h"
#include "sim/model/machine_loader.h"

namespace warptime {

namespace {

constexpr const char* kClusterMachines[] = {"generic", "geforce-gtx-480"};

/// Runs the kernel whose body is given with blocks of 32 threads: %r0 is the thread, %r2 the block in the grid; thread
/// 0 of each block leaves its result in %r1. `directives` stand before the body.
std::vector<uint32_t> run_clusters(const std::string& machine, host::Dim3 grid, host::Dim3 cluster,
                                   const std::string& body, const std::string& directives = "",
                                   bool has_feature = true) {
  Diagnostics diagnostics;
  auto loaded = sim::load_machine(machine, {}, WARPTIME_SOURCE_DIR "/configs", diagnostics);
  REQUIRE(loaded.has_value());
  if (has_feature)
    for (const char* feature : {"mbarriers", "clusters"}) loaded->machine.config.features.push_back(feature);
  sim::RunOptions options;
  options.functional = machine == "generic";
  host::Device device(loaded->machine, options);
  const std::string text = fmt::format(
      ".version 8.6\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u64 out)\n{}\n{{\n"
      "  .reg .b32 %r<16>;\n  .reg .b64 %rd<16>;\n  .reg .pred %p<8>;\n"
      "  .shared .align 8 .b8 words[256];\n  .shared .align 8 .b64 full;\n"
      "  mov.u32 %r0, %tid.x;\n  mov.u32 %r1, 0;\n"
      "  mov.u32 %r2, %ctaid.x;\n  mov.u32 %r3, %ctaid.y;\n  mov.u32 %r4, %nctaid.x;\n  mad.lo.u32 %r2, %r3, %r4, "
      "%r2;\n{}\n"
      "  ld.param.u64 %rd0, [out];\n  mad.wide.u32 %rd0, %r2, 4, %rd0;\n  setp.eq.u32 %p0, %r0, 0;\n"
      "  @%p0 st.global.u32 [%rd0], %r1;\n  ret;\n}}\n",
      directives, body);
  auto module = device.load_module(std::make_shared<SourceText>("k.ptx", text));
  std::vector<uint32_t> out(size_t{grid.x} * grid.y);
  auto buffer = device.allocate<uint32_t>(out.size(), "out");
  host::LaunchOptions launch;
  launch.cluster = cluster;
  device.launch(module, "k", grid, {32}, {buffer}, launch);
  device.read_bytes(std::as_writable_bytes(std::span(out)), buffer.address);
  return out;
}

std::string refusal(host::Dim3 grid, host::Dim3 cluster, const std::string& directives = "") {
  try {
    run_clusters("generic", grid, cluster, "", directives);
  } catch (const host::InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("special registers: where a block is in its cluster", "[cluster]") {
  for (const char* machine : kClusterMachines) {
    INFO(machine);
    const auto got = run_clusters(machine, {4, 4}, {2, 2}, R"(
      mov.u32 %r5, %cluster_ctarank;
      mov.u32 %r6, %cluster_nctarank;
      mov.u32 %r7, %clusterid.x; mov.u32 %r8, %clusterid.y;
      mov.u32 %r9, %cluster_ctaid.x; mov.u32 %r10, %cluster_ctaid.y;
      mov.u32 %r11, %nclusterid.x; mov.u32 %r12, %cluster_nctaid.y;
      mad.lo.u32 %r1, %r5, 10, %r6;
      mad.lo.u32 %r1, %r1, 10, %r7; mad.lo.u32 %r1, %r1, 10, %r8;
      mad.lo.u32 %r1, %r1, 10, %r9; mad.lo.u32 %r1, %r1, 10, %r10;
      mad.lo.u32 %r1, %r1, 10, %r11; mad.lo.u32 %r1, %r1, 10, %r12;)");
    for (uint32_t y = 0; y < 4; ++y)
      for (uint32_t x = 0; x < 4; ++x) {
        const uint32_t rank = x % 2 + 2 * (y % 2);
        CHECK(got[y * 4 + x] ==
              ((((((rank * 10 + 4) * 10 + x / 2) * 10 + y / 2) * 10 + x % 2) * 10 + y % 2) * 10 + 2) * 10 + 2);
      }
  }
}

TEST_CASE("a block reads, writes and adds to the shared memory of others", "[cluster]") {
  // Each block stores its number; the next one's is read, its second word written, and the first block's third added
  // to.
  const std::string body = R"(
      mov.u32 %r5, words;
      mov.u32 %r6, %cluster_ctarank;
      mov.u32 %r7, %cluster_nctarank;
      add.u32 %r8, %r2, 100;
      setp.eq.u32 %p1, %r0, 0;
      @%p1 st.shared.u32 [words], %r8;
      barrier.cluster.arrive.release;
      barrier.cluster.wait.acquire;
      add.u32 %r9, %r6, 1;
      rem.u32 %r9, %r9, %r7;
      mapa.shared::cluster.u32 %r10, %r5, %r9;
      ld.shared::cluster.u32 %r11, [%r10];
      @%p1 st.shared::cluster.u32 [%r10+4], %r8;
      mapa.shared::cluster.u32 %r12, %r5, 0;
      red.shared::cluster.add.u32 [%r12+8], 1;
      getctarank.shared::cluster.u32 %r13, %r10;
      barrier.cluster.arrive;
      barrier.cluster.wait;
      ld.shared.u32 %r14, [words+4];
      ld.shared.u32 %r15, [words+8];
      mad.lo.u32 %r1, %r11, 1000, %r14;
      mad.lo.u32 %r1, %r1, 10, %r13;
      mad.lo.u32 %r1, %r1, 1000, %r15;)";
  for (const char* machine : kClusterMachines) {
    INFO(machine);
    const auto got = run_clusters(machine, {8, 1}, {4, 1, 1}, body);
    const auto required = run_clusters(machine, {8, 1}, {0, 0, 0}, body, ".reqnctapercluster 4, 1, 1");
    CHECK(got == required);
    for (uint32_t block = 0; block < 8; ++block) {
      const uint32_t first = block / 4 * 4, next = first + (block + 1) % 4, before = first + (block + 3) % 4;
      const uint32_t sum = block % 4 == 0 ? 4 * 32 : 0;
      CHECK(got[block] == (((next + 100) * 1000 + before + 100) * 10 + next % 4) * 1000 + sum);
    }
  }
}

TEST_CASE("generic addresses reach other blocks, and an mbarrier object counts their arrivals", "[cluster]") {
  for (const char* machine : kClusterMachines) {
    INFO(machine);
    const auto got = run_clusters(machine, {2, 1}, {2, 1, 1}, R"(
      mov.u32 %r5, %cluster_ctarank;
      setp.eq.u32 %p1, %r0, 0;
      @%p1 mbarrier.init.shared.b64 [full], 1;
      fence.mbarrier_init.release.cluster;
      barrier.cluster.arrive;
      barrier.cluster.wait;
      xor.b32 %r6, %r5, 1;
      mov.u32 %r7, words;
      cvt.u64.u32 %rd1, %r7;
      cvta.shared.u64 %rd2, %rd1;
      mapa.u64 %rd3, %rd2, %r6;
      isspacep.shared::cluster %p2, %rd3;
      @!%p2 trap;
      add.u32 %r8, %r5, 7;
      @%p1 st.u32 [%rd3], %r8;
      mov.u32 %r9, full;
      mapa.shared::cluster.u32 %r10, %r9, %r6;
      @%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r10];
    WAIT:
      mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, [full], 0;
      @!%p3 bra WAIT;
      ld.shared.u32 %r1, [words];
      barrier.cluster.arrive;
      barrier.cluster.wait;)");
    CHECK(got == std::vector<uint32_t>{8, 7});
  }
}

TEST_CASE("a cluster that no GPC can hold is refused, a smaller one is not", "[cluster]") {
  Diagnostics diagnostics;
  // GPCs of four SMs and one of two; an SM has room for one block with 200 KB.
  auto loaded =
      sim::load_machine("h200-sxm", {"chip.tpcs=10", "chip.gpc_tpcs=4"}, WARPTIME_SOURCE_DIR "/configs", diagnostics);
  REQUIRE(loaded.has_value());
  auto launched = [&](uint32_t cluster, uint32_t shared, uint32_t threads, bool functional = false) -> std::string {
    sim::RunOptions options;
    options.functional = functional;
    host::Device device(loaded->machine, options);
    auto module = device.load_module(std::make_shared<SourceText>(
        "k.ptx",
        ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n  barrier.cluster.arrive;\n"
        "  barrier.cluster.wait;\n  ret;\n}\n"));
    host::LaunchOptions launch;
    launch.cluster = {cluster, 1, 1};
    launch.dynamic_shared_bytes = shared;
    try {
      device.launch(module, "k", {2 * cluster}, {threads}, {}, launch);
    } catch (const host::InputError& error) {
      return error.what();
    }
    return "";
  };
  CHECK(launched(4, 200 * 1024, 128) == "");
  CHECK(launched(2, 200 * 1024, 1024) == "");
  CHECK(launched(8, 100 * 1024, 1024) == "");
  CHECK(launched(16, 1024, 512) == "");
  CHECK_THAT(launched(5, 200 * 1024, 128),
             Catch::Matchers::Contains("a cluster of 5 blocks of kernel \"k\" can never be resident on machine "
                                       "\"h200-sxm\": the largest GPC has 4 SMs, which hold 4 of its blocks together"));
  CHECK_THAT(launched(9, 1024, 1024), Catch::Matchers::Contains("which hold 8 of its blocks together"));
  // Without time, blocks need slots of one SM, and nothing else.
  CHECK(launched(16, 200 * 1024, 128, true) == "");
  CHECK_THAT(launched(4, 0, 1024, true),
             Catch::Matchers::Contains("a cluster of 4 blocks of kernel \"k\" has 128 warps; in a functional run on "
                                       "machine \"h200-sxm\" there are at most 32 blocks and 64 warps"));
}

TEST_CASE("clusters that cannot be are refused", "[cluster]") {
  CHECK(refusal({6, 1}, {4, 1, 1}).find("is not made of whole clusters of 4 x 1 x 1") != std::string::npos);
  CHECK(refusal({64, 1}, {32, 1, 1}).find("a cluster of 32 blocks; there are at most 16") != std::string::npos);
  CHECK(refusal({8, 1}, {2, 1, 1}, ".reqnctapercluster 4, 1, 1").find("requires clusters of 4 x 1 x 1 blocks") !=
        std::string::npos);
  CHECK(refusal({8, 1}, {0, 0, 0}, ".explicitcluster").find("requires that its launch names a cluster") !=
        std::string::npos);
  CHECK(refusal({8, 1}, {4, 1, 1}, ".maxclusterrank 2").find("there are at most 2") != std::string::npos);
  CHECK(refusal({8, 1}, {4, 1, 1}).empty());
  CHECK_THROWS_WITH(run_clusters("geforce-gtx-480", {2, 1}, {2, 1, 1}, "", "", false),
                    Catch::Matchers::Contains("needs a machine with the feature clusters"));
}

}  // namespace warptime
