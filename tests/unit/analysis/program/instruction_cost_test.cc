// The cost of single instructions on the G80, by the sentences of docs/machine-model.md and docs/native-cost.md.
#include "analysis/program/instruction_cost.h"

#include "../counted_kernel.h"

using namespace warptime;
using namespace warptime::analysis;
using warptime::test::CountedKernel;

namespace {

InstructionCost cost_of(const std::string& line, sim::NativeCost native, bool off_chip = false) {
  CountedKernel k("ld.global.v2.u32 {%r1, %r3}, [%rd1];\n" + line +
                      "\nst.global.u32 [%rd1], %r2;\nst.global.f32 [%rd1], %f2;\nret;",
                  {1, 1, 1, 1, 1});
  k.machine.native_cost = native;
  return instruction_costs(k.machine, k.kernel(), {off_chip, off_chip, false, false, false})[1];
}

}  // namespace

TEST_CASE("instruction cost: a product of 32 bits is four native instructions, one behind the other") {
  const InstructionCost native = cost_of("mul.lo.u32 %r2, %r1, %r3;", sim::NativeCost::g80);
  CHECK(native.insts == 4);
  CHECK(native.sp == 16);
  CHECK(native.issue == 8);
  CHECK(native.latency == 88);
  const InstructionCost ptx = cost_of("mul.lo.u32 %r2, %r1, %r3;", sim::NativeCost::ptx);
  CHECK(ptx.insts == 1);
  CHECK(ptx.sp == 4);
  CHECK(ptx.latency == 88);
}

TEST_CASE("instruction cost: a special function holds the SFUs for 16 cycles") {
  for (sim::NativeCost native : {sim::NativeCost::g80, sim::NativeCost::ptx}) {
    const InstructionCost cost = cost_of("rsqrt.approx.f32 %f2, %f1;", native);
    CHECK(cost.specials == 1);
    CHECK(cost.insts == 0);
    CHECK(cost.sfu == 16);
    CHECK(cost.latency == 28);
    CHECK_FALSE(cost.is_fp);
  }
}

TEST_CASE("instruction cost: a copy is none of the native instructions") {
  CHECK(cost_of("mov.u32 %r2, %r1;", sim::NativeCost::g80).insts == 0);
  CHECK(cost_of("mov.u32 %r2, %r1;", sim::NativeCost::ptx).insts == 1);
}

TEST_CASE("instruction cost: where an access goes") {
  CHECK(cost_of("ld.global.u32 %r2, [%rd2];", sim::NativeCost::ptx).work == Work::Load);
  CHECK(cost_of("ld.shared.u32 %r2, [%rd2];", sim::NativeCost::ptx).work == Work::Shared);
  CHECK(cost_of("ld.u32 %r2, [%rd2];", sim::NativeCost::ptx, true).work == Work::Load);
  CHECK(cost_of("ld.u32 %r2, [%rd2];", sim::NativeCost::ptx, false).work == Work::Shared);
  CHECK(cost_of("bar.sync 0;", sim::NativeCost::ptx).work == Work::Barrier);
}

TEST_CASE("instruction cost: an access to shared memory") {
  const InstructionCost on_sp = cost_of("ld.shared.u32 %r2, [%rd2];", sim::NativeCost::ptx);
  CHECK(on_sp.sp == 6);  // 2 and 4 for a step without conflict
  CHECK(on_sp.issue == 6);
  CHECK(on_sp.latency == 26);
}
