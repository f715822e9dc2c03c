// Native instructions (`native_cost: g80`): each holds the port for 2 cycles and the SPs for 4; one that reads shared
// memory holds both for 2 + 4 x degree; what is folded or dropped issues together with another and takes no time. Times
// as in issue_test.cc.
#include <catch2/catch.hpp>

#include "timing/sm_bench.h"

using namespace warptime;
using namespace warptime::sim;

namespace {

MachineConfig native_machine() {
  MachineConfig machine = small_machine();
  machine.native_cost = NativeCost::g80;
  return machine;
}

const SmBench::Shape kOneWarp{.keep = false};

// The inner loop of a rolled matrix multiplication: mov s[$a+=], mad s[$a+=], add, set, bra.
constexpr const char* kRolledLoop = R"(again:
ld.shared.f32 %f1, [%r1];
ld.shared.f32 %f2, [%r2];
fma.rn.f32 %f0, %f2, %f1, %f0;
add.s32 %r1, %r1, 4;
add.s32 %r2, %r2, 4;
add.s32 %r3, %r3, 1;
setp.ne.s32 %p1, %r3, 16;
@%p1 bra again;
)";

}  // namespace

TEST_CASE("native: a rolled loop over two shared operands takes 6 + 6 + 4 + 4 and its branch's cycles per warp",
          "[timing]") {
  // 24 warps, once they have parted enough to keep the port busy all the time: a round of all takes 24 times as long.
  // A branch holds the SPs for 4 cycles, and the port for as long as the machine says.
  auto [port, loop] = GENERATE(table<uint32_t, Cycle>({{2, 24}, {4, 24}, {6, 26}, {8, 28}}));
  MachineConfig machine = native_machine();
  machine.issue.loop_branch_cycles = port;
  SmBench bench(machine, kRolledLoop, {.threads = 256, .blocks = 3, .keep = false});
  const std::vector<Cycle>& branches = bench.issues(9);
  REQUIRE(branches.size() == 24 * 16);
  for (size_t i = 11 * 24; i + 24 < branches.size(); ++i) CHECK(branches[i + 24] - branches[i] == 24 * loop);
}

TEST_CASE("native: one warp in that loop, cycle by cycle", "[timing]") {
  SmBench bench(native_machine(), kRolledLoop, kOneWarp);
  auto first = [&](uint32_t line) { return bench.issues(line).front(); };
  CHECK(first(2) == 64);  // mov s[]: the port until 70, its result at 64 + 26
  CHECK(first(3) == 70);  // nothing
  CHECK(first(4) == 90);  // mad s[]: until 96
  CHECK(first(5) == 96);  // post-increments: nothing
  CHECK(first(6) == 96);
  CHECK(first(7) == 96);            // add
  CHECK(first(8) == 96 + 22);       // set
  CHECK(first(9) == 96 + 22 + 22);  // bra
  CHECK(bench.issued_cycles(2) == 16 * 6);
  CHECK(bench.issued_cycles(3) == 0);
  CHECK(bench.issued_cycles(4) == 16 * 6);
  CHECK(bench.issued_cycles(5) == 0);
}

TEST_CASE("native: a rotation by a variable takes 5 slots, and one where the machine can rotate", "[timing]") {
  // and, sub, shl, or are a chain, and shr runs beside shl.
  auto [cost, slots, result] =
      GENERATE(table<NativeCost, Cycle, Cycle>({{NativeCost::g80, 5, 4 * 22 + 4}, {NativeCost::g80_rotate, 1, 22}}));
  MachineConfig machine = native_machine();
  machine.native_cost = cost;
  SmBench bench(machine, R"(shf.l.wrap.b32 %r2, %r1, %r1, %r0;
add.s32 %r3, %r1, %r0;
add.s32 %r4, %r2, %r0;
)",
                kOneWarp);
  issues_at(bench, 1, 64);
  issues_at(bench, 2, 64 + 4 * slots);  // the SPs: 4 cycles a slot
  issues_at(bench, 3, 64 + result);
  CHECK(bench.issued_cycles(1) == 2 * slots);
}

TEST_CASE("native: the reader of a shared operand has its bank conflicts", "[timing]") {
  // Every second word: degree 2. 2 + 4 x 2 cycles of issue, and the result 4 later.
  SmBench bench(native_machine(), R"(mov.u32 %r1, %tid.x;
shl.b32 %r2, %r1, 3;
ld.shared.f32 %f1, [%r2];
add.f32 %f2, %f1, %f0;
add.s32 %r4, %r0, 1;
add.f32 %f3, %f2, %f0;
st.shared.u32 [sh], %r4;
)",
                kOneWarp);
  issues_at(bench, 3, 64 + 22 + 22);
  issues_at(bench, 4, 108);
  issues_at(bench, 5, 108 + 10);
  issues_at(bench, 6, 108 + 20 + 4);
  CHECK(bench.issued_cycles(3) == 0);
  CHECK(bench.issued_cycles(4) == 10);
  CHECK(bench.counters().shared.conflict_passes == 2);  // one for each half-warp
}

TEST_CASE("native: a constant operand is free where all lanes read one address, 4 cycles for each where not",
          "[timing]") {
  SmBench same(native_machine(), R"(ld.const.f32 %f1, [table];
add.f32 %f2, %f1, %f0;
add.s32 %r4, %r0, 1;
)",
               kOneWarp);
  issues_at(same, 1, 64);
  issues_at(same, 2, 64);
  issues_at(same, 3, 68);
  SmBench two(native_machine(), R"(mov.u32 %r1, %tid.x;
and.b32 %r2, %r1, 1;
shl.b32 %r3, %r2, 2;
ld.const.f32 %f1, [%r3];
add.f32 %f2, %f1, %f0;
add.s32 %r4, %r0, 1;
add.f32 %f3, %f2, %f0;
st.shared.u32 [sh], %r4;
)",
              kOneWarp);
  issues_at(two, 5, 64 + 3 * 22);
  issues_at(two, 6, 130 + 8);
  issues_at(two, 7, 130 + 20 + 4);
}

TEST_CASE("native: a vector of constants costs each reader its own element only", "[timing]") {
  // Two words at one address are two steps of the load, but one of each addition, and one is free.
  SmBench same(native_machine(), R"(mov.u32 %r1, %tid.x;
and.b32 %r2, %r1, 0;
shl.b32 %r3, %r2, 3;
ld.const.v2.f32 {%f1, %f2}, [%r3];
add.f32 %f3, %f1, %f0;
add.f32 %f4, %f2, %f0;
)",
               kOneWarp);
  issues_at(same, 5, 64 + 3 * 22);
  CHECK(same.issued_cycles(5) == 2);
  CHECK(same.issued_cycles(6) == 2);
}

TEST_CASE("native: a shared store is a move to s[] and takes the 4 cycles of its banks", "[timing]") {
  SmBench bench(native_machine(), "st.shared.u32 [sh], %r0;\nadd.s32 %r1, %r0, 1;\n", kOneWarp);
  issues_at(bench, 2, 64 + 4);
  CHECK(bench.issued_cycles(1) == 4);
}

TEST_CASE("native: a branch to a later instruction holds the scheduler as long as the machine says", "[timing]") {
  MachineConfig machine = native_machine();
  machine.issue.branch_cycles = 8;
  machine.issue.loop_branch_cycles = 30;
  SmBench bench(machine, "setp.eq.u32 %p1, %r0, %r0;\n@%p1 bra on;\non:\nadd.s32 %r1, %r0, 1;\n", kOneWarp);
  CHECK(bench.issued_cycles(2) == 8);
}

TEST_CASE("native: a parameter operand costs what a shared one without conflicts does", "[timing]") {
  SmBench bench(native_machine(), R"(ld.param.u64 %rd1, [buf];
add.s64 %rd2, %rd1, 16;
add.s32 %r1, %r0, 1;
ld.global.u32 %r2, [%rd2];
add.s32 %r3, %r0, 1;
st.shared.u32 [sh], %r1;
st.shared.u32 [sh], %r2;
)",
                kOneWarp);
  issues_at(bench, 1, 64);
  issues_at(bench, 2, 64);
  issues_at(bench, 3, 70);
  // The load's address goes through the SPs: the addition behind it waits 4 cycles, though the port is free after 2.
  issues_at(bench, 4, 64 + 22);
  issues_at(bench, 5, 86 + 4);
  CHECK(bench.stalled(5, Stall::SpBusy) == 2);
}

TEST_CASE("native: a 32-bit product holds the SPs for 16 cycles, a small one for 4", "[timing]") {
  SmBench bench(native_machine(), R"(mul.lo.s32 %r1, %r0, %r4;
add.s32 %r2, %r0, 1;
add.s32 %r3, %r1, 1;
st.shared.u32 [sh], %r2;
)",
                kOneWarp);
  issues_at(bench, 2, 64 + 16);
  issues_at(bench, 3, 64 + 4 * 22);  // four steps, a chain
  CHECK(bench.issued_cycles(1) == 8);
  SmBench small(native_machine(), R"(and.b32 %r4, %r0, 255;
mul.lo.s32 %r1, %r4, %r4;
add.s32 %r2, %r0, 1;
add.s32 %r3, %r1, 1;
st.shared.u32 [sh], %r2;
)",
                kOneWarp);
  issues_at(small, 3, 64 + 22 + 4);
  issues_at(small, 4, 64 + 22 + 22);
}

TEST_CASE("native: a division takes 36 cycles of the SFUs and 20 of the SPs", "[timing]") {
  SmBench bench(native_machine(), R"(div.full.f32 %f1, %f0, %f4;
add.s32 %r1, %r0, 1;
div.full.f32 %f2, %f0, %f4;
st.shared.f32 [sh], %f1;
st.shared.u32 [sh], %r1;
)",
                kOneWarp);
  // Six instructions: the port until 76.
  issues_at(bench, 2, 64 + 20);
  issues_at(bench, 3, 64 + 36);
  CHECK(bench.stalled(2, Stall::SpBusy) == 8);
}

TEST_CASE("native: a sequence takes a latency per step of its chain, and 4 cycles per other step", "[timing]") {
  SmBench bench(native_machine(), "shf.l.wrap.b32 %r1, %r0, %r0, 7;\nadd.s32 %r2, %r1, 1;\n", kOneWarp);
  issues_at(bench, 2, 64 + 2 * 22 + 4);  // shl, or; shr beside shl
}

TEST_CASE("native: the end of a kernel takes no time, a barrier 4 cycles", "[timing]") {
  SmBench bench(native_machine(), "add.s32 %r1, %r0, 1;\nbar.sync 0;\nadd.s32 %r2, %r0, 1;\nret;\n",
                {.threads = 64, .keep = false});
  // Two warps at 64 and 68, their barriers at 72 and 76, released 20 after 80.
  CHECK(bench.issues(2) == std::vector<Cycle>{72, 76});
  CHECK(bench.issues(3) == std::vector<Cycle>{100, 104});
  CHECK(bench.issues(4) == std::vector<Cycle>{102, 106});  // as soon as the port is free
  CHECK(bench.issued_cycles(4) == 0);
}

TEST_CASE("native: every slot is charged once", "[timing]") {
  SmBench bench(native_machine(), kRolledLoop, {.threads = 96, .blocks = 5, .keep = false});
  uint64_t sum = 0;
  for (const SlotCounters& row : bench.counters().slots) {
    sum += row.issued;
    for (uint64_t stall : row.stalls) sum += stall;
  }
  CHECK(sum == bench.end());
  const WarpCycles& warps = bench.counters().warp_cycles;
  uint64_t states = warps.issuing + warps.not_selected;
  for (uint64_t waiting : warps.waiting) states += waiting;
  CHECK(states == warps.resident);
}
