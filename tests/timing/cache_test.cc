// The caches of a TPC, as instructions meet them: instruction lines, constants, and an L1 for global loads. Clocks are
// 1 : 1 : 1 here and DRAM is not refreshed, so that a line's way can be counted by hand.
#include <catch2/catch.hpp>

#include "timing/sm_bench.h"

using namespace warptime;
using namespace warptime::sim;

namespace {

// A line of 64 bytes from a closed row, from the request on: 1 cycle in the TPC's port (8 bytes of header), 80 on the
// way, 1 in the partition's port, 14 (tRCD), 2 (tCCD: two columns), 11 (tCL), 2 (burst), 20 in the partition, 3 in its
// port (8 + 64 bytes, 32 per cycle), 80 back, 3 in the TPC's port.
constexpr Cycle kMiss = 1 + 80 + 1 + 14 + 2 + 11 + 2 + 20 + 3 + 80 + 3;
constexpr Cycle kRowOpen = kMiss - 14;  // the next line of the same row

MachineConfig even_clocks() {
  MachineConfig machine = small_machine();
  machine.clocks.core_mhz = machine.clocks.memory_mhz = machine.clocks.shader_mhz = 1000;
  machine.dram.tREFI = 0;
  machine.memory.interleave_bytes = 65536;  // neighbouring lines lie in one row of one partition
  machine.constant.partition_cache = machine.instruction.partition_cache = CacheConfig{};
  return machine;
}

MachineConfig with_instruction_cache() {
  MachineConfig machine = even_clocks();
  machine.instruction.bytes = 8;
  machine.instruction.sm_cache = {4096, 64, 4, 0};
  return machine;
}

MachineConfig with_constant_cache() {
  MachineConfig machine = even_clocks();
  machine.constant.sm_cache = {128, 64, 1, 0};  // two sets of one line
  machine.constant.load_latency = 30;
  return machine;
}

std::string independent(uint32_t count) {
  std::string body;
  for (uint32_t i = 0; i < count; ++i) body += fmt::format("add.s32 %r{}, %r31, 1;\n", i % 8);
  return body;
}

/// Loads from the constant table at these offsets, each followed by its use: lines 1 and 2, 3 and 4, ...
std::string constant_loads(const std::vector<uint32_t>& offsets) {
  std::string body;
  for (uint32_t offset : offsets) body += fmt::format("ld.const.u32 %r1, [table+{}];\nadd.s32 %r2, %r1, 1;\n", offset);
  return body;
}

}  // namespace

TEST_CASE("the first instruction waits for its line, the line's others do not", "[timing]") {
  SmBench bench(with_instruction_cache(), independent(12));
  starts_at(bench, 1, 64 + kMiss);
  // Eight of 8 bytes per line, 4 cycles each in the SPs; the ninth has the next line fetched when it could issue.
  starts_at(bench, 8, 64 + kMiss + 7 * 4);
  starts_at(bench, 9, 64 + kMiss + 8 * 4 + kRowOpen);
  CHECK(bench.stalled(9, Stall::InstructionFetch) == kRowOpen + 4 - 2);  // the port was held for 2 of the 4
}

TEST_CASE("code that the caches of the TPCs hold when a launch begins takes their latency", "[timing]") {
  MachineConfig machine = with_instruction_cache();
  machine.instruction.tpc_cache = {4096, 64, 4, 20};
  machine.instruction.preloaded = true;
  SmBench bench(machine, independent(12));
  starts_at(bench, 1, 64 + 20);
  starts_at(bench, 8, 64 + 20 + 7 * 4);
  starts_at(bench, 9, 64 + 20 + 8 * 4 + 20);
  CHECK(bench.dram().read_bytes == 0);
}

TEST_CASE("lines behind the one that a warp needs are fetched with it, as far as the kernel goes", "[timing]") {
  const SmBench without(with_instruction_cache(), independent(20));
  MachineConfig machine = with_instruction_cache();
  machine.instruction.prefetch_lines = 2;  // all three
  SmBench bench(machine, independent(20));
  for (uint32_t instruction = 0; instruction < 20; ++instruction)
    starts_at(bench, instruction + 1, 64 + kMiss + instruction * 4);
  CHECK(bench.dram().read_bytes == without.dram().read_bytes);
  CHECK(bench.instruction_cache().accesses == without.instruction_cache().accesses);
  machine.instruction.prefetch_lines = 8;
  const SmBench far(machine, independent(20));
  CHECK(far.dram().read_bytes == without.dram().read_bytes);
  CHECK(far.issues(20) == bench.issues(20));
}

TEST_CASE("a line that is prefetched into the SM comes from the TPC's cache, if it has it", "[timing]") {
  MachineConfig machine = with_instruction_cache();
  machine.instruction.sm_cache = {128, 64, 1, 0};  // two of the loop's three lines
  machine.instruction.tpc_cache = {4096, 64, 4, 20};
  const std::string body = "mov.u32 %r10, 3;\nLOOP: add.s32 %r10, %r10, -1;\n" + independent(17) +
                           "setp.ne.s32 %p1, %r10, 0;\n@%p1 bra LOOP;\n";
  const SmBench without(machine, body);
  machine.instruction.prefetch_lines = 1;
  const SmBench bench(machine, body);
  // The third line of code begins with instruction 17, and has the place of the first one. In the first pass it comes
  // from memory.
  for (size_t pass = 1; pass < 3; ++pass) {
    CHECK(bench.issues(17)[pass] - bench.issues(16)[pass] == 4);
    CHECK(without.issues(17)[pass] - without.issues(16)[pass] > 4);
  }
}

TEST_CASE("warps that want the same line of instructions wait for one fetch", "[timing]") {
  SmBench bench(with_instruction_cache(), independent(4), {.threads = 64});
  CHECK(bench.issues(1) == std::vector<Cycle>{64 + kMiss, 64 + kMiss + 4});
  const SmBench alone(with_instruction_cache(), independent(4), {.threads = 32});
  CHECK(bench.dram().read_bytes == alone.dram().read_bytes);
}

TEST_CASE("a line that the TPC's instruction cache has is there after its latency", "[timing]") {
  MachineConfig machine = with_instruction_cache();
  machine.instruction.sm_cache = {64, 64, 1, 0};  // one line: the loop's other line is always gone
  machine.instruction.tpc_cache = {4096, 64, 4, 20};
  // Line 1 sets the counter; the loop is lines 2 to 12, instructions 1 to 11: two cache lines.
  std::string body = "mov.u32 %r10, 3;\nLOOP: add.s32 %r10, %r10, -1;\n" + independent(7) +
                     "setp.ne.s32 %p1, %r10, 0;\n@%p1 bra LOOP;\n";
  SmBench bench(machine, body);
  const std::vector<Cycle>& ninth = bench.issues(9);  // instruction 8: the first of the second line
  const std::vector<Cycle>& eighth = bench.issues(8);
  REQUIRE(ninth.size() == 3);
  CHECK(ninth[0] == eighth[0] + 4 + kRowOpen);
  CHECK(ninth[1] == eighth[1] + 4 + 20);
  CHECK(ninth[2] == eighth[2] + 4 + 20);
}

TEST_CASE("a constant that misses comes from DRAM, its line's others with it", "[timing]") {
  SmBench bench(with_constant_cache(), constant_loads({0, 60, 64}));
  Cycle first = bench.issues(1).at(0);
  starts_at(bench, 2, first + kMiss + 30);
  CHECK(bench.stalled(2, Stall::ConstantDependency) == kMiss + 30 - 4);
  Cycle second = bench.issues(3).at(0);
  starts_at(bench, 4, second + 30);
  Cycle third = bench.issues(5).at(0);
  starts_at(bench, 6, third + kRowOpen + 30);
}

TEST_CASE("a constant that was replaced comes from the TPC's cache", "[timing]") {
  MachineConfig machine = with_constant_cache();
  machine.constant.tpc_cache = {4096, 64, 4, 60};
  SmBench bench(machine, constant_loads({0, 128, 0}));  // 0 and 128 share a set of one line
  Cycle third = bench.issues(5).at(0);
  starts_at(bench, 6, third + 60 + 30);
}

TEST_CASE("lines reach an SM's constant cache one after another", "[timing]") {
  MachineConfig machine = with_constant_cache();
  machine.constant.sm_cache = {128, 64, 1, 0};
  machine.constant.tpc_cache = {4096, 64, 4, 60};
  machine.constant.cycles_per_address = 1;
  // Lines 1 to 4 put lines 0 to 3 of the table into the TPC's cache; the SM's has the last two of them.
  std::string body = constant_loads({0, 64, 128, 192}) + R"(ld.const.u32 %r3, [table];
ld.const.u32 %r4, [table+64];
add.s32 %r5, %r3, 1;
add.s32 %r6, %r4, 1;
)";
  auto second_after_first = [&](uint32_t fill_cycles) {
    machine.constant.fill_cycles = fill_cycles;
    SmBench bench(machine, body);
    Cycle first = bench.issues(9).at(0), second = bench.issues(10).at(0);
    CHECK(second == first + 1);
    CHECK(bench.issues(11).at(0) == first + 60 + 30);
    return bench.issues(12).at(0) - bench.issues(11).at(0);
  };
  CHECK(second_after_first(0) == 4);
  CHECK(second_after_first(4) == 4);
  CHECK(second_after_first(5) == 5);
  CHECK(second_after_first(20) == 20);
}

TEST_CASE("lines from DRAM reach an SM's constant cache one after another, too", "[timing]") {
  // Two lines that lanes of one instruction read: the second one's fill is what the load waits for.
  const char* body = R"(mov.u32 %r1, %tid.x; and.b32 %r1, %r1, 1; mul.wide.u32 %rd2, %r1, 64;
mov.u64 %rd1, table; add.s64 %rd1, %rd1, %rd2;
ld.const.u32 %r2, [%rd1];
add.s32 %r3, %r2, 1;
)";
  auto wait = [&](uint32_t fill_cycles) {
    MachineConfig machine = with_constant_cache();
    machine.constant.fill_cycles = fill_cycles;
    SmBench bench(machine, body);
    return bench.issues(4).at(0) - bench.issues(3).at(0);
  };
  Cycle at_once = wait(0);
  CHECK(wait(100) >= at_once + 90);
  CHECK(wait(101) == wait(100) + 1);
}

TEST_CASE("scattered constants take a step for each address and wait for the last line", "[timing]") {
  // Lanes 0 to 15 read words 0 to 15, 64 bytes: 16 steps of 4 cycles; the other half-warp the same.
  std::string body = R"(mov.u32 %r1, %tid.x; and.b32 %r1, %r1, 15; shl.b32 %r1, %r1, 2;
mov.u64 %rd1, table; cvt.u64.u32 %rd2, %r1; add.s64 %rd1, %rd1, %rd2;
ld.const.u32 %r2, [%rd1];
add.s32 %r3, %r31, 1;
add.s32 %r4, %r2, 1;
)";
  SmBench bench(with_constant_cache(), body);
  Cycle load = bench.issues(3).at(0);
  starts_at(bench, 4, load + 16 * 4);
  starts_at(bench, 5, load + kMiss + 30 + 15 * 4);
}

TEST_CASE("an L1 answers loads of a line that is there, a store throws it out", "[timing]") {
  MachineConfig machine = even_clocks();
  machine.memory.coalescing = "2.x";
  machine.l1.cache = {4096, 128, 4, 40};
  SmBench bench(machine, R"(ld.param.u64 %rd1, [buf];
ld.global.u32 %r1, [%rd1];
add.s32 %r2, %r1, 1;
ld.global.u32 %r3, [%rd1+64];
add.s32 %r4, %r3, 1;
st.global.u32 [%rd1], %r4;
ld.global.u32 %r5, [%rd1];
add.s32 %r6, %r5, 1;
)");
  // 128 bytes: two more columns and, in each port on the way back, two more cycles.
  constexpr Cycle kLine = kMiss + 2 * 2 + 2 * 2;
  Cycle miss = bench.issues(2).at(0), hit = bench.issues(4).at(0), again = bench.issues(7).at(0);
  starts_at(bench, 3, miss + kLine);
  starts_at(bench, 5, hit + 40);
  CHECK(bench.issues(8).at(0) > again + 200);
}

TEST_CASE("l1.allocate reused: a line is kept when it is missed again, unless the history has lost it", "[timing]") {
  MachineConfig machine = even_clocks();
  machine.memory.coalescing = "2.x";
  machine.l1.cache = {4096, 128, 4, 40};
  machine.l1.allocate = LineAllocation::reused;
  for (const uint32_t history : {1u, 2u}) {
    machine.l1.history = history;
    SmBench bench(machine, R"(ld.param.u64 %rd1, [buf];
ld.global.u32 %r1, [%rd1];
add.s32 %r2, %r1, 1;
ld.global.u32 %r3, [%rd1+128];
add.s32 %r4, %r3, 1;
ld.global.u32 %r5, [%rd1+64];
add.s32 %r6, %r5, 1;
ld.global.u32 %r7, [%rd1];
add.s32 %r8, %r7, 1;
)");
    CHECK(bench.issues(7).at(0) > bench.issues(6).at(0) + 200);
    if (history == 1) CHECK(bench.issues(9).at(0) > bench.issues(8).at(0) + 200);
    else starts_at(bench, 9, bench.issues(8).at(0) + 40);
  }
}

TEST_CASE("loads wait when all lines that the L1 may have on their way are", "[timing]") {
  MachineConfig machine = even_clocks();
  machine.memory.coalescing = "2.x";
  machine.l1.cache = {4096, 128, 4, 40};
  machine.l1.mshrs = 2;
  SmBench bench(machine, R"(ld.param.u64 %rd1, [buf];
ld.global.u32 %r1, [%rd1];
ld.global.u32 %r2, [%rd1+128];
ld.global.u32 %r3, [%rd1+256];
ld.global.u32 %r4, [%rd1];
)");
  Cycle first = bench.issues(2).at(0), fourth = bench.issues(5).at(0);
  constexpr Cycle kLine = kMiss + 2 * 2 + 2 * 2;
  CHECK(bench.issues(3).at(0) == first + 4);  // the memory port's transaction
  CHECK(bench.issues(4).at(0) == first + 8);
  // The third line is asked for when the first is there, which takes the port for 4 cycles.
  CHECK(fourth == first + kLine + 1);
  CHECK(bench.stalled(5, Stall::MemoryQueueFull) > 0);
}
