// Barriers, divergence and residency in cycles. A branch holds the port for 2 cycles and the warp's next instruction
// may issue 8 cycles after it; a barrier holds the port for 4, and the warps go on 20 cycles after the last has
// arrived.
#include <catch2/catch.hpp>

#include "timing/sm_bench.h"

using namespace warptime;
using namespace warptime::sim;

TEST_CASE("warps leave a barrier 20 cycles after the last one's arrival", "[timing]") {
  SmBench bench(small_machine(), R"(bar.sync 0;
add.s32 %r1, %r0, 1;
)",
                {.threads = 64});
  // Warp 0 arrives at 64, warp 1 at 68 and holds the port until 72; both may go on at 92, one after the other.
  CHECK(bench.issues(1) == std::vector<Cycle>{64, 68});
  CHECK(bench.issued_by(2, 91) == 0);
  CHECK(bench.issues(2) == std::vector<Cycle>{92, 96});
  CHECK(bench.stalled(2, Stall::Barrier) == 92 - 72);
}

TEST_CASE("a barrier does not wait for warps that have exited", "[timing]") {
  SmBench bench(small_machine(), R"(mov.u32 %r1, %tid.x;
setp.lt.u32 %p1, %r1, 32;
@%p1 exit;
bar.sync 0;
add.s32 %r1, %r0, 1;
)",
                {.threads = 64});
  // mov at 64, 68; setp at 86, 90; exit at 108 (warp 0) and 112 (warp 1, guard false, port until 114); barrier at 114,
  // alone.
  CHECK(bench.issues(3) == std::vector<Cycle>{108, 112});
  CHECK(bench.issues(4) == std::vector<Cycle>{114});
  CHECK(bench.issued_by(5, 114 + 4 + 20 - 1) == 0);
  CHECK(bench.issued_by(5, 114 + 4 + 20) == 1);
}

TEST_CASE("if/else: both sides one after the other, then all lanes together", "[timing]") {
  SmBench bench(small_machine(), R"(mov.u32 %r1, %tid.x;
setp.lt.u32 %p1, %r1, 16;
@%p1 bra THEN;
add.s32 %r2, %r0, 1;
bra JOIN;
THEN: add.s32 %r3, %r0, 1;
JOIN: add.s32 %r4, %r0, 1;
)");
  // 64, 86 and 108 are the chain. The taken side comes first, 8 cycles after the branch.
  CHECK(bench.issues(3) == std::vector<Cycle>{108});
  CHECK(bench.issues(6) == std::vector<Cycle>{116});
  CHECK(bench.issues(4) == std::vector<Cycle>{120});        // SPs busy from 116 to 120
  CHECK(bench.issues(5) == std::vector<Cycle>{122});        // a branch needs only the port
  CHECK(bench.issues(7) == std::vector<Cycle>{130});        // once, 8 cycles after it
  CHECK(bench.counters().active_lanes_histogram[16] == 3);  // lines 4, 5 and 6; all lanes come to the branch
  CHECK(bench.counters().divergence.branches == 1);
  CHECK(bench.counters().divergence.divergent_branches == 1);
}

TEST_CASE("nested divergence runs four paths of eight lanes", "[timing]") {
  SmBench bench(small_machine(), R"(mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 1; and.b32 %r3, %r1, 2;
setp.eq.u32 %p1, %r2, 0; setp.eq.u32 %p2, %r3, 0;
@%p1 bra A;
@%p2 bra B;
add.s32 %r4, %r0, 1;
bra C;
B: add.s32 %r4, %r0, 2;
C: bra E;
A: @%p2 bra D;
add.s32 %r4, %r0, 3;
bra E;
D: add.s32 %r4, %r0, 4;
E: add.s32 %r5, %r4, 1;
)");
  // Even lanes (A) first: branch of line 3 at t, A's branch at t + 8, D at t + 16. The second side of A is next: the
  // SPs are busy until t + 20, and the write to the same register row (22 cycles) comes later still.
  Cycle t = bench.issues(3).at(0);
  CHECK(bench.issues(9) == std::vector<Cycle>{t + 8});
  CHECK(bench.issues(12) == std::vector<Cycle>{t + 16});
  CHECK(bench.issues(10) == std::vector<Cycle>{t + 16 + 22});
  CHECK(bench.issues(13).size() == 1);
  CHECK(bench.counters().divergence.divergent_branches == 3);
  // Lines 5, 6, 7, 10, 11 and 12; the two inner branches and line 8 have 16.
  CHECK(bench.counters().active_lanes_histogram[8] == 6);
  CHECK(bench.counters().active_lanes_histogram[16] == 3);
}

TEST_CASE("a loop whose lanes leave at different times joins them behind it", "[timing]") {
  SmBench bench(small_machine(), R"(mov.u32 %r1, %tid.x;
and.b32 %r1, %r1, 3;
LOOP: add.s32 %r1, %r1, -1;
setp.ge.s32 %p1, %r1, 0;
@%p1 bra LOOP;
add.s32 %r2, %r0, 1;
)");
  // The chain: 64, 86, then 108, 130, 152 for the first iteration; each further one starts 8 cycles after the branch,
  // and its three instructions are 22 apart: 160, 182, 204; 212, 234, 256; 264, 286, 308. Lanes have 1 to 4 iterations;
  // all meet at 316.
  CHECK(bench.issues(3) == std::vector<Cycle>{108, 160, 212, 264});
  CHECK(bench.issues(5) == std::vector<Cycle>{152, 204, 256, 308});
  CHECK(bench.issues(6) == std::vector<Cycle>{316});
  CHECK(bench.counters().divergence.divergent_branches == 3);
}

TEST_CASE("lanes that exit early leave the others alone", "[timing]") {
  SmBench bench(small_machine(), R"(mov.u32 %r1, %tid.x;
setp.lt.u32 %p1, %r1, 20;
@%p1 exit;
add.s32 %r2, %r0, 1;
)",
                {.keep = false});
  CHECK(bench.issues(3) == std::vector<Cycle>{108});
  CHECK(bench.issues(4) == std::vector<Cycle>{110});
  CHECK(bench.counters().active_lanes_histogram[12] == 2);  // the add and the ret
}

TEST_CASE("all lanes that come to a branch execute it, and lanes that have exited are absent") {
  SmBench bench(small_machine(), R"(mov.u32 %r1, %tid.x;
setp.eq.u32 %p1, %r1, 77;
@%p1 bra END;
setp.lt.u32 %p2, %r1, 20;
@%p2 exit;
END: add.s32 %r2, %r0, 1;
)",
                {.keep = false});
  CHECK(bench.counters().active_lanes_histogram[0] == 0);
  CHECK(bench.counters().active_lanes_histogram[32] == 5);  // the branch that no lane takes, and the exit that 20 take
  CHECK(bench.counters().active_lanes_histogram[12] == 2);  // the add and the ret
  CHECK(bench.counters().divergence.absent_lanes == 2 * 20);
}

TEST_CASE("the next block starts 64 cycles after a place is free, not earlier", "[timing]") {
  MachineConfig machine = small_machine();
  machine.sm.max_blocks = 1;
  SmBench one(machine, "add.s32 %r1, %r0, 1;\n", {.blocks = 2, .keep = false});
  // add at 64; ret needs no pipe: 66; the place is free then.
  CHECK(one.issues(1) == std::vector<Cycle>{64, 66 + 64});
  CHECK(one.counters().slots.back().stalls[static_cast<size_t>(Stall::NoWarp)] == 64 + (130 - 68));
  machine.sm.max_blocks = 2;
  SmBench two(machine, "add.s32 %r1, %r0, 1;\n", {.blocks = 2, .keep = false});
  CHECK(two.issues(1) == std::vector<Cycle>{64, 68});
}
