// Several warp schedulers, groups of pipes, dual issue. Warps may issue from cycle 64 on; a warp instruction holds its
// port for 2 cycles and its group of SPs for 4; warps 0, 2, ... belong to port 0, warps 1, 3, ... to port 1.
#include <catch2/catch.hpp>

#include "timing/sm_bench.h"

using namespace warptime;
using namespace warptime::sim;

namespace {

MachineConfig with_ports(uint32_t ports, uint32_t groups) {
  MachineConfig machine = small_machine();
  machine.issue.ports = ports;
  machine.sp.groups = groups;
  return machine;
}

using Cycles = std::vector<Cycle>;

constexpr const char* kTwoAdds = R"(add.s32 %r1, %r0, 1;
add.s32 %r2, %r0, 1;
)";

}  // namespace

TEST_CASE("two ports issue in the same cycle, each to a group of its choice", "[timing]") {
  SmBench bench(with_ports(2, 2), kTwoAdds, {.threads = 64});
  CHECK(bench.issues(1) == Cycles{64, 64});
  CHECK(bench.issues(2) == Cycles{68, 68});
  CHECK(bench.issued_cycles(1) == 4);
}

TEST_CASE("two ports that share one group of SPs take turns", "[timing]") {
  SmBench bench(with_ports(2, 1), kTwoAdds, {.threads = 64});
  CHECK(bench.issues(1) == Cycles{64, 68});
  // Of two that want the group, the port that issued longer ago comes first.
  CHECK(bench.issues(2) == Cycles{72, 76});
  CHECK(bench.stalled(1, Stall::SpBusy) == 68);  // all that port 1 had waited, to what it waited for last
}

TEST_CASE("one port keeps two groups busy", "[timing]") {
  SmBench bench(with_ports(1, 2), R"(add.s32 %r1, %r0, 1;
add.s32 %r2, %r0, 1;
add.s32 %r3, %r0, 1;
)");
  // The port is the limit: every 2 cycles.
  CHECK(bench.issues(2) == Cycles{66});
  CHECK(bench.issues(3) == Cycles{68});
}

TEST_CASE("a port that reaches its own groups only leaves the others idle", "[timing]") {
  MachineConfig machine = with_ports(2, 2);
  machine.sp.reach = PipeReach::own_scheduler;
  SmBench bench(machine, kTwoAdds, {.threads = 32});  // one warp, at port 0
  CHECK(bench.issues(1) == Cycles{64});
  CHECK(bench.issues(2) == Cycles{68});  // with the other group: 66
}

TEST_CASE("special function units come in groups, too", "[timing]") {
  const char* body = R"(rcp.approx.f32 %f1, %f0;
rcp.approx.f32 %f2, %f0;
rcp.approx.f32 %f3, %f0;
)";
  CHECK(SmBench(small_machine(), body).issues(2) == Cycles{80});
  MachineConfig machine = small_machine();
  machine.sfu.groups = 2;
  SmBench two(machine, body);
  CHECK(two.issues(2) == Cycles{66});
  CHECK(two.issues(3) == Cycles{80});
}

TEST_CASE("slots are cycles times ports, and every one is charged", "[timing]") {
  SmBench bench(with_ports(2, 2), kTwoAdds, {.threads = 32});
  uint64_t sum = 0;
  for (const SlotCounters& row : bench.counters().slots) {
    sum += row.issued;
    for (uint64_t stall : row.stalls) sum += stall;
  }
  CHECK(sum == 2 * bench.end());
  // The second port never had a warp.
  CHECK(bench.counters().slots.back().stalls[static_cast<size_t>(Stall::Drained)] >= bench.end());
}

TEST_CASE("dual issue: an independent instruction goes with the one before it", "[timing]") {
  MachineConfig machine = with_ports(1, 2);
  machine.issue.dual = true;
  SmBench bench(machine, R"(add.s32 %r1, %r0, 1;
add.s32 %r2, %r0, 1;
add.s32 %r3, %r2, 1;
)");
  CHECK(bench.issues(1) == Cycles{64});
  CHECK(bench.issues(2) == Cycles{64});
  CHECK(bench.issues(3) == Cycles{64 + 22});
  CHECK(bench.issued_cycles(1) == 2);
  CHECK(bench.issued_cycles(2) == 0);  // it counts as one port
}

TEST_CASE("dual issue needs a free pipe and no result of the first", "[timing]") {
  MachineConfig machine = with_ports(1, 1);
  machine.issue.dual = true;
  CHECK(SmBench(machine, kTwoAdds).issues(2) == Cycles{68});  // one group of SPs
  SmBench other(machine, R"(add.s32 %r1, %r0, 1;
rcp.approx.f32 %f1, %f0;
add.s32 %r2, %r1, 1;
)");
  CHECK(other.issues(2) == Cycles{64});  // another pipe
  machine.sp.groups = 2;
  const char* dependent = "add.s32 %r1, %r0, 1;\nadd.s32 %r2, %r1, 1;\n";
  CHECK(SmBench(machine, dependent).issues(2) == Cycles{64 + 22});
  machine.latency.int_alu = 2;  // there when the port is free again, not before
  CHECK(SmBench(machine, dependent).issues(2) == Cycles{66});
}

TEST_CASE("shared memory behind the memory port: the warp scheduler is free after its interval", "[timing]") {
  MachineConfig machine = small_machine();
  machine.sm.shared.pipe = SharedPipe::memory;
  SmBench bench(machine, R"(ld.shared.u32 %r1, [sh];
add.s32 %r2, %r0, 1;
ld.shared.u32 %r3, [sh];
add.s32 %r4, %r1, 1;
)");
  CHECK(bench.issues(1) == Cycles{64});
  CHECK(bench.issues(2) == Cycles{66});
  CHECK(bench.issues(3) == Cycles{68});  // 4 cycles per step in the port
  CHECK(bench.issues(4) == Cycles{64 + 26});
}

TEST_CASE("two-level: one group runs ahead to its loads", "[timing]") {
  MachineConfig machine = small_machine();
  machine.issue.policy = WarpPolicy::two_level;
  machine.issue.group_warps = 2;
  machine.latency.int_alu = 4;        // nobody waits for arithmetic
  machine.memory.coalescing = "1.2";  // one word for all: a transaction a half-warp
  machine.memory.request_cycles = 1;
  std::string body = "ld.param.u64 %rd1, [buf];\n";
  for (int i = 0; i < 4; ++i) body += "add.s32 %r1, %r1, 1;\n";
  body += "ld.global.u32 %r2, [%rd1];\nadd.s32 %r3, %r2, 1;\n";
  SmBench two_level(machine, body, {.threads = 128});
  machine.issue.policy = WarpPolicy::round_robin;
  SmBench round_robin(machine, body, {.threads = 128});
  // Round robin: all four warps come to their loads (line 6) within a round. Two-level: the second group issues its
  // third addition (line 4) only after the first group's loads.
  CHECK(two_level.issues(6).at(1) < two_level.issues(4).at(2));
  CHECK(round_robin.issues(6).at(1) > round_robin.issues(4).at(3));
}
