// Native instructions of compute capability 9.0 (`native_cost: sm_90`): pipes, latencies, and parts of others, which
// take no time and make nobody wait but for their sources.
#include <catch2/catch.hpp>

#include "timing/sm_bench.h"

using namespace warptime;
using namespace warptime::sim;

namespace {

MachineConfig machine_of_sm_90() {
  MachineConfig machine = small_machine();
  machine.native_cost = NativeCost::sm_90;
  machine.issue.interval = 1;
  machine.sp.initiation = 1;
  machine.sp.product_initiation = 2;
  machine.alu.initiation = 2;
  machine.latency.int_alu = 4;
  machine.latency.int_mul = 4;
  machine.latency.float_mad = 4;
  machine.latency.special = 17;
  return machine;
}

const SmBench::Shape kAWarp{.keep = false};

}  // namespace

TEST_CASE("later: a product is a part of the sum that reads it, which waits for its sources", "[timing]") {
  SmBench bench(machine_of_sm_90(), R"(mov.u32 %r1, %tid.x;
cvt.rn.f32.u32 %f0, %r1;
fma.rn.f32 %f1, %f0, %f0, %f0;
mul.f32 %f2, %f1, %f0;
add.f32 %f3, %f2, %f0;
fma.rn.f32 %f4, %f3, %f3, %f0;
st.shared.f32 [sh], %f4;
)",
                kAWarp);
  auto first = [&](uint32_t line) { return bench.issues(line).front(); };
  CHECK(bench.issued_cycles(4) == 0);  // the product
  CHECK(bench.issued_cycles(5) == 1);
  CHECK(first(5) - first(3) == 4);
  CHECK(first(6) - first(5) == 4);
}

TEST_CASE("later: integer products, logic and sums of f32 take their pipes for 2, 2 and 1 cycles", "[timing]") {
  SmBench bench(machine_of_sm_90(), R"(mov.u32 %r1, %tid.x;
cvt.rn.f32.u32 %f0, %r1;
fma.rn.f32 %f1, %f0, %f0, %f0;
fma.rn.f32 %f2, %f0, %f0, %f0;
fma.rn.f32 %f3, %f0, %f0, %f0;
mul.lo.s32 %r2, %r1, %r1;
mul.lo.s32 %r3, %r1, %r1;
popc.b32 %r4, %r1;
min.s32 %r5, %r1, 5;
min.s32 %r6, %r1, 6;
min.s32 %r7, %r1, 7;
)",
                {.keep = true});
  auto first = [&](uint32_t line) { return bench.issues(line).front(); };
  CHECK(first(4) - first(3) == 1);
  CHECK(first(5) - first(4) == 1);
  CHECK(first(6) - first(5) == 1);
  CHECK(first(7) - first(6) == 2);  // one multiplier
  CHECK(first(8) - first(7) == 1);  // another pipe
  CHECK(first(9) - first(8) == 1);  // another pipe
  CHECK(first(10) - first(9) == 2);
  CHECK(first(11) - first(10) == 2);
}

TEST_CASE("later: a sequence holds the scheduler for each of its instructions, and its result for the chain",
          "[timing]") {
  SmBench bench(machine_of_sm_90(), R"(mov.u32 %r1, %tid.x;
cvt.rn.f32.u32 %f0, %r1;
sqrt.approx.f32 %f1, %f0;
fma.rn.f32 %f2, %f1, %f1, %f1;
st.shared.f32 [sh], %f2;
)",
                kAWarp);
  auto first = [&](uint32_t line) { return bench.issues(line).front(); };
  CHECK(bench.issued_cycles(3) == 4);
  CHECK(first(4) - first(3) == 4 + 4 + 17 + 4);  // fsetp, fmul, mufu, fmul
}
