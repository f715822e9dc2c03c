// Matrix instructions as instructions of whole warps: lanes that part before them, lanes that never come, guards, short
// warps; and ldmatrix and stmatrix as accesses to shared memory. In functional runs with independent lanes and in
// lockstep, and in timed ones in lockstep.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <optional>

#include "host/device/device.h"
#include "sim/gpu/gpu.h"
#include "sim/model/machine_loader.h"

namespace warptime {

namespace {

struct Way {
  const char* name;
  const char* machine;
  bool independent;
};
const std::vector<Way> kWays{{"functional, independent", "generic", true},
                             {"functional, lockstep", "generic", false},
                             {"timed, lockstep", "jetson-tk1", false}};

struct Ran {
  std::vector<uint32_t> out;
  std::optional<sim::Fault> fault;
  sim::LaunchStatistics counted;
};

/// Runs a warp, or less, of the kernel whose body is given: %r0 is the thread, %r2 an address of 2 KiB of shared memory
/// whose words are their numbers; it leaves its result in %r1.
Ran run_warp(const Way& way, const std::string& body, uint32_t threads = 32) {
  Diagnostics diagnostics;
  std::vector<std::string> settings{"features=[f64,vote,shuffle,match,global_atomics,tensor,matrix_stores]",
                                    way.independent ? "sm.reconvergence=independent" : "sm.reconvergence=stack"};
  auto loaded = sim::load_machine(way.machine, settings, WARPTIME_SOURCE_DIR "/configs", diagnostics);
  INFO(diagnostics.to_text());
  REQUIRE(loaded.has_value());
  sim::RunOptions options;
  options.functional = std::string_view(way.machine) == "generic";
  host::Device device(loaded->machine, options);
  std::string text =
      ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
      "  .reg .b32 %r<24>;\n  .reg .b64 %rd<8>;\n  .reg .pred %p<8>;\n  .shared .align 16 .b32 words[512];\n"
      "  mov.u32 %r0, %tid.x;\n  mov.u32 %r1, 0;\n  mov.u32 %r2, words;\n"
      "  mad.lo.u32 %r3, %r0, 4, %r2;\n  mov.u32 %r4, %r0;\n"
      "FILL:\n  st.shared.u32 [%r3], %r4;\n  add.u32 %r3, %r3, 128;\n  add.u32 %r4, %r4, 32;\n"
      "  setp.lt.u32 %p0, %r4, 512;\n  @%p0 bra FILL;\n  bar.sync 0;\n" +
      body +
      "\n  ld.param.u64 %rd0, [out];\n  mad.wide.u32 %rd0, %r0, 4, %rd0;\n  st.global.u32 [%rd0], %r1;\n  ret;\n}\n";
  auto module = device.load_module(std::make_shared<SourceText>("k.ptx", text));
  Ran ran;
  ran.out.resize(threads);
  auto buffer = device.allocate<uint32_t>(threads, "out");
  try {
    ran.counted = device.launch(module, "k", {1}, {threads}, {buffer});
  } catch (const host::FaultError& error) {
    ran.fault = error.fault;
    return ran;
  }
  device.read_bytes(std::as_writable_bytes(std::span(ran.out)), buffer.address);
  return ran;
}

/// The two elements of each lane are its number and that plus 100; transposed.
const std::string kMove = "add.u32 %r5, %r0, 100; prmt.b32 %r6, %r0, %r5, 0x5410;\n";
const std::string kMovmatrix = "movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r6;";
uint32_t moved(uint32_t lane) {
  auto element = [](uint32_t row, uint32_t column) { return row * 4 + column / 2 + column % 2 * 100; };
  return element(lane % 4 * 2, lane / 4) | element(lane % 4 * 2 + 1, lane / 4) << 16;
}
void check_moved(const Ran& ran) {
  REQUIRE_FALSE(ran.fault.has_value());
  for (uint32_t lane = 0; lane < 32; ++lane) CHECK(ran.out[lane] == moved(lane));
}

}  // namespace

TEST_CASE("lanes that have parted meet again at a matrix instruction") {
  for (const Way& way : kWays) {
    INFO(way.name);
    check_moved(run_warp(way, kMove + kMovmatrix));
    check_moved(
        run_warp(way, kMove + "setp.lt.u32 %p1, %r0, 7;\n@%p1 bra DONE;\nadd.u32 %r7, %r7, 1;\nDONE:\n" + kMovmatrix));
    // By a loop of different lengths.
    check_moved(run_warp(way, kMove +
                                  "mov.u32 %r8, %r0;\nLOOP: setp.eq.u32 %p1, %r8, 0;\n@%p1 bra DONE;\n"
                                  "sub.u32 %r8, %r8, 1;\nbra LOOP;\nDONE:\n" +
                                  kMovmatrix));
  }
}

TEST_CASE("a matrix instruction that no lane executes does nothing") {
  for (const Way& way : kWays) {
    INFO(way.name);
    const Ran ran = run_warp(way,
                             "setp.gt.u32 %p1, %r0, 99;\n@%p1 movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r0;\n"
                             "@%p1 ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r2];");
    REQUIRE_FALSE(ran.fault.has_value());
    for (uint32_t value : ran.out) CHECK(value == 0);
  }
}

TEST_CASE("a matrix instruction of some lanes is a fault") {
  auto check_fault = [](const Ran& ran, const std::string& hint) {
    REQUIRE(ran.fault.has_value());
    CHECK(ran.fault->kind == sim::Fault::Kind::PartialWarp);
    CHECK(ran.fault->message == "an instruction of the whole warp is executed by some of its lanes");
    CHECK(ran.fault->hint == hint);
  };
  const std::string load = "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r2];";
  const std::string wmma = "wmma.load.c.sync.aligned.row.m8n8k32.shared.s32 {%r1, %r3}, [%r2];";
  for (const Way& way : kWays) {
    INFO(way.name);
    for (const std::string& instruction : {kMovmatrix, load, wmma}) {
      INFO(instruction);
      check_fault(run_warp(way, "setp.lt.u32 %p1, %r0, 8;\n@%p1 " + instruction),
                  "lanes 0-7 execute it; matrices are spread over all 32 lanes");
      check_fault(run_warp(way, "setp.lt.u32 %p1, %r0, 8;\n@%p1 bra DONE;\n" + instruction + "\nDONE:"),
                  "lanes 8-31 execute it; matrices are spread over all 32 lanes");
      check_fault(run_warp(way, "setp.lt.u32 %p1, %r0, 8;\n@%p1 exit;\n" + instruction),
                  "lanes 8-31 execute it; matrices are spread over all 32 lanes");
      check_fault(run_warp(way, instruction, 16), "lanes 0-15 execute it; matrices are spread over all 32 lanes");
    }
  }
}

TEST_CASE("ldmatrix takes generic addresses, of lanes that give one") {
  for (const Way& way : kWays) {
    INFO(way.name);
    // Lanes from 8 on have no address of any memory.
    const std::string address =
        "mul.lo.u32 %r5, %r0, 48; add.u32 %r6, %r2, %r5; setp.gt.u32 %p1, %r0, 7; @%p1 mov.u32 %r6, 0xfffffff1;\n";
    for (const std::string& load :
         {std::string("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r6];"),
          std::string(
              "cvt.u64.u32 %rd1, %r6; cvta.shared.u64 %rd2, %rd1; ldmatrix.sync.aligned.m8n8.x1.b16 {%r1}, [%rd2];")}) {
      const Ran ran = run_warp(way, address + load);
      REQUIRE_FALSE(ran.fault.has_value());
      for (uint32_t lane = 0; lane < 32; ++lane) CHECK(ran.out[lane] == lane / 4 * 12 + lane % 4);
    }
  }
}

TEST_CASE("rows of matrices that lie nowhere are faults") {
  for (const Way& way : kWays) {
    INFO(way.name);
    Ran ran = run_warp(
        way, "mad.lo.u32 %r6, %r0, 80, %r2;\nldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r3, %r4, %r5}, [%r6];");
    REQUIRE(ran.fault.has_value());
    CHECK(ran.fault->kind == sim::Fault::Kind::OutOfBounds);
    CHECK(ran.fault->message == "out-of-bounds load of 16 bytes in shared memory");
    CHECK(ran.fault->thread[0] == 26);
    ran = run_warp(way, "mad.lo.u32 %r6, %r0, 24, %r2;\nstmatrix.sync.aligned.m8n8.x1.shared.b16 [%r6], {%r0};");
    REQUIRE(ran.fault.has_value());
    CHECK(ran.fault->message == "misaligned store of 16 bytes in shared memory");
    CHECK(ran.fault->thread[0] == 1);
    ran = run_warp(way, "ld.param.u64 %rd1, [out];\nldmatrix.sync.aligned.m8n8.x1.b16 {%r1}, [%rd1];");
    REQUIRE(ran.fault.has_value());
    CHECK(ran.fault->kind == sim::Fault::Kind::OutOfBounds);
  }
}

TEST_CASE("rows of a matrix conflict in the banks of shared memory") {
  for (const Way& way : kWays) {
    if (std::string_view(way.machine) != "jetson-tk1") continue;
    auto passes = [&](const std::string& address, const std::string& access) {
      const uint64_t without = run_warp(way, address).counted.shared.conflict_passes;
      return run_warp(way, address + access).counted.shared.conflict_passes - without;
    };
    const std::string load = "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r3, %r4, %r5}, [%r6];";
    const std::string store = "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r6], {%r0, %r0};";
    const uint64_t best = passes("shl.b32 %r6, %r0, 4; add.u32 %r6, %r6, %r2;\n", load);
    // Eight rows 256 bytes apart begin in the same bank.
    const std::string column = "and.b32 %r5, %r0, 7; mad.lo.u32 %r6, %r5, 256, %r2;\n";
    CHECK(passes(column, load) > best);
    CHECK(passes(column, store) > 0);
  }
}

TEST_CASE("stores of matrices are seen by later loads") {
  for (const Way& way : kWays) {
    INFO(way.name);
    const Ran ran = run_warp(way,
                             "shl.b32 %r5, %r0, 4; add.u32 %r6, %r5, %r2;\n"
                             "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%r6], {%r0};\nbar.sync 0;\n"
                             "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r1}, [%r6];");
    REQUIRE_FALSE(ran.fault.has_value());
    for (uint32_t lane = 0; lane < 32; ++lane) CHECK(ran.out[lane] == lane);
  }
}

TEST_CASE("wmma.load and wmma.store follow their stride") {
  for (const Way& way : kWays) {
    INFO(way.name);
    const Ran ran =
        run_warp(way,
                 "mov.u32 %r7, 12;\nwmma.load.c.sync.aligned.row.m8n8k32.shared.s32 {%r4, %r5}, [%r2], %r7;\n"
                 "bar.sync 0;\nadd.u32 %r6, %r2, 1024;\n"
                 "wmma.store.d.sync.aligned.col.m8n8k32.shared.s32 [%r6], {%r4, %r5}, 9;\nbar.sync 0;\n"
                 "mad.lo.u32 %r8, %r0, 4, %r6;\nld.shared.u32 %r1, [%r8];");
    REQUIRE_FALSE(ran.fault.has_value());
    for (uint32_t word = 0; word < 32; ++word)
      if (word % 9 < 8) CHECK(ran.out[word] == word % 9 * 12 + word / 9);
  }
}

TEST_CASE("a result may be its own address or source") {
  for (const Way& way : kWays) {
    INFO(way.name);
    Ran ran = run_warp(way,
                       "shl.b32 %r5, %r0, 4; and.b32 %r5, %r5, 127; add.u32 %r1, %r5, %r2;\n"
                       "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r1];");
    REQUIRE_FALSE(ran.fault.has_value());
    for (uint32_t lane = 0; lane < 32; ++lane) CHECK(ran.out[lane] == lane);
    ran = run_warp(way, "mov.u32 %r1, %r2;\nwmma.load.c.sync.aligned.row.m8n8k32.shared.s32 {%r1, %r3}, [%r1];\n");
    REQUIRE_FALSE(ran.fault.has_value());
    for (uint32_t lane = 0; lane < 32; ++lane) CHECK(ran.out[lane] == 2 * lane);
    check_moved(run_warp(way, kMove + "movmatrix.sync.aligned.m8n8.trans.b16 %r6, %r6; mov.b32 %r1, %r6;"));
  }
}

}  // namespace warptime
