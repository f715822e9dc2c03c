// Calls, returns and indexed branches in cycles. Each holds the port for 2 cycles, and the warp's next instruction may
// issue 8 cycles after it. What is passed moves like a register (22 cycles); a call waits for its arguments, a return
// for its results.
#include <catch2/catch.hpp>

#include "timing/sm_bench.h"

using namespace warptime;
using namespace warptime::sim;

TEST_CASE("a call and a return cost the branch latency each", "[timing]") {
  SmBench bench(small_machine(), R"(call f;
add.s32 %r1, %r0, 1;
ret;
} .func f () { .reg .b32 a, b;
add.s32 a, b, 1;
ret;
)",
                {.declarations = ".func f (); ", .keep = false});
  // The return needs only the port, which the addition at 72 holds until 74.
  CHECK(bench.issues(1) == std::vector<Cycle>{64});
  CHECK(bench.issued_by(5, 64 + 8 - 1) == 0);
  CHECK(bench.issued_by(5, 64 + 8) == 1);
  CHECK(bench.issues(6) == std::vector<Cycle>{74});
  CHECK(bench.issued_by(2, 74 + 8 - 1) == 0);
  CHECK(bench.issued_by(2, 74 + 8) == 1);
  CHECK(bench.stalled(5, Stall::InstructionFetch) == 72 - 66);
  CHECK(bench.issued_cycles(1) == 2);
}

TEST_CASE("a call waits for its arguments, a return for its results", "[timing]") {
  SmBench bench(small_machine(), R"(add.s32 %r1, %r0, 1;
call (%r2), g, (%r1);
add.s32 %r3, %r2, 1;
ret;
} .func (.reg .b32 r) g (.reg .b32 a) {
add.s32 r, a, 1;
ret;
)",
                {.declarations = ".func (.reg .b32 r) g (.reg .b32 a); ", .keep = false});
  CHECK(bench.issued_by(2, 64 + 22 - 1) == 0);
  CHECK(bench.issues(2) == std::vector<Cycle>{86});
  CHECK(bench.issues(6) == std::vector<Cycle>{94});  // its operand was there when the call issued
  CHECK(bench.issued_by(7, 94 + 22 - 1) == 0);
  CHECK(bench.issues(7) == std::vector<Cycle>{116});
  CHECK(bench.issues(3) == std::vector<Cycle>{124});
}

TEST_CASE("ld.param and st.param of what is passed are moves between registers", "[timing]") {
  SmBench bench(small_machine(), R"(.param .b32 p; .param .b32 q; st.param.b32 [p], %r0;
call (q), h, (p);
ld.param.b32 %r1, [q];
add.s32 %r2, %r1, 1;
ret;
} .func (.param .b32 r) h (.param .b32 a) { .reg .b32 x;
ld.param.b32 x, [a];
st.param.b32 [r], x;
ret;
)",
                {.declarations = ".func (.param .b32 r) h (.param .b32 a); ", .keep = false});
  CHECK(bench.issues(1) == std::vector<Cycle>{64});
  CHECK(bench.issues(2) == std::vector<Cycle>{64 + 22});
  CHECK(bench.issues(7) == std::vector<Cycle>{86 + 8});
  CHECK(bench.issues(8) == std::vector<Cycle>{94 + 22});
  CHECK(bench.issues(9) == std::vector<Cycle>{116 + 22});
  CHECK(bench.issues(3) == std::vector<Cycle>{138 + 8});
  CHECK(bench.issues(4) == std::vector<Cycle>{146 + 22});
  CHECK(bench.counters().pipes().sp == 5 * 4);  // with the addition
}

TEST_CASE("a call waits for a load that is an argument", "[timing]") {
  SmBench bench(small_machine(), R"(ld.shared.b32 %r1, [sh];
call g, (%r1);
ret;
} .func g (.reg .b32 a) {
ret;
)",
                {.declarations = ".func g (.reg .b32 a); ", .keep = false});
  CHECK(bench.issued_by(2, 64 + 26 - 1) == 0);
  CHECK(bench.issued_by(2, 64 + 26) == 1);
}

TEST_CASE("an indexed branch runs one side for each label, then all lanes", "[timing]") {
  SmBench bench(small_machine(), R"(mov.u32 %r1, %tid.x;
and.b32 %r2, %r1, 3;
list: .branchtargets A, B, C, A;
brx.idx %r2, list;
A: add.s32 %r3, %r0, 1;
bra J;
B: add.s32 %r4, %r0, 2;
bra J;
C: add.s32 %r5, %r0, 3;
J: add.s32 %r6, %r0, 1;
)");
  CHECK(bench.issues(4) == std::vector<Cycle>{108});
  CHECK(bench.issued_by(5, 108 + 8 - 1) == 0);
  CHECK(bench.issues(5) == std::vector<Cycle>{116});
  CHECK(bench.issues(7) == std::vector<Cycle>{118 + 8});  // the jump of A needs only the port
  CHECK(bench.issues(9) == std::vector<Cycle>{128 + 8});
  CHECK(bench.issues(10) == std::vector<Cycle>{136 + 4});  // once; C falls into it, the SPs are busy for 4 cycles
  CHECK(bench.counters().active_lanes_histogram[16] == 2);
  CHECK(bench.counters().active_lanes_histogram[8] == 3);
  CHECK(bench.counters().divergence.branches == 1);
  CHECK(bench.counters().divergence.divergent_branches == 1);
}
