// The warp scheduler, the pipes and the scoreboard. A block's warps may issue from cycle 64 on; a warp instruction
// holds the port for 2 cycles and the SPs for 4; an integer result may be used after 22, a multiply-add's after 24, a
// reciprocal's after 28.
#include <catch2/catch.hpp>

#include "timing/sm_bench.h"

using namespace warptime;
using namespace warptime::sim;

TEST_CASE("a dependent integer instruction issues 22 cycles after its producer", "[timing]") {
  SmBench bench(small_machine(), R"(add.s32 %r1, %r0, 1;
add.s32 %r2, %r1, 1;
)");
  issues_at(bench, 1, 64);
  issues_at(bench, 2, 64 + 22);
  // The port is held from 64 to 66; the 20 cycles up to 86 are the dependency's, at the instruction that waited.
  CHECK(bench.stalled(2, Stall::AluDependency) == 20);
  CHECK(bench.issued_cycles(1) == 2);
}

TEST_CASE("latencies are per class: multiply-add 24, add 20", "[timing]") {
  SmBench bench(small_machine(), R"(fma.rn.f32 %f1, %f0, %f0, %f0;
add.f32 %f2, %f1, %f1;
add.f32 %f3, %f2, %f2;
)");
  issues_at(bench, 2, 64 + 24);
  issues_at(bench, 3, 64 + 24 + 20);
}

TEST_CASE("independent instructions of one warp follow at the pace of the SPs", "[timing]") {
  SmBench bench(small_machine(), R"(add.s32 %r1, %r0, 1;
add.s32 %r2, %r0, 1;
add.s32 %r3, %r0, 1;
)");
  issues_at(bench, 2, 68);
  issues_at(bench, 3, 72);
  // Port free at 66, SPs at 68: half issued, half waiting for the SPs.
  CHECK(bench.stalled(2, Stall::SpBusy) == 2);
  CHECK(bench.stalled(3, Stall::SpBusy) == 2);
}

TEST_CASE("the issue interval limits a pipe that is faster than it", "[timing]") {
  MachineConfig machine = small_machine();
  machine.issue.interval = 6;
  SmBench bench(machine, R"(add.s32 %r1, %r0, 1;
add.s32 %r2, %r0, 1;
)");
  issues_at(bench, 2, 70);
  CHECK(bench.stalled(2, Stall::SpBusy) == 0);
}

TEST_CASE("an SFU instruction leaves the port to the SPs, the SFU takes the next after 16 cycles", "[timing]") {
  SmBench bench(small_machine(), R"(rcp.approx.f32 %f1, %f0;
add.s32 %r1, %r0, 1;
add.s32 %r2, %r0, 1;
rcp.approx.f32 %f2, %f0;
add.s32 %r3, %r0, 1;
)");
  issues_at(bench, 1, 64);
  issues_at(bench, 2, 66);  // only the port was held
  issues_at(bench, 3, 70);
  issues_at(bench, 4, 64 + 16);
  CHECK(bench.stalled(4, Stall::SfuBusy) == 80 - 72);
  issues_at(bench, 5, 82);
  CHECK(bench.counters().pipes().sfu == 32);
}

TEST_CASE("a write waits for an earlier write of the same register", "[timing]") {
  SmBench bench(small_machine(), R"(rcp.approx.f32 %f1, %f0;
add.f32 %f1, %f0, %f0;
add.f32 %f3, %f1, %f1;
)");
  issues_at(bench, 2, 64 + 28);
}

TEST_CASE("a guard is a source", "[timing]") {
  SmBench bench(small_machine(), R"(setp.eq.s32 %p1, %r0, 1;
@%p1 add.s32 %r1, %r0, 1;
add.s32 %r2, %r1, %r1;
)");
  issues_at(bench, 2, 64 + 22);
  issues_at(bench, 3, 64 + 22 + 22);
  // Issued with no lane: still a warp instruction, no thread instructions.
  CHECK(bench.counters().active_lanes_histogram[0] == 1);
}

TEST_CASE("warps take turns under round robin, and one goes first under the greedy policy", "[timing]") {
  const char* body = R"(add.s32 %r1, %r0, 1;
add.s32 %r2, %r0, 1;
)";
  MachineConfig machine = small_machine();
  SmBench turns(machine, body, {.threads = 64});
  CHECK(turns.issues(1) == std::vector<Cycle>{64, 68});
  CHECK(turns.issues(2) == std::vector<Cycle>{72, 76});
  machine.issue.policy = WarpPolicy::greedy_then_oldest;
  SmBench greedy(machine, body, {.threads = 64});
  // Warp 0 goes on: line 2 at 68, a store of %r0 at 72, and then it waits for its first result. So warp 1 begins at 76.
  CHECK(greedy.issues(1) == std::vector<Cycle>{64, 76});
  CHECK(greedy.issues(2) == std::vector<Cycle>{68, 80});
}

TEST_CASE("six warps hide the 22 cycles of a dependent chain, five do not quite", "[timing]") {
  // Each warp comes round after 4 cycles per warp: 20 for five (2 short of the latency), 24 for six.
  const char* body = R"(add.s32 %r1, %r1, 1;
add.s32 %r1, %r1, 1;
)";
  SmBench five(small_machine(), body, {.threads = 160});
  CHECK(five.issues(2).front() == 64 + 22);
  CHECK(five.stalled(2, Stall::AluDependency) > 0);
  SmBench six(small_machine(), body, {.threads = 192});
  CHECK(six.issues(2).front() == 64 + 24);
  CHECK(six.stalled(2, Stall::AluDependency) == 0);
}

TEST_CASE("every slot is charged once: issued and stalls add up to the cycles of the SM", "[timing]") {
  SmBench bench(small_machine(), R"(ld.param.u64 %rd1, [buf];
ld.global.u32 %r1, [%rd1];
add.s32 %r2, %r1, 1;
bar.sync 0;
st.global.u32 [%rd1], %r2;
)",
                {.threads = 96, .blocks = 5});
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
