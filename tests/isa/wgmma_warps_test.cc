// Products of warpgroups as asynchronous instructions of whole warps: when their results are seen, groups, warps and
// lanes that are missing, and shared memory that is not there. In functional runs with independent lanes and in
// lockstep, and in timed ones.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <optional>

#include "host/device/device.h"
#include "sim/gpu/gpu.h"
#include "sim/model/machine_loader.h"

namespace warptime {

namespace {

struct GroupWay {
  const char* name;
  const char* machine;
  bool independent;
};
const std::vector<GroupWay> kGroupWays{{"functional, independent", "generic", true},
                                       {"functional, lockstep", "generic", false},
                                       {"timed, lockstep", "jetson-tk1", false}};

struct GroupRan {
  std::vector<float> out;
  std::optional<sim::Fault> fault;
};

/// Runs a block of the kernel whose body is given: shared memory is full of f16 ones, %rd1 describes it as A and B, %d0
/// to %d3 are zero, and %f0 is the result.
GroupRan run_group(const GroupWay& way, const std::string& body, uint32_t threads = 128) {
  Diagnostics diagnostics;
  std::vector<std::string> settings{"features=[f64,vote,shuffle,match,global_atomics,wgmma]",
                                    way.independent ? "sm.reconvergence=independent" : "sm.reconvergence=stack"};
  auto loaded = sim::load_machine(way.machine, settings, WARPTIME_SOURCE_DIR "/configs", diagnostics);
  INFO(diagnostics.to_text());
  REQUIRE(loaded.has_value());
  sim::RunOptions options;
  options.functional = std::string_view(way.machine) == "generic";
  host::Device device(loaded->machine, options);
  std::string text =
      ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
      "  .reg .b32 %r<24>;\n  .reg .f32 %d<8>;\n  .reg .f32 %f<8>;\n  .reg .b64 %rd<8>;\n  .reg .pred %p<8>;\n"
      "  .shared .align 128 .b32 words[1024];\n"
      "  mov.u32 %r0, %tid.x;\n  mov.u32 %r2, words;\n  mad.lo.u32 %r3, %r0, 4, %r2;\n  mov.u32 %r4, %r0;\n"
      "  mov.u32 %r5, 0x3c003c00;\n  mov.u32 %r6, %ntid.x;\n  shl.b32 %r7, %r6, 2;\n"
      "FILL:\n  st.shared.u32 [%r3], %r5;\n  add.u32 %r3, %r3, %r7;\n  add.u32 %r4, %r4, %r6;\n"
      "  setp.lt.u32 %p0, %r4, 1024;\n  @%p0 bra FILL;\n"
      "  mov.f32 %d0, 0f00000000;\n  mov.f32 %d1, %d0;\n  mov.f32 %d2, %d0;\n  mov.f32 %d3, %d0;\n"
      "  mov.b64 %rd1, 0x1000080000;\n  bar.sync 0;\n" +
      body +
      "\n  ld.param.u64 %rd0, [out];\n  mad.wide.u32 %rd0, %r0, 4, %rd0;\n  st.global.f32 [%rd0], %f0;\n  ret;\n}\n";
  auto module = device.load_module(std::make_shared<SourceText>("k.ptx", text));
  GroupRan ran;
  ran.out.resize(threads);
  auto buffer = device.allocate<float>(threads, "out");
  try {
    device.launch(module, "k", {1}, {threads}, {buffer});
  } catch (const host::FaultError& error) {
    ran.fault = error.fault;
    return ran;
  }
  device.read_bytes(std::as_writable_bytes(std::span(ran.out)), buffer.address);
  return ran;
}

const std::string kProduct =
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0,%d1,%d2,%d3}, %rd1, %rd1, 1, 1, 1, 0, 0;\n";
const std::string kCommit = "wgmma.commit_group.sync.aligned;\n";
std::string wait(int groups) { return fmt::format("wgmma.wait_group.sync.aligned {};\n", groups); }

void check_all(const GroupRan& ran, float value) {
  REQUIRE_FALSE(ran.fault.has_value());
  for (float each : ran.out) CHECK(each == value);
}

}  // namespace

TEST_CASE("results of wgmma are seen when their group is waited for, and not before") {
  for (const GroupWay& way : kGroupWays) {
    INFO(way.name);
    check_all(run_group(way, kProduct + kCommit + wait(0) + "mov.f32 %f0, %d3;"), 16);
    check_all(run_group(way, kProduct + kCommit + "mov.f32 %f0, %d3;\n" + wait(0)), 0);
    check_all(run_group(way, kProduct + wait(0) + "mov.f32 %f0, %d3;"), 0);  // in no group
    // On top of each other, in one group and in two.
    check_all(run_group(way, kProduct + kProduct + kCommit + wait(0) + "mov.f32 %f0, %d1;"), 32);
    check_all(run_group(way, kProduct + kCommit + kProduct + kCommit + wait(0) + "mov.f32 %f0, %d1;"), 32);
    // Two groups with accumulators of their own: the first is there, the second is not.
    const std::string other =
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d4,%d5,%d6,%d7}, %rd1, %rd1, 0, 1, -1, 0, 0;\n";
    const std::string both = kProduct + kCommit + other + kCommit;
    check_all(run_group(way, "mov.f32 %d4, 0f40000000;\n" + both + wait(1) + "add.f32 %f0, %d0, %d4;\n" + wait(0)), 18);
    check_all(run_group(way, "mov.f32 %d4, 0f40000000;\n" + both + wait(0) + "add.f32 %f0, %d0, %d4;"), 0);
  }
}

TEST_CASE("the last register of an accumulator waits like the first") {
  // The value from before the product is still used behind it: the result must not be early.
  for (const GroupWay& way : kGroupWays)
    check_all(run_group(way, "mov.f32 %d3, 0f40400000;\n" + kProduct + "add.f32 %f0, %d3, %d3;\n" + kCommit + wait(0)),
              6);
}

TEST_CASE("a product whose result nobody reads writes no other register") {
  for (const GroupWay& way : kGroupWays)
    check_all(run_group(way, kProduct + kCommit +
                                 "mov.f32 %f1, 0f40A00000;\nmov.f32 %f2, 0f40C00000;\n"
                                 "mov.f32 %f3, 0f40E00000;\nmov.f32 %f4, 0f41000000;\n" +
                                 wait(0) + "add.f32 %f0, %f1, %f2;\nadd.f32 %f0, %f0, %f3;\nadd.f32 %f0, %f0, %f4;"),
              26);
}

TEST_CASE("wgmma whose guard is false of all lanes does nothing, and of some lanes is a fault") {
  for (const GroupWay& way : kGroupWays) {
    INFO(way.name);
    check_all(run_group(way, "setp.gt.u32 %p1, %r0, 999;\n@%p1 " + kProduct + kCommit + wait(0) + "mov.f32 %f0, %d3;"),
              0);
    const GroupRan some = run_group(way, "setp.lt.u32 %p1, %r0, 8;\n@%p1 " + kProduct);
    REQUIRE(some.fault.has_value());
    CHECK(some.fault->kind == sim::Fault::Kind::PartialWarp);
  }
}

TEST_CASE("wgmma in a block without four whole warps is a fault") {
  for (const GroupWay& way : kGroupWays)
    for (uint32_t threads : {96u, 160u}) {
      const GroupRan ran = run_group(way, kProduct, threads);
      REQUIRE(ran.fault.has_value());
      CHECK(ran.fault->kind == sim::Fault::Kind::PartialWarpgroup);
      CHECK(ran.fault->message == "a product of a warpgroup is executed by fewer than four whole warps");
    }
}

TEST_CASE("wgmma that reads beyond the block's shared memory is a fault") {
  for (const GroupWay& way : kGroupWays) {
    const GroupRan ran = run_group(way, "mov.b64 %rd1, 0x10000800f8;\n" + kProduct);
    REQUIRE(ran.fault.has_value());
    CHECK(ran.fault->kind == sim::Fault::Kind::OutOfBounds);
    CHECK(ran.fault->address >= 4096);
  }
}

}  // namespace warptime
