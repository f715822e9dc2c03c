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
  // The port that issued longer ago gets the group first.
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
  machine.sm.shared.pipe = OnChipPipe::memory;
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

namespace {

/// Compute capability 2.x: shared memory and constants behind the one memory port of two schedulers, 2 cycles per step.
MachineConfig fermi() {
  MachineConfig machine = with_ports(2, 2);
  machine.sp.initiation = 2;
  SharedConfig& shared = machine.sm.shared;
  shared.pipe = machine.constant.pipe = OnChipPipe::memory;
  shared.base_cycles = 0;
  shared.cycles_per_degree = machine.constant.cycles_per_address = 2;
  shared.banks = shared.request_lanes = machine.constant.request_lanes = 32;
  shared.broadcast = SharedBroadcast::every_word;
  shared.wide_access = WideAccess::fewer_lanes;
  shared.load_128_replays = 1;
  machine.constant.word_bytes = 8;
  return machine;
}
/// Lines 1-3: %r3 is `sh` + tid * bytes. Then `access`, an independent addition, and a load of a word.
std::string wide(uint32_t bytes, const std::string& access) {
  return fmt::format(R"(mov.u32 %r1, %tid.x;
mov.u32 %r2, sh;
mad.lo.u32 %r3, %r1, {}, %r2;
{}
add.s32 %r4, %r31, 1;
ld.shared.u32 %r5, [sh];
)",
                     bytes, access);
}

}  // namespace

TEST_CASE("a vector is one instruction, and a request for each 128 bytes of a warp", "[timing]") {
  struct Case {
    uint32_t bytes;
    const char* access;
    Cycle port;  // cycles; at least those of two issues
  };
  for (const Case& c :
       {Case{4, "ld.shared.u32 %r8, [%r3];", 4}, Case{8, "ld.shared.v2.u32 {%r8,%r9}, [%r3];", 4},
        Case{8, "ld.shared.f64 %d1, [%r3];", 4}, Case{16, "ld.shared.v4.u32 {%r8,%r9,%r10,%r11}, [%r3];", 16},
        Case{16, "st.shared.v4.u32 [%r3], {%r31,%r31,%r31,%r31};", 8},
        Case{16, "ld.shared.v2.f64 {%d1,%d2}, [%r3];", 16}}) {
    INFO(c.access);
    SmBench bench(fermi(), wide(c.bytes, c.access));
    Cycle access = bench.issues(4).at(0);
    CHECK(bench.issues(5) == Cycles{access + 2});  // one issue slot
    CHECK(bench.issues(6) == Cycles{access + c.port});
  }
}

TEST_CASE("compute capability 3.0: banks of 64 bits serve 256 bytes at a step", "[timing]") {
  auto port = [](uint32_t interleave_bytes, uint32_t bytes, const char* access) {
    MachineConfig machine = fermi();
    machine.issue.interval = 1;
    machine.sm.shared.bank_bytes = 8;
    machine.sm.shared.bank_interleave_bytes = interleave_bytes;
    machine.sm.shared.load_128_replays = 0;
    SmBench bench(machine, wide(bytes, access));
    return bench.issues(6).at(0) - bench.issues(4).at(0);
  };
  for (uint32_t mode : {4u, 8u}) {
    CHECK(port(mode, 8, "ld.shared.v2.u32 {%r8,%r9}, [%r3];") == 2);
    CHECK(port(mode, 8, "ld.shared.u32 %r8, [%r3];") == 2);
    CHECK(port(mode, 16, "ld.shared.v4.u32 {%r8,%r9,%r10,%r11}, [%r3];") == 4);
  }
  // A stride of three words has no conflict (figure F-2, right), one of 64 words is all in one bank.
  CHECK(port(4, 12, "ld.shared.u32 %r8, [%r3];") == 2);
  CHECK(port(8, 256, "ld.shared.u32 %r8, [%r3];") == 32 * 2);
}

TEST_CASE("two words of a request, each read by several lanes", "[timing]") {
  const char* body = R"(mov.u32 %r1, %tid.x; and.b32 %r1, %r1, 1; shl.b32 %r1, %r1, 2;
ld.shared.u32 %r2, [%r1];
ld.shared.u32 %r3, [sh];
)";
  MachineConfig machine = fermi();
  SmBench every(machine, body);
  CHECK(every.issues(3).at(0) == every.issues(2).at(0) + 2);
  CHECK(every.counters().shared.conflict_passes == 0);
  machine.sm.shared.broadcast = SharedBroadcast::one_word;
  SmBench one(machine, body);
  CHECK(one.issues(3).at(0) == one.issues(2).at(0) + 4);
  CHECK(one.counters().shared.conflict_passes == 1);
}

TEST_CASE("the schedulers of an SM share its constant cache", "[timing]") {
  const char* body = R"(ld.const.u32 %r1, [table];
ld.const.u32 %r2, [table+4];
add.s32 %r3, %r31, 1;
)";
  MachineConfig machine = fermi();
  SmBench shared(machine, body, {.threads = 64});
  CHECK(shared.issues(1) == Cycles{64, 66});
  CHECK(shared.issues(2) == Cycles{68, 70});
  CHECK(shared.issues(3) == Cycles{70, 72});
  machine.constant.pipe = OnChipPipe::sp;  // a group each
  SmBench own(machine, body, {.threads = 64});
  CHECK(own.issues(1) == Cycles{64, 64});
  CHECK(own.issues(2) == Cycles{66, 66});
}

TEST_CASE("addresses of a constant load serialise in the SM, 8 bytes of each at a time", "[timing]") {
  // Lanes read words 0 to 3 of the table: 4 addresses of 2 cycles, and so for each warp.
  const char* four = R"(mov.u32 %r1, %tid.x; and.b32 %r1, %r1, 3; mul.wide.u32 %rd2, %r1, 4;
mov.u64 %rd1, table; add.s64 %rd1, %rd1, %rd2;
ld.const.u32 %r2, [%rd1];
add.s32 %r4, %r31, 1;
)";
  SmBench bench(fermi(), four, {.threads = 64});
  Cycle load = bench.issues(3).at(0);
  CHECK(bench.issues(3) == Cycles{load, load + 8});
  CHECK(bench.issues(4) == Cycles{load + 2, load + 8 + 2});  // the scheduler is free after its interval
  auto cycles = [](const char* access) {
    SmBench one(fermi(), fmt::format("{}\nld.shared.u32 %r5, [sh];\n", access));
    return one.issues(2).at(0) - one.issues(1).at(0);
  };
  CHECK(cycles("ld.const.u32 %r1, [table];") == 2);
  CHECK(cycles("ld.const.v2.u32 {%r1,%r2}, [table];") == 2);
  CHECK(cycles("ld.const.v4.u32 {%r1,%r2,%r3,%r4}, [table];") == 4);
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
