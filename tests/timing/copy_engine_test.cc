// The copy engine of an SM, cycle by cycle: when a copy begins, how long it occupies the engine, when its bytes are
// there, and what it does not hold up. Clocks are those of small_machine().
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "timing/sm_bench.h"

using namespace warptime;
using namespace warptime::sim;

namespace {

MachineConfig machine_with_engine() {
  MachineConfig machine = small_machine();
  machine.features = {"mbarriers", "bulk_copies", "global_atomics"};
  machine.dram.tREFI = 0;
  CopyEngineConfig& engine = machine.copy_engine;
  engine.queue_entries = 2;
  engine.initiation = 10;
  engine.latency = 30;
  engine.request_cycles = 3;
  engine.store_latency = 7;
  engine.store_bytes_per_cycle = 16;
  engine.reduce_bytes_per_cycle = 8;
  engine.shared_bytes_per_cycle = 4;
  engine.shared_latency = 25;
  return machine;
}
const SmBench::Shape kHopper{.target = ".version 8.0\n.target sm_90\n"};

/// Thread 0 goes on, with an mbarrier object at [sh] that waits for so many bytes: lines 1 to 6.
std::string begin(uint32_t bytes) {
  return fmt::format(R"(ld.param.u64 %rd1, [buf];
mov.u32 %r1, %tid.x;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra END;
mbarrier.init.shared.b64 [sh], 1;
mbarrier.arrive.expect_tx.shared.b64 _, [sh], {};
)",
                     bytes);
}
const std::string kWait = R"(WAIT:
mbarrier.try_wait.parity.shared.b64 %p2, [sh], 0;
@!%p2 bra WAIT;
END:
)";
std::string load(uint32_t at, uint32_t bytes) {
  return fmt::format("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [sh+{}], [%rd1], {}, [sh];\n",
                     1024 + at, bytes);
}
std::string inside(uint32_t bytes) {
  return fmt::format(
      "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [sh+1024], [sh+4096], {}, [sh];\n",
      bytes);
}
std::string store(uint32_t bytes) {
  return fmt::format("cp.async.bulk.global.shared::cta.bulk_group [%rd1], [sh+1024], {};\n", bytes);
}
constexpr size_t kFirst = 7;  // line behind begin()

}  // namespace

TEST_CASE("a copy arrives as a load would that issues when its request leaves the engine", "[timing]") {
  MachineConfig machine = machine_with_engine();
  machine.copy_engine.latency = 54;  // whole cycles of all clocks
  SmBench ordinary(machine, begin(0) + "ld.global.u32 %r1, [%rd1];\nadd.s32 %r2, %r1, 1;\nEND:\n", kHopper);
  const Cycle latency = ordinary.issues(kFirst + 1).at(0) - ordinary.issues(kFirst).at(0);
  SmBench copy(machine, begin(64) + load(0, 64) + kWait, kHopper);  // the bytes of the load's transaction
  issues_at(copy, kFirst + 2, copy.issues(kFirst).at(0) + machine.copy_engine.latency + latency);
  CHECK(copy.stalled(kFirst + 2, Stall::AsyncWait) > latency);
  CHECK(copy.counters().pipes().copy_engine == machine.copy_engine.initiation);
  const SmBench nothing(machine, begin(64) + inside(64) + kWait, kHopper);
  CHECK(copy.counters().pipes().memory_port == nothing.counters().pipes().memory_port);
  CHECK(copy.counters().global.loads == 1);
  CHECK(copy.counters().global.bytes_requested == 64);
}

TEST_CASE("loaded bytes are written to shared memory at the engine's rate", "[timing]") {
  auto until = [](double rate, uint32_t bytes) {
    MachineConfig machine = machine_with_engine();
    machine.copy_engine.load_bytes_per_cycle = rate;
    SmBench bench(machine, begin(bytes) + load(0, bytes) + kWait, kHopper);
    return bench.issues(kFirst + 2).at(0) - bench.issues(kFirst).at(0);
  };
  // Two parts of 512 bytes: the first is written, then the second.
  const Cycle fast = until(1024, 1024), slow = until(1, 1024);
  CHECK(slow > 512 + until(1024, 512));
  CHECK(slow <= 512 + fast);
}

TEST_CASE("copies execute one after the other", "[timing]") {
  // Within shared memory, where no memory system is in the way: 64 bytes take 16 cycles, 16 the cycles of any copy.
  const CopyEngineConfig engine = machine_with_engine().copy_engine;
  SmBench one(machine_with_engine(), begin(64) + inside(64) + kWait, kHopper);
  issues_at(one, kFirst + 2, one.issues(kFirst).at(0) + engine.latency + 16 + engine.shared_latency);
  SmBench two(machine_with_engine(), begin(80) + inside(64) + inside(16) + kWait, kHopper);
  issues_at(two, kFirst + 1, two.issues(kFirst).at(0) + 2);  // the scheduler's cycles
  issues_at(two, kFirst + 3,
            two.issues(kFirst).at(0) + engine.latency + 16 + engine.initiation + engine.shared_latency);
  CHECK(two.counters().pipes().copy_engine == 16 + engine.initiation);
  CHECK(two.stalled(kFirst + 1, Stall::CopyEngineBusy) == 0);
}

TEST_CASE("a copy issues when the queue has a free entry", "[timing]") {
  // The first begins at once; the second and third wait; the fourth may issue when the second begins, and so on.
  std::string body = begin(5 * 256);
  for (int i = 0; i < 5; ++i) body += inside(256);
  body += "add.s32 %r2, %r1, 1;\n";
  SmBench bench(machine_with_engine(), body + kWait, kHopper);
  const Cycle first = bench.issues(kFirst).at(0);
  issues_at(bench, kFirst + 2, first + 4);
  issues_at(bench, kFirst + 3, first + 64);
  issues_at(bench, kFirst + 4, first + 2 * 64);
  issues_at(bench, kFirst + 5, first + 2 * 64 + 2);  // what does not need the engine does not wait
  CHECK(bench.stalled(kFirst + 3, Stall::CopyEngineBusy) == 64 - 6);
  CHECK(bench.stalled(kFirst + 4, Stall::CopyEngineBusy) == 64 - 2);
  // With another entry, one more issues at once.
  MachineConfig larger = machine_with_engine();
  larger.copy_engine.queue_entries = 3;
  SmBench more(larger, body + kWait, kHopper);
  issues_at(more, kFirst + 3, more.issues(kFirst).at(0) + 6);
  issues_at(more, kFirst + 4, more.issues(kFirst).at(0) + 64);
}

TEST_CASE("a long copy holds up neither additions nor loads nor shared memory", "[timing]") {
  const std::string others = R"(add.s32 %r2, %r1, 1;
ld.global.u32 %r3, [%rd1+65536];
ld.shared.u32 %r4, [sh+64];
add.s32 %r5, %r3, 1;
)";
  SmBench alone(machine_with_engine(), begin(4096) + inside(16) + others + "END:\n", kHopper);
  SmBench beside(machine_with_engine(), begin(4096) + load(0, 4096) + others + "END:\n", kHopper);
  for (size_t line = kFirst + 1; line < kFirst + 4; ++line)
    issues_at(beside, line, beside.issues(kFirst).at(0) + alone.issues(line).at(0) - alone.issues(kFirst).at(0));
  CHECK(beside.stalled(kFirst + 2, Stall::MemoryPortBusy) == 0);
  CHECK(beside.stalled(kFirst + 2, Stall::MemoryQueueFull) == 0);
  // Without the engine, its transactions occupy the memory port.
  MachineConfig machine = machine_with_engine();
  machine.copy_engine.queue_entries = 0;
  SmBench without(machine, begin(4096) + load(0, 4096) + others + "END:\n", kHopper);
  CHECK(without.stalled(kFirst + 2, Stall::MemoryPortBusy) > 4096 / 128 * 4 - 10);
  CHECK(without.counters().pipes().copy_engine == 0);
}

TEST_CASE("a wait for groups ends when their sources have been read", "[timing]") {
  const CopyEngineConfig engine = machine_with_engine().copy_engine;
  const Cycle cycles = 512 / 16;
  for (const char* read : {"", ".read"}) {
    INFO(read);
    SmBench one(
        machine_with_engine(),
        begin(0) + store(512) + fmt::format("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group{} 0;\nEND:\n", read),
        kHopper);
    issues_at(one, kFirst + 2, one.issues(kFirst).at(0) + engine.latency + cycles + engine.store_latency);
    // All but the last group; and a copy of no group is not waited for.
    SmBench two(machine_with_engine(),
                begin(0) + store(512) + "cp.async.bulk.commit_group;\n" + store(512) + "cp.async.bulk.commit_group;\n" +
                    store(512) +
                    fmt::format("cp.async.bulk.wait_group{0} 1;\ncp.async.bulk.wait_group{0} 0;\nEND:\n", read),
                kHopper);
    issues_at(two, kFirst + 5, two.issues(kFirst).at(0) + engine.latency + cycles + engine.store_latency);
    issues_at(two, kFirst + 6, two.issues(kFirst).at(0) + engine.latency + 2 * cycles + engine.store_latency);
  }
  SmBench none(machine_with_engine(), begin(0) + "cp.async.bulk.wait_group 0;\nEND:\n", kHopper);
  CHECK(none.stalled(kFirst, Stall::AsyncWait) == 0);
  // A reduction reads more slowly.
  SmBench reduction(machine_with_engine(),
                    begin(0) +
                        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [sh+1024], 512;\n"
                        "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nEND:\n",
                    kHopper);
  issues_at(reduction, kFirst + 2, reduction.issues(kFirst).at(0) + engine.latency + 512 / 8 + engine.store_latency);
}

TEST_CASE("requests are of aligned bytes, and each takes the engine's cycles", "[timing]") {
  MachineConfig machine = machine_with_engine();
  machine.copy_engine.initiation = 1;
  auto requests = [&](uint32_t bytes, uint32_t from) {
    const SmBench bench(machine, begin(bytes) + fmt::format("add.u64 %rd1, %rd1, {};\n", from) + load(0, bytes) + kWait,
                        kHopper);
    const uint64_t count = bench.counters().global.transactions;
    CHECK(bench.counters().pipes().copy_engine == count * machine.copy_engine.request_cycles);
    return count;
  };
  CHECK(requests(512, 0) == 4);
  CHECK(requests(512, 128) == 4);
  CHECK(requests(512, 16) == 5);  // 112 bytes, three times 128, 16
  CHECK(requests(96, 16) == 1);
  machine.copy_engine.request_bytes = 32;
  CHECK(requests(512, 0) == 16);
  CHECK(requests(512, 16) == 17);
}
