// What shared, constant and global accesses cost the SM. An instruction that reads shared memory holds the port for 2 +
// 4 x degree cycles, and its result is there 26 cycles after issue and 4 more for each step of a conflict. A global
// access occupies the memory port for 4 cycles a transaction.
#include <catch2/catch.hpp>

#include "timing/sm_bench.h"

using namespace warptime;
using namespace warptime::sim;

namespace {

/// Lines 1-5 put a shared address into %r5 so that `degree` lanes of each half-warp meet in bank 0 with different
/// words; line 6 loads, 7 is independent, 8 depends.
std::string conflict(uint32_t degree) {
  return fmt::format(R"(mov.u32 %r1, %tid.x; and.b32 %r1, %r1, 15;
setp.lt.u32 %p1, %r1, {};
shl.b32 %r2, %r1, 4;
selp.b32 %r3, %r2, %r1, %p1;
shl.b32 %r5, %r3, 2;
ld.shared.u32 %r6, [%r5];
add.s32 %r7, %r0, 1;
add.s32 %r8, %r6, 1;
)",
                     degree);
}

/// Line 1 reads the buffer's address, line 2-4 make %rd3 = buf + (tid * scale + shift) * 4; 5 and 6 load, 7 is
/// independent.
std::string global(int scale, int shift) {
  return fmt::format(R"(ld.param.u64 %rd1, [buf];
mov.u32 %r1, %tid.x;
mad.wide.u32 %rd2, %r1, {}, %rd1;
add.s64 %rd3, %rd2, {};
ld.global.u32 %r2, [%rd3];
add.s32 %r4, %r0, 1;
ld.global.u32 %r3, [%rd3+65536];
)",
                     scale * 4, shift * 4);
}

}  // namespace

TEST_CASE("bank conflicts of degree 1 to 16 cost 2 + 4 x degree", "[timing]") {
  for (uint32_t degree = 1; degree <= 16; ++degree) {
    INFO("degree " << degree);
    SmBench bench(small_machine(), conflict(degree));
    Cycle load = bench.issues(6).at(0);
    CHECK(bench.issued_by(7, load + 2 + 4 * degree - 1) == 0);
    CHECK(bench.issued_by(7, load + 2 + 4 * degree) == 1);
    Cycle result = load + 26 + 4 * (degree - 1);
    // Degree 1: the dependent instruction waits for the result; from 2 + 4d + 4 > 26 + 4(d - 1) on, never: 26 > 10
    // always holds.
    CHECK(bench.issued_by(8, result - 1) == 0);
    CHECK(bench.issued_by(8, result) == 1);
    CHECK(bench.stalled(8, Stall::SharedDependency) == result - (load + 2 + 4 * degree + 2));
    CHECK(bench.counters().shared.conflict_passes == 2 * (degree - 1));
  }
}

TEST_CASE("all lanes reading one word is a broadcast, as cheap as no conflict", "[timing]") {
  SmBench bench(small_machine(), R"(ld.shared.u32 %r6, [sh+64];
add.s32 %r7, %r0, 1;
)");
  CHECK(bench.issued_by(2, 64 + 5) == 0);
  CHECK(bench.issued_by(2, 64 + 6) == 1);
}

TEST_CASE("a load that no lane executes accesses nothing", "[timing]") {
  MachineConfig machine = small_machine();
  machine.constant.sm_cache = {1024, 64, 4, 0};
  SmBench bench(machine, R"(ld.param.u64 %rd1, [buf];
setp.ne.u32 %p1, %r0, %r0;
ld.global.u32 %r1, [%rd1];
@%p1 ld.shared.u32 %r2, [sh];
add.s32 %r3, %r2, 1;
)");
  // The global load's transactions do not concern the other load, which holds the SPs for 4 cycles.
  Cycle load = bench.issues(4).at(0);
  CHECK(load == bench.issues(3).at(0) + 2);
  CHECK(bench.issued_by(5, load + 3) == 0);
  CHECK(bench.issued_by(5, load + 4) == 1);
  CHECK(bench.stalled(5, Stall::ConstantDependency) == 0);
}

TEST_CASE("a store to shared memory costs 4 x degree", "[timing]") {
  SmBench bench(small_machine(), R"(st.shared.u32 [sh+64], %r0;
add.s32 %r7, %r0, 1;
)");
  CHECK(bench.issued_by(2, 64 + 3) == 0);
  CHECK(bench.issued_by(2, 64 + 4) == 1);
}

TEST_CASE("the memory port is busy for 4 cycles a transaction, and only that port", "[timing]") {
  struct Case {
    const char* what;
    int scale, shift;
    uint32_t transactions;
  };
  // Two half-warps. Coalesced: one 64-byte transaction each. Otherwise the strict rule sends one for each of the 32
  // lanes.
  for (const Case& c :
       {Case{"coalesced", 1, 0, 2}, Case{"shifted by a word", 1, 1, 32}, Case{"every other word", 2, 0, 32},
        Case{"one word for all", 0, 0, 32}, Case{"one word for all, elsewhere", 0, 5, 32}}) {
    INFO(c.what);
    SmBench bench(small_machine(), global(c.scale, c.shift));
    Cycle load = bench.issues(5).at(0);
    CHECK(bench.issued_by(6, load + 1) == 0);
    CHECK(bench.issued_by(6, load + 2) == 1);  // the SPs are free
    Cycle next = load + 4 * c.transactions;
    CHECK(bench.issued_by(7, next - 1) == 0);
    CHECK(bench.issued_by(7, next) == 1);
    CHECK(bench.stalled(7, Stall::MemoryPortBusy) == next - (load + 4));
    CHECK(bench.counters().global.transactions == 2 * c.transactions);
    CHECK(bench.counters().global.coalesced == (c.transactions == 2 ? 4u : 0u));
  }
}

TEST_CASE("a load that no one waits for does not hold up later instructions, its user waits", "[timing]") {
  SmBench bench(small_machine(), R"(ld.param.u64 %rd1, [buf];
ld.global.u32 %r1, [%rd1];
add.s32 %r2, %r0, 1;
add.s32 %r3, %r1, 1;
)");
  Cycle load = bench.issues(2).at(0);
  CHECK(bench.issues(3).at(0) == load + 2);
  Cycle use = bench.issues(4).at(0);
  CHECK(use > load + 160);  // there and back over the interconnect
  CHECK(bench.stalled(4, Stall::GlobalDependency) == use - (load + 4));
}

TEST_CASE("with one place in the table of outstanding loads the second load waits for the first answer", "[timing]") {
  MachineConfig machine = small_machine();
  const char* body = R"(ld.param.u64 %rd1, [buf];
ld.global.u32 %r1, [%rd1];
ld.global.u32 %r2, [%rd1+4096];
add.s32 %r3, %r1, 1;
)";
  SmBench many(machine, body);
  // Both lanes' words of a half-warp are one word: 32 transactions of 4 cycles.
  CHECK(many.issues(3).at(0) == many.issues(2).at(0) + 128);
  machine.memory.max_outstanding_loads = 1;
  SmBench one(machine, body);
  Cycle answer = one.issues(3).at(0);
  CHECK(answer > one.issues(2).at(0) + 160);
  CHECK(one.issues(4).at(0) == answer + 2);
  CHECK(one.stalled(3, Stall::MemoryQueueFull) == answer - (one.issues(2).at(0) + 2));
}

TEST_CASE("a fence holds the warp until its stores are acknowledged", "[timing]") {
  SmBench bench(small_machine(), R"(ld.param.u64 %rd1, [buf];
st.global.u32 [%rd1], %r0;
membar.gl;
add.s32 %r1, %r0, 1;
)");
  Cycle fence = bench.issues(3).at(0);
  Cycle after = bench.issues(4).at(0);
  CHECK(after > bench.issues(2).at(0) + 160);
  CHECK(bench.stalled(4, Stall::Fence) == after - (fence + 2));
  SmBench none(small_machine(), R"(membar.gl;
add.s32 %r1, %r0, 1;
)");
  CHECK(none.issues(2).at(0) == 66);
}

TEST_CASE("data for each lane: a load waits for the port as long as its lanes' bytes take", "[timing]") {
  MachineConfig machine = small_machine();
  machine.clocks.shader_mhz = 1200;  // two shader cycles per core cycle
  machine.clocks.core_mhz = machine.clocks.memory_mhz = 600;
  machine.memory.coalescing = "1.2";
  struct Case {
    const char* what;
    const char* load;
    int scale, lanes;
    Cycle later;  // shader cycles
  };
  // Off, a half-warp's 32 bytes and 8 of header take 2 core cycles of the port, and those of the second half-warp come
  // 2 behind.
  for (const Case& c : {Case{"one point", "ld.global.v4.u32 {%r4,%r5,%r6,%r7}, [%rd3]", 0, 32, 28},  // 9 for each half
                        Case{"of a half-warp", "ld.global.v4.u32 {%r4,%r5,%r6,%r7}, [%rd3]", 0, 16, 14},
                        Case{"of 3 lanes", "ld.global.v4.u32 {%r4,%r5,%r6,%r7}, [%rd3]", 0, 3, 0},  // 56 bytes: 2
                        Case{"of 4 lanes", "ld.global.v4.u32 {%r4,%r5,%r6,%r7}, [%rd3]", 0, 4, 2},  // 72 bytes: 3
                        Case{"one word", "ld.global.u32 %r4, [%rd3]", 0, 32, 4},                    // 3 for each half
                        Case{"one byte", "ld.global.u8 %r4, [%rd3]", 0, 32, 0},
                        Case{"a word each", "ld.global.u32 %r4, [%rd3]", 4, 32, 0},
                        Case{"a point each", "ld.global.v4.u32 {%r4,%r5,%r6,%r7}, [%rd3]", 16, 32, 0},
                        Case{"words apart", "ld.global.u32 %r4, [%rd3]", 256, 32, 0},
                        Case{"local vectors", "ld.local.v4.u32 {%r4,%r5,%r6,%r7}, [own]", 0, 32, 0}}) {
    INFO(c.what);
    const std::string body = fmt::format(R"(.local .align 16 .b8 own[16]; ld.param.u64 %rd1, [buf];
mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, {};
mul.wide.u32 %rd2, %r1, {}; add.s64 %rd3, %rd1, %rd2;
@%p1 {};
add.s32 %r8, %r4, 1;
)",
                                         c.lanes, c.scale, c.load);
    machine.interconnect.data_per_lane = false;
    const Cycle off = SmBench(machine, body).issues(5).at(0);
    machine.interconnect.data_per_lane = true;
    issues_at(SmBench(machine, body), 5, off + c.later);
  }
}

TEST_CASE("data for each lane: stores and loads through an L1 take what they always take", "[timing]") {
  const char* body = R"(ld.param.u64 %rd1, [buf];
ld.global.v4.u32 {%r4,%r5,%r6,%r7}, [%rd1];
add.s32 %r8, %r4, 1;
st.global.v4.u32 [%rd1], {%r4,%r5,%r6,%r7};
membar.gl;
add.s32 %r9, %r8, 1;
)";
  MachineConfig machine = small_machine();
  machine.clocks.shader_mhz = 1200;  // no other phase of the core clock behind a later load
  machine.clocks.core_mhz = machine.clocks.memory_mhz = 600;
  machine.memory.coalescing = "2.x";
  auto cycles = [&](bool per_lane, bool has_l1) {
    machine.interconnect.data_per_lane = per_lane;
    machine.l1.cache = has_l1 ? CacheConfig{16384, 128, 4, 40} : CacheConfig{};
    SmBench bench(machine, body);
    const Cycle loaded = bench.issues(3).at(0);
    return std::pair(loaded - bench.issues(2).at(0), bench.issues(6).at(0) - bench.issues(4).at(0));
  };
  CHECK(cycles(true, true) == cycles(false, true));
  CHECK(cycles(true, false).first > cycles(false, false).first);
  CHECK(cycles(true, false).second == cycles(false, false).second);
}

TEST_CASE("compute capability 2.x: a vector of 16 bytes is four requests in global memory", "[timing]") {
  MachineConfig machine = small_machine();
  machine.memory.coalescing = "2.x";
  machine.l1.cache = {16384, 128, 4, 40};
  // Line 4 is a vector of each lane, line 5 needs only the scheduler, line 6 the port.
  auto port = [&](uint32_t scale) {
    SmBench bench(machine, fmt::format(R"(ld.param.u64 %rd1, [buf];
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd2, %r1, {}; add.s64 %rd3, %rd1, %rd2;
ld.global.v4.u32 {{%r4,%r5,%r6,%r7}}, [%rd3];
add.s32 %r8, %r31, 1;
ld.global.u32 %r9, [%rd1];
)",
                                       scale));
    Cycle load = bench.issues(4).at(0);
    CHECK(bench.issues(5).at(0) == load + 2);
    return bench.issues(6).at(0) - load;
  };
  CHECK(port(16) == 4 * 4);  // 512 bytes: a line for each quarter-warp
  CHECK(port(0) == 4 * 4);   // one place for all: still a line for each
  CHECK(port(32) == 8 * 4);
}
