// SMs of later machines: conflicts and addresses that delay a result more than they occupy, arrivals at barriers one
// after the other, constants of a whole warp, and what an SM sends.
#include <catch2/catch.hpp>

#include "timing/sm_bench.h"

using namespace warptime;
using namespace warptime::sim;

namespace {

/// Shared memory, constants and atomic operations behind the memory port, a cycle for each step; clocks 1 : 1 : 1.
MachineConfig later_machine() {
  MachineConfig machine = small_machine();
  machine.clocks.core_mhz = machine.clocks.memory_mhz = machine.clocks.shader_mhz = 1000;
  machine.features = {"global_atomics", "shared_atomics"};
  machine.sm.shared.pipe = machine.constant.pipe = OnChipPipe::memory;
  machine.sm.shared.cycles_per_degree = machine.sm.shared.atomic_cycles = 1;
  machine.sm.shared.banks = machine.sm.shared.request_lanes = machine.constant.request_lanes = 32;
  machine.sm.shared.broadcast = SharedBroadcast::every_word;
  machine.constant.cycles_per_address = 2;
  machine.constant.load_latency = 30;
  machine.constant.partition_cache = {};
  return machine;
}

/// Line 2 loads at `space` + tid x stride; 3 needs what it loads, 4 loads again.
std::string loads(const char* space, const char* table, uint32_t stride) {
  return fmt::format(
      "mov.u32 %r1, %tid.x; mul.lo.s32 %r1, %r1, {}; mov.u64 %rd1, {}; cvt.u64.u32 %rd2, %r1; add.s64 %rd1, %rd1, "
      "%rd2;\nld.{}.u32 %r2, [%rd1];\nadd.s32 %r3, %r2, 1;\nld.{}.u32 %r4, [%rd1];\n",
      stride, table, space, space);
}

/// Cycles from line 2 to line 3.
Cycle result_of(const MachineConfig& machine, const std::string& body) {
  SmBench bench(machine, body);
  return bench.issues(3).at(0) - bench.issues(2).at(0);
}

MachineConfig with_uniform_cache() {
  MachineConfig machine = later_machine();
  machine.constant.sm_cache = {1024, 64, 4, 0};
  machine.constant.tpc_cache = {4096, 64, 4, 50};
  machine.constant.uniform_cache = {
      .bytes = 128, .line_bytes = 64, .load_latency = 24, .miss_cycles = 65, .fill_cycles = 33};
  machine.latency.int_alu = 4;
  machine.sp.initiation = 1;
  machine.issue.interval = 1;
  return machine;
}

/// Loads from the table at these offsets, each followed by its use: lines 1 and 2, 3 and 4, ...
std::string uniform_loads(const std::vector<uint32_t>& offsets) {
  std::string body;
  for (uint32_t offset : offsets) body += fmt::format("ld.const.u32 %r1, [table+{}];\nadd.s32 %r2, %r1, 1;\n", offset);
  return body;
}

Cycle gap(const SmBench& bench, uint32_t line) { return bench.issues(line + 1).at(0) - bench.issues(line).at(0); }

}  // namespace

TEST_CASE("a step of a bank conflict may delay the result more than it occupies the port", "[timing]") {
  MachineConfig machine = later_machine();
  const std::string body = loads("shared", "sh", 16);  // four words in a bank
  CHECK(result_of(machine, body) == machine.sm.shared.load_latency + 3);
  machine.sm.shared.conflict_latency = 2;
  CHECK(result_of(machine, body) == machine.sm.shared.load_latency + 6);
  machine.sp.initiation = 1;
  machine.latency.int_alu = 1;
  std::string second = body;
  second.replace(second.find("add.s32 %r3, %r2, 1;"), 20, "add.s32 %r3, %r31, 1;");
  SmBench bench(machine, second);
  CHECK(bench.issues(4).at(0) - bench.issues(2).at(0) == 4);  // the port
}

TEST_CASE("a further address of constants may delay the result more than it occupies the port", "[timing]") {
  MachineConfig machine = later_machine();
  const std::string body = loads("const", "table", 4);  // 32 addresses
  CHECK(result_of(machine, body) == 30 + 31 * 2);
  machine.constant.address_latency = 11;
  CHECK(result_of(machine, body) == 30 + 31 * 11);
  CHECK(result_of(machine, loads("const", "table", 0)) == 30);
}

TEST_CASE("misses of a load of constants wait for each other where its addresses delay its result", "[timing]") {
  // Lanes read four lines, which four others have replaced in the SM's cache.
  const std::string body = R"(mov.u32 %r1, %tid.x;
and.b32 %r1, %r1, 3;
shl.b32 %r1, %r1, 6;
mov.u32 %r2, table;
add.u32 %r2, %r2, %r1;
ld.const.u32 %r3, [%r2];
add.u32 %r4, %r3, 1;
ld.const.u32 %r3, [%r2+256];
add.u32 %r4, %r3, 1;
ld.const.u32 %r3, [%r2];
add.u32 %r4, %r3, 1;
)";
  MachineConfig machine = later_machine();
  machine.constant.sm_cache = {256, 64, 4, 0};
  machine.constant.tpc_cache = {4096, 64, 4, 50};
  auto last = [&] { return gap(SmBench(machine, body), 10); };
  CHECK(last() == 30 + 3 * 2 + 50);
  machine.constant.address_latency = 11;
  CHECK(last() == 30 + 3 * 11 + 4 * 50);
}

TEST_CASE("an SM takes arrivals at a barrier one after the other", "[timing]") {
  MachineConfig machine = small_machine();
  machine.issue.ports = 4;
  machine.issue.barrier_cycles = 1;
  machine.issue.barrier_latency = 20;
  auto released = [&](uint32_t warps) {
    SmBench bench(machine, "bar.sync 0;\nadd.s32 %r1, %r31, 1;\n", {.threads = 32 * warps});
    return bench.issues(2).front() - bench.issues(1).front();
  };
  CHECK(released(1) == 21);
  CHECK(released(4) == 21);
  machine.issue.barrier_arrival_cycles = 3;
  CHECK(released(1) == 1 + 3 + 20);
  CHECK(released(4) == 1 + 4 * 3 + 20);
  CHECK(released(8) == 1 + 8 * 3 + 20);
}

TEST_CASE("constants of a whole warp have a cache of few lines in each sub-core", "[timing]") {
  // Lines of the table at 0, 64, 128: the first reads come from DRAM and are not kept, the second ones miss.
  SmBench bench(with_uniform_cache(), uniform_loads({0, 0, 4, 64, 64, 68, 0, 128, 128, 64, 0, 128}));
  CHECK(gap(bench, 1) > 150);
  CHECK(gap(bench, 2) == 1 + 65);   // from the TPC's cache
  CHECK(gap(bench, 3) == 24);       // from the load to its use
  CHECK(gap(bench, 4) == 1);        // the line is there
  CHECK(gap(bench, 8) == 1 + 65);   // 64: the second line
  CHECK(gap(bench, 12) == 1);       // 0
  CHECK(gap(bench, 16) == 1 + 65);  // 128, in the place of 64
  CHECK(gap(bench, 18) == 1 + 65);  // 64, in the place of 0
  CHECK(gap(bench, 20) == 1 + 65);
  CHECK(gap(bench, 22) == 1 + 65);
  CHECK(gap(bench, 23) == 24);
}

TEST_CASE("a line that another warp has asked for may be replaced before it is there", "[timing]") {
  // Two lines in the cache, of 0 and 64 to begin with. Blocks 0 and 1 read the line at 128, 2 that at 192, 3 at 256.
  std::string body;
  for (const char* offset : {"128", "192", "256", "0", "64"})
    for (int twice = 0; twice < 2; ++twice)
      body += fmt::format("ld.const.u32 %r1, [table+{}];\nadd.s32 %r2, %r1, 1;\n", offset);
  body += R"(mov.u32 %r1, %ctaid.x;
max.u32 %r1, %r1, 1;
shl.b32 %r1, %r1, 6;
mov.u32 %r2, table;
add.u32 %r2, %r2, %r1;
$wait: mov.u32 %r3, %clock;
setp.lt.u32 %p1, %r3, 20000;
@%p1 bra $wait;
ld.const.u32 %r4, [%r2+64];
)";
  MachineConfig machine = with_uniform_cache();
  machine.sm.shared.bytes = 4 * SmBench::kSharedBytes;
  SmBench bench(machine, body, {.blocks = 4});
  std::vector<Cycle> reads = bench.issues(29);
  REQUIRE(reads.size() == 4);
  for (size_t i = 3; i > 0; --i) reads[i] -= reads[0];
  CHECK(reads[1] == 33);
  CHECK(reads[2] == 66);
  CHECK(reads[3] == 99);  // of block 1, which asks again
}

TEST_CASE("the cache behind those of uniform constants holds the parameters when a launch begins", "[timing]") {
  MachineConfig machine = with_uniform_cache();
  machine.sm.parameter_space = ParameterSpace::constant;
  const std::string body =
      "add.s32 %r1, %r31, 1;\nld.param.u64 %rd1, [buf];\nadd.s64 %rd2, %rd1, 1;\nld.param.u64 %rd3, [buf];\n";
  SmBench bench(machine, body);
  CHECK(gap(bench, 1) == 1 + 65);
  CHECK(gap(bench, 2) == 24);
  CHECK(gap(bench, 3) == 1);
}

TEST_CASE("a warp whose uniform constant misses issues nothing until the line is there", "[timing]") {
  SmBench bench(with_uniform_cache(), uniform_loads({0, 0}) + R"(ld.const.u32 %r3, [table+64];
add.s32 %r4, %r3, 1;
ld.const.u32 %r5, [table+68];
add.s32 %r6, %r31, 1;
ld.const.u32 %r7, [table+72];
add.s32 %r8, %r31, 1;
)");
  CHECK(gap(bench, 6) == 1 + 65);  // though 8 needs nothing that it loads
  CHECK(gap(bench, 7) == 1);
  CHECK(gap(bench, 8) == 1);  // a hit
}

TEST_CASE("loads by an address of each lane do not use it", "[timing]") {
  MachineConfig machine = with_uniform_cache();
  machine.latency.int_mul = machine.latency.int_mul24 = 4;
  SmBench bench(machine, loads("const", "table", 0) + "add.s32 %r5, %r4, 1;\n");
  CHECK(gap(bench, 4) == 30);  // the SM's cache has the line
}

TEST_CASE("lines reach the uniform caches of an SM one after another", "[timing]") {
  MachineConfig machine = with_uniform_cache();
  machine.issue.ports = 4;
  SmBench bench(machine, uniform_loads({0, 0}), {.threads = 128});  // a warp in each sub-core
  std::vector<Cycle> reads = bench.issues(3);
  for (Cycle& read : reads) read -= bench.issues(2).at(0);
  CHECK(reads == std::vector<Cycle>{66, 66 + 33, 66 + 66, 66 + 99});
}

TEST_CASE("a warp makes one operation of those on a word that all lanes have by construction", "[timing]") {
  MachineConfig machine = later_machine();
  auto occupied = [&](const char* operation, const char* address) {
    const std::string body = fmt::format("mov.u32 %r1, %tid.x; and.b32 %r1, %r1, 0;\n{}\nld.shared.u32 %r5, [sh+64];\n",
                                         fmt::format(fmt::runtime(operation), address));
    SmBench bench(machine, body);
    return bench.issues(3).at(0) - bench.issues(2).at(0);
  };
  for (const bool combines : {false, true}) {
    machine.native.combines_atomics = combines;
    const Cycle one = machine.issue.interval, all = combines ? one : 32;
    CHECK(occupied("red.shared.add.u32 [{}], 1;", "sh") == all);
    CHECK(occupied("red.shared.max.s32 [{}], 1;", "sh") == all);
    CHECK(occupied("atom.shared.add.u32 %r2, [{}], 1;", "sh") == all);
    CHECK(occupied("atom.shared.max.s32 %r2, [{}], 1;", "sh") == 32);  // the old word of each lane
    CHECK(occupied("atom.shared.exch.b32 %r2, [{}], 1;", "sh") == 32);
    CHECK(occupied("red.shared.add.u32 [{}], 1;", "%r1") == 32);  // known only when it runs
    CHECK(occupied("@%p1 red.shared.add.u32 [{}], 1;", "sh") <= 32);
  }
}

TEST_CASE("an SM sends stores at a number of bytes per cycle, masks included", "[timing]") {
  MachineConfig machine = later_machine();
  machine.memory.coalescing = "2.x";
  machine.memory.request_bytes = 128;
  machine.memory.request_cycles = 1;
  machine.interconnect.tpc_width_bytes = machine.interconnect.partition_width_bytes = 512;
  machine.interconnect.header_bytes = 0;
  machine.l2.cache = {65536, 128, 4, 10};
  // Four stores of 128 bytes each, and a fence that waits for them.
  auto fenced = [&](const char* store) {
    std::string body =
        "ld.param.u64 %rd1, [buf]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;\n";
    for (uint32_t i = 0; i < 4; ++i) body += fmt::format("{} [%rd1+{}], %r1;\n", store, 128 * i);
    body += "membar.gl;\nadd.s32 %r3, %r31, 1;\n";
    SmBench bench(machine, body);
    return bench.issues(7).at(0) - bench.issues(2).at(0);
  };
  const Cycle words = fenced("st.global.u32"), bytes = fenced("st.global.u8");
  machine.memory.store_bytes = 32;
  CHECK(fenced("st.global.u32") ==
        words + 4 * 3 - 3 * machine.issue.interval);  // the last begins 12 cycles after the first
  machine.memory.mask_bytes = 8;
  CHECK(fenced("st.global.u32") == words + 4 * 3 - 3 * machine.issue.interval);
  CHECK(fenced("st.global.u8") == bytes + 5 * 3 - 3 * machine.issue.interval);  // 160 bytes each
}
