// Atomic operations as an SM sees them. In shared memory a lane at the bank with the most lanes costs 8 cycles, and 2
// more for the instruction if its result is read.
#include <catch2/catch.hpp>

#include "timing/sm_bench.h"

using namespace warptime;
using namespace warptime::sim;

namespace {

MachineConfig atomic_machine() {
  MachineConfig machine = small_machine();
  machine.features = {"global_atomics", "shared_atomics", "atomics_64"};
  machine.sm.shared.atomic_cycles = 8;
  machine.memory.atomic_cycles = 4;
  return machine;
}

/// Line 4: an atomic addition at sh + tid * stride; 5 is independent, 6 depends.
std::string shared_addition(uint32_t stride) {
  return fmt::format(R"(mov.u32 %r1, %tid.x;
mul.lo.s32 %r2, %r1, {};
mov.u32 %r3, 1;
atom.shared.add.u32 %r4, [%r2], %r3;
add.s32 %r5, %r0, 1;
add.s32 %r6, %r4, 1;
)",
                     stride);
}

/// Line 3 changes a word for all lanes, 4 loads one, 5 depends on the old value.
std::string global_addition(uint32_t loaded) {
  return fmt::format(R"(ld.param.u64 %rd1, [buf];
mov.u64 %rd2, %rd1;
atom.global.add.u32 %r4, [%rd2], 1;
ld.global.u32 %r7, [%rd1+{}];
add.s32 %r5, %r4, 1;
)",
                     loaded);
}

}  // namespace

TEST_CASE("lanes at one bank of shared memory are changed one after the other", "[timing]") {
  // Stride 4: no conflict. Stride 0: the 16 lanes of a half-warp at one word. Stride 8: two lanes per bank.
  for (auto [stride, degree] : {std::pair{4u, 1u}, {8u, 2u}, {0u, 16u}}) {
    INFO("stride " << stride);
    SmBench bench(atomic_machine(), shared_addition(stride));
    Cycle atomic = bench.issues(4).at(0);
    CHECK(bench.issued_by(5, atomic + 2 + 8 * degree - 1) == 0);
    CHECK(bench.issued_by(5, atomic + 2 + 8 * degree) == 1);
    Cycle result = std::max<Cycle>(atomic + 26 + 8 * (degree - 1), atomic + 2 + 8 * degree + 4);
    CHECK(bench.issued_by(6, result - 1) == 0);
    CHECK(bench.issued_by(6, result) == 1);
    CHECK(bench.counters().shared.conflict_passes == 2 * (degree - 1));
  }
}

TEST_CASE("a 64-bit atomic operation in shared memory wants two banks", "[timing]") {
  SmBench bench(atomic_machine(), R"(mov.u32 %r1, %tid.x;
mul.lo.s32 %r2, %r1, 8;
mov.u64 %rd2, 1;
atom.shared.add.u64 %rd4, [%r2], %rd2;
add.s32 %r5, %r0, 1;
)");
  Cycle atomic = bench.issues(4).at(0);
  CHECK(bench.issued_by(5, atomic + 2 + 8 * 2 - 1) == 0);
  CHECK(bench.issued_by(5, atomic + 2 + 8 * 2) == 1);
}

TEST_CASE("contention at one word of global memory costs each lane its turn at the partition", "[timing]") {
  // One transaction; clocks whose edges are the even cycles, so that every cycle shows.
  auto result_after = [](const char* guard, uint32_t atomic_cycles) {
    MachineConfig machine = atomic_machine();
    machine.memory.coalescing = "1.2";
    machine.clocks = {1200, 600, 600};
    machine.dram.tREFI = 0;
    machine.memory.atomic_cycles = atomic_cycles;
    SmBench bench(machine, fmt::format(R"(ld.param.u64 %rd1, [buf];
mov.u32 %r1, %tid.x;
setp.lt.u32 %p1, %r1, {};
@%p1 atom.global.add.u32 %r4, [%rd1], 1;
add.s32 %r5, %r4, 1;
)",
                                       guard));
    return bench.issues(5).at(0) - bench.issues(4).at(0);
  };
  Cycle one = result_after("1", 4), sixteen = result_after("16", 4);
  CHECK(sixteen == one + 15 * 4);
  CHECK(result_after("1", 10) == one + 6);
  CHECK(result_after("16", 10) == one + 6 + 15 * 10);
}

TEST_CASE("a load waits for an atomic operation of its SM on the same word, not for others", "[timing]") {
  SmBench same(atomic_machine(), global_addition(0)), other(atomic_machine(), global_addition(4096));
  CHECK(same.issues(4).at(0) + 4 >= same.issues(5).at(0));  // both wait for the answer
  CHECK(same.issues(4).at(0) > same.issues(3).at(0) + 200);
  CHECK(same.stalled(4, Stall::GlobalDependency) > 200);
  // 32 requests of 4 cycles at the memory port, then the load may go.
  CHECK(other.issues(4).at(0) == other.issues(3).at(0) + 32 * 4);
}

TEST_CASE("a fence waits for reductions", "[timing]") {
  SmBench bench(atomic_machine(), R"(ld.param.u64 %rd1, [buf];
red.global.add.u32 [%rd1], 1;
add.s32 %r5, %r0, 1;
membar.gl;
add.s32 %r6, %r0, 1;
)");
  CHECK(bench.issued_by(3, bench.issues(2).at(0) + 2) == 1);  // nobody waits for a result
  CHECK(bench.issues(5).at(0) > bench.issues(4).at(0) + 200);
  CHECK(bench.stalled(5, Stall::Fence) > 200);
}
