// Double precision: a pipe of its own, which takes a warp instruction every dp.initiation cycles (32 here), results
// after latency.double_alu (48) or latency.double_div (400). The one warp may issue from cycle 64 on; the port is held
// for 2 cycles.
#include <catch2/catch.hpp>

#include "timing/sm_bench.h"

using namespace warptime;
using namespace warptime::sim;

TEST_CASE("f64 leaves the port to the SPs, its units take the next after 32 cycles", "[timing]") {
  SmBench bench(small_machine(), R"(add.f64 %d1, %d0, %d0;
add.s32 %r1, %r0, 1;
fma.rn.f64 %d2, %d0, %d0, %d0;
add.s32 %r2, %r0, 1;
)");
  issues_at(bench, 1, 64);
  issues_at(bench, 2, 66);  // only the port was held
  issues_at(bench, 3, 64 + 32);
  CHECK(bench.stalled(3, Stall::DpBusy) == 96 - 68);
  issues_at(bench, 4, 98);
  CHECK(bench.counters().pipes().dp == 2 * 32);
  CHECK(bench.counters().pipes().sp >= 2 * 4);
}

TEST_CASE("f64 units of another width, and in groups", "[timing]") {
  const char* body = R"(mul.f64 %d1, %d0, %d0;
mul.f64 %d2, %d0, %d0;
mul.f64 %d3, %d0, %d0;
)";
  MachineConfig machine = small_machine();
  machine.dp.initiation = 8;
  issues_at(SmBench(machine, body), 2, 64 + 8);
  machine.dp.groups = 2;
  SmBench two(machine, body);
  issues_at(two, 2, 66);
  issues_at(two, 3, 64 + 8);
}

TEST_CASE("results of f64 are there after double_alu, of its divide and roots after double_div", "[timing]") {
  SmBench bench(small_machine(), R"(add.f64 %d1, %d0, %d0;
setp.lt.f64 %p1, %d1, %d0;
@%p1 add.s32 %r1, %r0, 1;
cvt.rn.f64.s32 %d2, %r0;
div.rn.f64 %d3, %d2, %d2;
neg.f64 %d4, %d3;
)");
  issues_at(bench, 2, 64 + 48);
  CHECK(bench.stalled(2, Stall::AluDependency) == 48 - 2);
  issues_at(bench, 3, 112 + 48);
  issues_at(bench, 4, 162);  // the predicate's 160, and the port
  issues_at(bench, 5, 162 + 48);
  issues_at(bench, 6, 210 + 400);
}

TEST_CASE("moves and selections of f64 are the SPs'", "[timing]") {
  SmBench bench(small_machine(), R"(mov.f64 %d1, %d0;
selp.f64 %d2, %d0, %d0, %p0;
)");
  issues_at(bench, 2, 64 + 4);
  CHECK(bench.counters().pipes().dp == 0);
}
