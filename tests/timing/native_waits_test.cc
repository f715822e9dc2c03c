// Waits that an assembler writes into native code: between two accesses of a warp, behind branches, and of results that
// guard an instruction or go to another pipe.
#include <catch2/catch.hpp>

#include "timing/sm_bench.h"

using namespace warptime;
using namespace warptime::sim;

namespace {

MachineConfig machine_with_waits() {
  MachineConfig machine = small_machine();
  machine.native_cost = NativeCost::sm_90;
  machine.clocks.core_mhz = machine.clocks.memory_mhz = machine.clocks.shader_mhz = 1000;
  machine.features = {"global_atomics", "shared_atomics", "float_atomics", "f16"};
  machine.sm.shared.pipe = machine.constant.pipe = OnChipPipe::memory;
  machine.sm.shared.cycles_per_degree = machine.sm.shared.atomic_cycles = 1;
  machine.sm.shared.load_latency = 23;
  machine.issue.interval = machine.issue.branch_cycles = 1;
  machine.sp.initiation = machine.sp.product_initiation = machine.alu.initiation = 1;
  machine.latency.int_alu = machine.latency.int_mul = machine.latency.float_mad = 4;
  machine.latency.int_mul_hi = 9;
  machine.latency.special = 17;
  machine.latency.branch = 12;
  machine.issue.guard_delay = 9;
  machine.issue.pipe_delay = 1;
  machine.issue.special_delay = 2;
  machine.issue.access_interval = 4;
  machine.issue.not_taken_latency = 5;
  return machine;
}

// %r1: the thread's number; %r9: a word of its own in shared memory.
const std::string kBegin = "mov.u32 %r1, %tid.x;\nmov.u32 %r8, sh;\nshl.b32 %r9, %r1, 2;\nadd.u32 %r9, %r9, %r8;\n";
constexpr uint32_t kBeginLines = 4;

/// Cycles from the issue of one line to that of another.
Cycle between(const std::string& body, uint32_t from, uint32_t to,
              const MachineConfig& machine = machine_with_waits()) {
  const SmBench bench(machine, kBegin + body);
  return bench.issues(to + kBeginLines).front() - bench.issues(from + kBeginLines).front();
}

}  // namespace

TEST_CASE("waits: a predicate guards an instruction later than one reads it", "[timing]") {
  CHECK(between("setp.lt.s32 %p1, %r1, 5;\nselp.u32 %r2, %r1, 7, %p1;\n", 1, 2) == 4);
  CHECK(between("setp.lt.s32 %p1, %r1, 5;\n@%p1 xor.b32 %r2, %r1, 7;\n", 1, 2) == 13);
  // The one that reads it first decides.
  CHECK(between("setp.lt.s32 %p1, %r1, 5;\nselp.u32 %r2, %r1, 7, %p1;\n@%p1 xor.b32 %r3, %r1, 7;\n", 1, 3) == 5);
  MachineConfig without = machine_with_waits();
  without.issue.guard_delay = 0;
  CHECK(between("setp.lt.s32 %p1, %r1, 5;\n@%p1 xor.b32 %r2, %r1, 7;\n", 1, 2, without) == 4);
}

TEST_CASE("waits: a result reaches another pipe later, and special functions later still", "[timing]") {
  CHECK(between("xor.b32 %r2, %r1, 7;\nxor.b32 %r3, %r2, %r1;\n", 1, 2) == 4);
  CHECK(between("xor.b32 %r2, %r1, 7;\nmul.lo.u32 %r3, %r2, %r1;\n", 1, 2) == 5);
  CHECK(between("mul.lo.u32 %r2, %r1, %r1;\nmul.lo.u32 %r3, %r2, %r1;\n", 1, 2) == 4);
  CHECK(between("and.b32 %r2, %r1, 12;\nst.shared.u32 [%r2], %r1;\n", 1, 2) == 5);
  CHECK(between("mov.b32 %f1, %r1;\nmul.f32 %f2, %f1, %f1;\nex2.approx.ftz.f32 %f3, %f2;\n", 2, 3) == 6);
  CHECK(between("mov.b32 %f1, %r1;\nex2.approx.ftz.f32 %f2, %f1;\nmul.f32 %f3, %f2, %f2;\n", 2, 3) == 17);
}

TEST_CASE("waits: accesses of a warp follow each other at an interval, with whatever between them", "[timing]") {
  const std::string load = "ld.shared.u32 %r2, [%r9];\n", other = "xor.b32 %r5, %r1, 7;\nxor.b32 %r6, %r1, 6;\n",
                    store = "st.shared.u32 [%r9+64], %r1;\n";
  CHECK(between(load + store, 1, 2) == 4);
  CHECK(between(load + other + store, 1, 2) == 1);
  CHECK(between(load + other + store, 1, 4) == 4);
  const std::string more = "xor.b32 %r7, %r1, 5;\nxor.b32 %r10, %r1, 3;\n";
  CHECK(between(load + other + more + store, 1, 6) == 5);
  CHECK(between(load + "ld.const.u32 %r3, [table];\n", 1, 2) == 1);  // not through the load/store unit
  // A load that waits for its address does not wait again.
  CHECK(between(load + "and.b32 %r3, %r2, 12;\nst.shared.u32 [%r3], %r1;\n", 1, 3) == 23 + 5);
  CHECK(between(load + "st.shared.u32 [%r2], %r1;\n", 1, 2) == 23);
  MachineConfig two = machine_with_waits();  // other warps use the gap
  const SmBench bench(two, kBegin + load + store, {.threads = 64});
  CHECK(bench.issues(kBeginLines + 1)[1] - bench.issues(kBeginLines + 1)[0] == 1);
}

TEST_CASE("waits: behind a branch that no lane takes the warp goes on sooner", "[timing]") {
  const auto branch = [](const char* setp, const MachineConfig& machine) {
    const std::string body = std::string(setp) +
                             " %p1, %r1, 64;\n@%p1 bra END;\nadd.u32 %r2, %r1, 1;\nEND:\n"
                             "xor.b32 %r3, %r1, 1;\n";
    return between(body, 2, setp == std::string("setp.lt.s32") ? 5 : 3, machine);
  };
  CHECK(branch("setp.lt.s32", machine_with_waits()) == 12);
  CHECK(branch("setp.ge.s32", machine_with_waits()) == 5);
  MachineConfig same = machine_with_waits();
  same.issue.not_taken_latency = 0;
  CHECK(branch("setp.ge.s32", same) == 12);
}

TEST_CASE("waits: atomic operations on shared memory have latencies of their own", "[timing]") {
  MachineConfig machine = machine_with_waits();
  machine.sm.shared.atomic_latency = 29;
  machine.sm.shared.atomic_cas_latency = 35;
  machine.sm.shared.atomic_float_latency = 92;
  const auto latency = [&](const std::string& text) {
    return between(text + "\nxor.b32 %r3, %r2, 1;\n", 1, 2, machine);
  };
  CHECK(latency("atom.shared.exch.b32 %r2, [%r9], %r1;") == 23);
  CHECK(latency("atom.shared.add.u32 %r2, [%r9], 1;") == 29);
  CHECK(latency("atom.shared.cas.b32 %r2, [%r9], 0, 1;") == 35);
  CHECK(between("mov.b32 %f1, %r1;\natom.shared.add.f32 %f2, [%r9], %f1;\nmul.f32 %f3, %f2, %f1;\n", 2, 3, machine) ==
        92);
}

TEST_CASE("waits: a division takes those of its steps", "[timing]") {
  // The products, two comparisons whose predicates guard sums, and a selection.
  CHECK(between("div.u32 %r2, 1000, %r1;\nxor.b32 %r3, %r2, 1;\n", 1, 2) == 59);
  // A reciprocal, five products and sums, a branch, and where lanes meet behind it.
  CHECK(between("cvt.rn.f32.u32 %f1, %r1;\ndiv.rn.f32 %f2, %f1, %f1;\nmul.f32 %f3, %f2, %f2;\n", 2, 3) ==
        17 + 20 + 12 + 10);
  // Half precision alternates between pipes.
  CHECK(between("add.f16x2 %r2, %r1, %r1;\nadd.f16x2 %r3, %r2, %r2;\n", 1, 2) == 8);
}
