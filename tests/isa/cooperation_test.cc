// What threads do together, in small programs whose results are worked out from the manual: barriers that reduce, are
// only arrived at, or have their number in a register; shuffles and votes in part of a warp; carries; address spaces.
// On `generic` (lanes scheduled independently, no time) and on a machine with timing whose lanes run together.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "host/device/device.h"
#include "sim/gpu/gpu.h"
#include "sim/model/machine_loader.h"

namespace warptime {

namespace {

constexpr const char* kMachines[] = {"generic", "jetson-tk1"};

/// Runs a block of the kernel whose body is given: %r0 is the thread; it leaves its result in %r1.
std::vector<uint32_t> run(const std::string& machine, uint32_t threads, const std::string& body,
                          const std::string& target = ".version 6.0\n.target sm_30") {
  Diagnostics diagnostics;
  auto loaded = sim::load_machine(machine, {}, WARPTIME_SOURCE_DIR "/configs", diagnostics);
  REQUIRE(loaded.has_value());
  sim::RunOptions options;
  options.functional = machine == "generic";
  host::Device device(loaded->machine, options);
  std::string text = fmt::format(
      "{}\n.address_size 64\n"
      ".visible .entry k(.param .u64 out)\n{{\n"
      "  .reg .b32 %r<16>;\n  .reg .b64 %rd<8>;\n  .reg .pred %p<8>;\n"
      "  .shared .align 4 .b32 words[256];\n  .local .align 4 .b32 own[4];\n"
      "  mov.u32 %r0, %tid.x;\n  mov.u32 %r1, 0;\n{}\n"
      "  ld.param.u64 %rd0, [out];\n  mad.wide.u32 %rd0, %r0, 4, %rd0;\n  st.global.u32 [%rd0], %r1;\n  ret;\n}}\n",
      target, body);
  auto module = device.load_module(std::make_shared<SourceText>("k.ptx", text));
  std::vector<uint32_t> out(threads);
  auto buffer = device.allocate<uint32_t>(threads, "out");
  device.launch(module, "k", {1}, {threads}, {buffer});
  device.read_bytes(std::as_writable_bytes(std::span(out)), buffer.address);
  return out;
}

}  // namespace

TEST_CASE("a barrier reduces a predicate of all threads of the block", "[barrier]") {
  for (const char* machine : kMachines) {
    INFO(machine);
    // 80 threads in three warps, the last of 16 lanes; a third of the threads, and a bit more, say yes: 0, 3, ... 78.
    std::string predicate = "rem.u32 %r2, %r0, 3; setp.eq.u32 %p1, %r2, 0;\n";
    for (uint32_t got : run(machine, 80, predicate + "bar.red.popc.u32 %r1, 1, %p1;")) CHECK(got == 27);
    for (uint32_t got : run(machine, 80, predicate + "bar.red.popc.u32 %r1, 1, !%p1;")) CHECK(got == 53);
    std::string both =
        "bar.red.and.pred %p2, 2, %p1; bar.red.or.pred %p3, 2, %p1; selp.u32 %r1, 1, 0, %p2; @%p3 add.u32 %r1, %r1, 2;";
    for (uint32_t got : run(machine, 80, predicate + both)) CHECK(got == 2);
    for (uint32_t got : run(machine, 80, "setp.lt.u32 %p1, %r0, 80;" + both)) CHECK(got == 3);
    for (uint32_t got : run(machine, 80, "setp.ge.u32 %p1, %r0, 80;" + both)) CHECK(got == 0);
  }
}

TEST_CASE("a barrier of some warps reduces over them alone", "[barrier]") {
  for (const char* machine : kMachines) {
    INFO(machine);
    // Warps 0 and 1 meet at barrier 1, warps 2 and 3 at barrier 2.
    auto got = run(machine, 128,
                   "shr.u32 %r2, %r0, 6; add.u32 %r2, %r2, 1; mov.u32 %r3, 64; setp.lt.u32 %p1, %r0, 70;\n"
                   "bar.red.popc.u32 %r1, %r2, %r3, %p1;");
    for (uint32_t i = 0; i < 128; ++i) CHECK(got[i] == (i < 64 ? 64 : 6));
  }
}

TEST_CASE("who only arrives at a barrier goes on, who waits sees what came before", "[barrier]") {
  for (const char* machine : kMachines) {
    INFO(machine);
    // The first warp writes, arrives, and waits elsewhere for the second, which has read by then. Three rounds.
    auto got =
        run(machine, 64,
            "mov.u32 %r5, 0; setp.lt.u32 %p1, %r0, 32; and.b32 %r2, %r0, 31; mov.u32 %r3, words;\n"
            "mad.lo.u32 %r3, %r2, 4, %r3;\n"
            "LOOP: @!%p1 bra READ;\n"
            "mad.lo.u32 %r4, %r5, 100, %r2; st.shared.u32 [%r3], %r4; bar.arrive 0, 64; bar.sync 1, 64; bra NEXT;\n"
            "READ: bar.sync 0, 64; ld.shared.u32 %r4, [%r3]; add.u32 %r1, %r1, %r4; bar.arrive 1, 64;\n"
            "NEXT: add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 3; @%p2 bra LOOP;");
    for (uint32_t i = 0; i < 32; ++i) CHECK(got[32 + i] == 300 + 3 * i);
  }
}

TEST_CASE("of a barrier's number in a register the hardware takes four bits", "[barrier]") {
  for (const char* machine : kMachines) {
    INFO(machine);
    // One warp is at barrier 1, the other at 17.
    for (uint32_t got :
         run(machine, 64,
             "shr.u32 %r2, %r0, 1; and.b32 %r2, %r2, 16; add.u32 %r2, %r2, 1; bar.sync %r2; mov.u32 %r1, 1;"))
      CHECK(got == 1);
    CHECK_THROWS_AS(run(machine, 32, "bar.sync 16;"), host::InputError);
  }
}

TEST_CASE("a warp sums its values with shuffles", "[warp]") {
  for (const char* machine : kMachines) {
    INFO(machine);
    std::string sum = "mov.u32 %r1, %r0;\n";
    for (int by : {16, 8, 4, 2, 1})
      sum += fmt::format("shfl.sync.bfly.b32 %r2, %r1, {}, 31, 0xffffffff; add.u32 %r1, %r1, %r2;\n", by);
    auto got = run(machine, 64, sum);
    for (uint32_t i = 0; i < 64; ++i) CHECK(got[i] == (i < 32 ? 496 : 1520));  // 0 + ... + 31, 32 + ... + 63
    // From lane 28 on there is no lane four further up: they keep their own.
    got = run(machine, 32, "shfl.sync.down.b32 %r1|%p1, %r0, 4, 31, 0xffffffff; @!%p1 add.u32 %r1, %r1, 1000;");
    for (uint32_t i = 0; i < 32; ++i) CHECK(got[i] == (i < 28 ? i + 4 : i + 1000));
    // Segments of eight lanes (c = 0x1800: bits 3 and 4 of the lane say which), the second lane of each.
    got = run(machine, 32, "shfl.sync.idx.b32 %r1, %r0, 1, 0x181f, 0xffffffff;");
    for (uint32_t i = 0; i < 32; ++i) CHECK(got[i] == i / 8 * 8 + 1);
  }
}

TEST_CASE("a carry is each thread's own and crosses what does not touch it", "[carry]") {
  for (const char* machine : kMachines) {
    INFO(machine);
    // 2^32 - 16 + thread carries from thread 16 on; the guard leaves the flag of odd threads as it was (none).
    auto got = run(machine, 32,
                   "add.u32 %r2, %r0, 0xfffffff0; and.b32 %r3, %r0, 1; setp.eq.u32 %p1, %r3, 0;\n"
                   "add.cc.u32 %r4, 0, 0; @%p1 add.cc.u32 %r4, %r2, 0; @!%p1 sub.cc.u32 %r4, %r0, 16;\n"
                   "mul.lo.u32 %r5, %r0, 3; addc.u32 %r1, %r5, 0;");
    // Even threads: 0xfffffff0 + i + 0 never carries. Odd ones: i - 16 borrows below 16, which leaves no carry.
    for (uint32_t i = 0; i < 32; ++i) CHECK(got[i] == 3 * i + (i % 2 == 1 && i >= 16 ? 1 : 0));
    got = run(machine, 32, "add.cc.u32 %r2, %r0, 0xfffffff0; addc.cc.u32 %r3, 0xffffffff, 0; addc.u32 %r1, 0, 0;");
    for (uint32_t i = 0; i < 32; ++i) CHECK(got[i] == (i < 16 ? 0 : 1));
  }
}

TEST_CASE("isspacep knows the windows of generic addresses", "[memory]") {
  for (const char* machine : kMachines) {
    INFO(machine);
    std::string ask;
    for (const char* space : {"global", "shared", "local", "const"})
      ask += fmt::format("isspacep.{} %p1, %rd2; shl.b32 %r1, %r1, 1; @%p1 add.u32 %r1, %r1, 1;\n", space);
    CHECK(run(machine, 1, "ld.param.u64 %rd1, [out]; cvta.to.global.u64 %rd2, %rd1;\n" + ask)[0] == 8);
    CHECK(run(machine, 1, "mov.u64 %rd1, words; cvta.shared.u64 %rd2, %rd1;\n" + ask)[0] == 4);
    CHECK(run(machine, 1, "mov.u64 %rd1, own; cvta.local.u64 %rd2, %rd1; add.u64 %rd2, %rd2, 12;\n" + ask)[0] == 2);
  }
}

TEST_CASE("cvt.pack reads and writes the low half of wider registers", "[wide]") {
  for (const char* machine : kMachines) {
    INFO(machine);
    std::vector<uint32_t> got = run(machine, 64,
                                    "mov.b64 %rd1, {%r0, 5};\n"
                                    "cvt.pack.sat.u8.s32.b32 %rd1, %rd1, 300, %rd1;\n"
                                    "mov.b64 {%r1, %r2}, %rd1; add.u32 %r1, %r1, %r2;",  // the upper half is zero
                                    ".version 6.5\n.target sm_75");
    for (uint32_t thread = 0; thread < 64; ++thread) CHECK(got[thread] == (thread << 16 | thread << 8 | 255));
  }
}

TEST_CASE("instructions that do nothing leave all as it is, and a cache policy is zero", "[hints]") {
  for (const char* machine : kMachines) {
    INFO(machine);
    std::vector<uint32_t> got = run(machine, 32,
                                    "ld.param.u64 %rd1, [out]; mov.u32 %r2, 7; mov.u64 %rd2, 1;\n"
                                    "st.mmio.relaxed.sys.global.u32 [%rd1], %r2;\n"
                                    "nanosleep.u32 %r2; pmevent 3; pmevent.mask 5; griddepcontrol.wait;\n"
                                    "fence.proxy.alias; applypriority.global.L2::evict_normal [%rd1], 128;\n"
                                    "discard.global.L2 [%rd1], 128; griddepcontrol.launch_dependents;\n"
                                    "createpolicy.range.global.L2::evict_last.b64 %rd2, [%rd1], 128, %r2;\n"
                                    "ld.global.L2::cache_hint.u32 %r1, [%rd1], %rd2;\n"
                                    "cvt.u32.u64 %r3, %rd2; add.u32 %r1, %r1, %r3;",
                                    ".version 9.0\n.target sm_90");
    for (uint32_t value : got) CHECK(value == 7);
  }
}

}  // namespace warptime
