// The L1 data cache of later machines, as instructions meet it: sectors, stores that it keeps, local memory that it
// writes back. Clocks are 1 : 1 : 1 and DRAM is not refreshed.
#include <catch2/catch.hpp>

#include "timing/sm_bench.h"

using namespace warptime;
using namespace warptime::sim;

namespace {

constexpr Cycle kL1Hit = 40;
// 32 bytes from a closed row, counted as in cache_test.cc: one column access, 2 cycles in each port on the way back.
constexpr Cycle kL1Sector = 1 + 80 + 1 + 14 + 11 + 2 + 20 + 2 + 80 + 2;
// 128 bytes take three column accesses more, and three cycles more in both ports.
constexpr Cycle kL1Line = kL1Sector + 3 * 2 + 3 + 3;

MachineConfig later_l1(uint32_t bytes = 4096, uint32_t ways = 4) {
  MachineConfig machine = small_machine();
  machine.clocks.core_mhz = machine.clocks.memory_mhz = machine.clocks.shader_mhz = 1000;
  machine.dram.tREFI = 0;
  machine.memory.interleave_bytes = 65536;
  machine.memory.coalescing = "2.x";
  machine.l1.cache = {bytes, 128, ways, kL1Hit};
  return machine;
}

/// One thread's loads and stores of words at offsets of a buffer; each load is followed by its use.
std::string l1_loads(const std::vector<uint32_t>& offsets, bool stores_first = false) {
  std::string body = "ld.param.u64 %rd1, [buf];\n";
  if (stores_first) body += "st.global.v4.u32 [%rd1], {%r1, %r1, %r1, %r1};\n";
  for (uint32_t offset : offsets) body += fmt::format("ld.global.u32 %r2, [%rd1+{}];\nadd.s32 %r3, %r2, 1;\n", offset);
  return body;
}
/// Cycles from a load of `l1_loads` to its use.
Cycle until_use(const SmBench& bench, uint32_t line) { return bench.issues(line + 1).at(0) - bench.issues(line).at(0); }

}  // namespace

TEST_CASE("l1.sector_bytes: a miss fetches the sectors that it needs", "[timing]") {
  MachineConfig machine = later_l1();
  machine.l1.sector_bytes = 32;
  SmBench bench(machine, l1_loads({0, 4, 64, 68, 32}));
  CHECK(until_use(bench, 2) == kL1Sector);
  CHECK(until_use(bench, 4) == kL1Hit);
  CHECK(until_use(bench, 6) == kL1Sector - 14);  // the line is there, this sector is not; the row is open
  CHECK(until_use(bench, 8) == kL1Hit);
  CHECK(until_use(bench, 10) == kL1Sector - 14);
  CHECK(bench.l1_cache() ==
        DataCacheStats{
            .accesses = 5, .hits = 2, .misses = 3, .sector_misses = 2, .read_bytes = 5 * 32, .fetched_bytes = 3 * 32});
  machine.l1.sector_bytes = 128;
  SmBench whole(machine, l1_loads({0, 64}));
  CHECK(until_use(whole, 2) == kL1Line);
  CHECK(until_use(whole, 4) == kL1Hit);
  machine.l1.sector_bytes = 64;
  SmBench half(machine, l1_loads({0, 32, 64}));
  CHECK(until_use(half, 2) == kL1Sector + 2 + 1 + 1);
  CHECK(until_use(half, 4) == kL1Hit);
  CHECK(until_use(half, 6) == kL1Sector + 2 + 1 + 1 - 14);
}

TEST_CASE("loads of sectors on their way wait for them, loads of others are sent", "[timing]") {
  MachineConfig machine = later_l1();
  machine.l1.sector_bytes = 32;
  SmBench bench(machine, R"(ld.param.u64 %rd1, [buf];
ld.global.u32 %r1, [%rd1];
ld.global.u32 %r2, [%rd1+8];
ld.global.u32 %r3, [%rd1+64];
add.s32 %r4, %r1, %r2;
)");
  CHECK(bench.l1_cache().mshr_merges == 1);
  CHECK(bench.l1_cache().fetched_bytes == 64);
}

TEST_CASE("l1.stored_lines: a store evicts its line, or keeps it, or allocates it", "[timing]") {
  // Eight lanes store 32 bytes whole.
  const std::string body = R"(ld.param.u64 %rd1, [buf];
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd2, %r1, 4;
add.s64 %rd3, %rd1, %rd2;
ld.global.u32 %r2, [%rd3+128];
add.s32 %r3, %r2, 1;
st.global.u32 [%rd3+128], %r3;
ld.global.u32 %r4, [%rd3+128];
add.s32 %r5, %r4, 1;
st.global.u32 [%rd3+512], %r5;
ld.global.u32 %r6, [%rd3+512];
add.s32 %r7, %r6, 1;
)";
  MachineConfig machine = later_l1();
  machine.l1.sector_bytes = 32;
  for (const StoredLines stored : {StoredLines::evict, StoredLines::keep, StoredLines::allocate}) {
    CAPTURE(static_cast<int>(stored));
    machine.l1.stored_lines = stored;
    SmBench bench(machine, body, {.threads = 8});
    if (stored == StoredLines::evict) CHECK(until_use(bench, 8) > kL1Sector - 15);
    else CHECK(until_use(bench, 8) == kL1Hit);
    if (stored == StoredLines::allocate) CHECK(until_use(bench, 11) == kL1Hit);
    else CHECK(until_use(bench, 11) > kL1Sector - 15);
    CHECK(bench.dram().write_bytes == 64);  // all of them go on
  }
}

TEST_CASE("a sector that is stored in part is not valid, unless it was", "[timing]") {
  const std::string body = R"(ld.param.u64 %rd1, [buf];
mov.u32 %r1, 5;
st.global.u32 [%rd1+4], %r1;
ld.global.u32 %r2, [%rd1+4];
add.s32 %r3, %r2, 1;
st.global.u32 [%rd1+8], %r3;
ld.global.u32 %r4, [%rd1+8];
add.s32 %r5, %r4, 1;
)";
  MachineConfig machine = later_l1();
  machine.l1.sector_bytes = 32;
  machine.l1.stored_lines = StoredLines::allocate;
  SmBench bench(machine, body);
  CHECK(until_use(bench, 4) > kL1Sector - 15);
  CHECK(until_use(bench, 7) == kL1Hit);
}

TEST_CASE("l1.reserve: a miss takes the place of a line at once, or when its data arrive", "[timing]") {
  const std::string body = R"(ld.param.u64 %rd1, [buf];
ld.global.u32 %r1, [%rd1];
add.s32 %r2, %r1, 1;
ld.global.u32 %r3, [%rd1+128];
ld.global.u32 %r4, [%rd1];
add.s32 %r5, %r4, 1;
)";
  MachineConfig machine = later_l1(128, 1);  // one line
  CHECK(until_use(SmBench(machine, body), 5) == kL1Hit);
  machine.l1.reserve = LineReserved::miss;
  CHECK(until_use(SmBench(machine, body), 5) > 200);
}

TEST_CASE("a store to local memory stays in the L1 and goes to DRAM with its line", "[timing]") {
  // A warp's word 0 is the first line of local memory, word 1 the second.
  const std::string body = R"(.local .align 4 .b8 kept[256];
mov.u32 %r1, 5;
st.local.u32 [kept], %r1;
ld.local.u32 %r2, [kept];
add.s32 %r3, %r2, 1;
ld.local.u32 %r4, [kept+4];
add.s32 %r5, %r4, 1;
ld.local.u32 %r6, [kept];
add.s32 %r7, %r6, 1;
)";
  MachineConfig machine = later_l1(128, 1);  // one line
  machine.l1.local_stores = WritePolicy::write_back;
  SmBench bench(machine, body);
  CHECK(until_use(bench, 4) == kL1Hit);
  CHECK(until_use(bench, 6) == kL1Line);
  // What the second line replaced leaves 2 cycles before the third load: 136 bytes in two ports, 4 column accesses, and
  // then tWL + burst + tWTR until a read, whose request would have taken a cycle in each port.
  constexpr Cycle kBehindWrite = 5 + 80 + 5 + 3 * 2 + (7 + 2 + 6) - (2 + 1 + 80 + 1);
  CHECK(until_use(bench, 8) == kL1Line - 14 + kBehindWrite);
  CHECK(bench.l1_cache() == DataCacheStats{.accesses = 3,
                                           .hits = 1,
                                           .misses = 2,
                                           .evictions = 2,
                                           .write_backs = 1,
                                           .read_bytes = 3 * 128,
                                           .write_bytes = 128,
                                           .fetched_bytes = 2 * 128,
                                           .written_back_bytes = 128});
  CHECK(bench.dram().read_bytes == 256);
  CHECK(bench.dram().write_bytes == 128);
  machine.l1.local_stores = WritePolicy::write_through;
  SmBench through(machine, body);
  CHECK(until_use(through, 4) > kL1Line - 15);  // the store has evicted the line
  CHECK(through.dram().write_bytes == 128);
  CHECK(through.dram().read_bytes == 3 * 128);
}

TEST_CASE("memory.request_bytes: the segments of a line that a store writes are one transaction", "[timing]") {
  const std::string body = R"(ld.param.u64 %rd1, [buf];
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd2, %r1, 4;
add.s64 %rd3, %rd1, %rd2;
st.global.u32 [%rd3], %r1;
st.global.u32 [%rd3+128], %r1;
ld.volatile.global.u32 %r2, [%rd3+256];
add.s32 %r3, %r2, 1;
)";
  MachineConfig machine = later_l1();
  SmBench parts(machine, body);
  CHECK(parts.issues(6).at(0) - parts.issues(5).at(0) == 4 * 4);  // memory.request_cycles each
  machine.memory.request_bytes = 128;
  SmBench whole(machine, body);
  CHECK(whole.issues(6).at(0) - whole.issues(5).at(0) == 4);
  CHECK(whole.counters().global.transactions == 3);
  CHECK(parts.counters().global.transactions == 12);
  for (const SmBench* bench : {&parts, &whole}) {
    CHECK(bench->dram().write_bytes == 256);
    CHECK(bench->dram().read_bytes == 128);
  }
}
