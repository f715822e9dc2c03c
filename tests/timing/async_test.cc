// When waits for asynchronous copies, and at mbarrier objects, are over. Clocks are those of small_machine(); a copy
// takes as long as a load of the same address, from its issue until a wait for its group may issue.
#include <catch2/catch.hpp>

#include "sim/mem/tensor_map.h"
#include "timing/sm_bench.h"

using namespace warptime;
using namespace warptime::sim;

namespace {

MachineConfig machine_with_copies() {
  MachineConfig machine = small_machine();
  machine.features = {"async_copies", "mbarriers", "bulk_copies", "tensor_copies"};
  machine.dram.tREFI = 0;
  return machine;
}
const SmBench::Shape kLater{.target = ".version 8.0\n.target sm_90\n"};

}  // namespace

TEST_CASE("cp.async.wait_group issues when a load's result could be used", "[timing]") {
  SmBench load(machine_with_copies(), "ld.param.u64 %rd1, [buf];\nld.global.u32 %r1, [%rd1];\nadd.s32 %r2, %r1, 1;\n",
               kLater);
  const Cycle latency = load.issues(3).at(0) - load.issues(2).at(0);
  SmBench copy(machine_with_copies(), R"(ld.param.u64 %rd1, [buf];
cp.async.ca.shared.global [sh], [%rd1], 4;
cp.async.commit_group;
cp.async.wait_group 0;
)",
               kLater);
  issues_at(copy, 4, copy.issues(2).at(0) + latency);
  CHECK(copy.stalled(4, Stall::AsyncWait) > latency / 2);
  CHECK(copy.counters().global.loads == 1);
  // A group that may be under way, and one that is not there, are not waited for.
  SmBench free(machine_with_copies(), R"(ld.param.u64 %rd1, [buf];
cp.async.ca.shared.global [sh], [%rd1], 4;
cp.async.commit_group;
cp.async.wait_group 1;
add.s32 %r1, %r2, 1;
)",
               kLater);
  CHECK(free.issues(4).at(0) < free.issues(2).at(0) + 20);
  CHECK(free.stalled(4, Stall::AsyncWait) == 0);
}

TEST_CASE("a copy of no bytes waits for no memory", "[timing]") {
  SmBench copy(machine_with_copies(), R"(ld.param.u64 %rd1, [buf];
cp.async.ca.shared.global [sh], [%rd1], 4, 0;
cp.async.wait_all;
)",
               kLater);
  CHECK(copy.issues(3).at(0) < copy.issues(2).at(0) + 10);
  CHECK(copy.counters().global.transactions == 0);
}

TEST_CASE("mbarrier.try_wait sleeps until its phase is complete, or its time is over", "[timing]") {
  // Warp 1 arrives after a chain of additions; warp 0 waits for it.
  std::string body = R"(mov.u32 %r1, %tid.x;
setp.ge.u32 %p1, %r1, 32;
mbarrier.init.shared.b64 [sh], 32;
bar.sync 0;
@%p1 bra ARRIVES;
WAIT:
mbarrier.try_wait.parity.shared.b64 %p2, [sh], 0;
@!%p2 bra WAIT;
bra END;
ARRIVES:
)";
  for (int i = 0; i < 20; ++i) body += "add.s32 %r2, %r2, 1;\n";
  body += "mbarrier.arrive.shared.b64 %rd1, [sh];\nEND:\n";
  SmBench::Shape shape = kLater;
  shape.threads = 64;
  SmBench bench(machine_with_copies(), body, shape);
  const Cycle arrival = bench.issues(31).at(0);
  CHECK(bench.issues(7).size() == 1);  // it issues once
  CHECK(bench.issues(7).at(0) > arrival);
  CHECK(bench.issues(7).at(0) <= arrival + 8 * 32 + 60);  // lanes arrive one after the other
  // Nobody arrives: it gives up after 1000 nanoseconds.
  SmBench alone(machine_with_copies(), R"(mbarrier.init.shared.b64 [sh], 1;
mbarrier.try_wait.parity.shared.b64 %p2, [sh], 0, 1000;
add.s32 %r2, %r2, 1;
)",
                kLater);
  CHECK(alone.issues(2).at(0) >= alone.issues(1).at(0) + 1350);
  CHECK(alone.issues(2).at(0) < alone.issues(1).at(0) + 1350 + 350);
}

TEST_CASE("a bulk copy completes its phase when its last bytes have come", "[timing]") {
  auto until = [](uint32_t bytes) {
    SmBench bench(machine_with_copies(),
                  fmt::format(R"(ld.param.u64 %rd1, [buf];
mov.u32 %r1, %tid.x;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra END;
mbarrier.init.shared.b64 [sh], 1;
mbarrier.arrive.expect_tx.shared.b64 _, [sh], {0};
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [sh+1024], [%rd1], {0}, [sh];
WAIT:
mbarrier.try_wait.parity.shared.b64 %p2, [sh], 0;
@!%p2 bra WAIT;
END:
)",
                              bytes),
                  kLater);
    CHECK(bench.issues(9).size() == 1);
    CHECK(bench.counters().global.bytes_requested == bytes);
    return bench.issues(9).at(0) - bench.issues(7).at(0);
  };
  CHECK(until(4096) > until(512) + 4 * 3584 / 128);  // at least the memory port's cycles for the rest
}

TEST_CASE("wgmma.wait_group issues when the tensor core has made the group's products", "[timing]") {
  MachineConfig machine = small_machine();
  machine.features = {"wgmma"};
  machine.issue.ports = 4;  // a warp of the group on each
  machine.tensor.groups = 4;
  machine.tensor.reach = PipeReach::own_scheduler;
  SmBench::Shape shape{.threads = 128, .target = ".version 8.0\n.target sm_90a\n"};
  const std::string product =
      "wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 "
      "{%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8,%f9,%f10,%f11,%f12,%f13,%f14,%f15}, %rd1, %rd1, 1, 1, 1, 0, 0;\n";
  const std::string begin = "mov.b64 %rd1, 0x1000080000;\nwgmma.fence.sync.aligned;\n",
                    end = "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n";
  const Cycle kColumnCycles = machine.tensor.start_cycles + (64 + 32) * 16 * 2 / (4 * machine.sm.shared.banks);
  const Cycle latency = machine.latency.tensor + machine.tensor.depth_cycles;
  SmBench one(machine, begin + product + end, shape);
  starts_at(one, 5, one.issues(3).at(0) + kColumnCycles + latency);
  CHECK(one.stalled(5, Stall::AsyncWait) > 0);
  // One product after the other.
  SmBench two(machine, begin + product + product + end, shape);
  starts_at(two, 6, two.issues(3).at(0) + 2 * kColumnCycles + latency);
  // A wait for the first of two groups.
  const std::string commit = "wgmma.commit_group.sync.aligned;\n";
  SmBench first(machine, begin + product + commit + product + commit + "wgmma.wait_group.sync.aligned 1;\n", shape);
  starts_at(first, 7, first.issues(3).at(0) + kColumnCycles + latency);
  // No group at all.
  SmBench none(machine, begin + commit + "wgmma.wait_group.sync.aligned 0;\n", shape);
  CHECK(none.stalled(4, Stall::AsyncWait) == 0);
}

namespace {

/// A tensor map of 64 x 64 words behind its 128 bytes is written to [buf], then thread 0 copies a box of 32 x `rows` at
/// {at, 0} to shared memory and adds.
std::string tensor_copy_and_additions(uint32_t rows, int at, size_t count) {
  TensorMap map;
  map.type = TensorMap::Type::U32;
  map.rank = 2;
  map.dims = {64, 64, 1, 1, 1};
  map.strides = {256, 0, 0, 0};
  map.box = {32, rows, 1, 1, 1};
  std::array<std::byte, TensorMap::kBytes> bytes{};
  map.write(bytes);
  std::string body = R"(ld.param.u64 %rd1, [buf];
mov.u32 %r1, %tid.x;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra END;
mbarrier.init.shared.b64 [sh], 1;
add.u64 %rd2, %rd1, 128;
st.global.u64 [%rd1], %rd2;
)";
  for (size_t word = 1; word < 16; ++word) {
    uint64_t value = 0;
    std::memcpy(&value, bytes.data() + 8 * word, sizeof value);
    body += fmt::format("st.global.u64 [%rd1+{}], {};\n", 8 * word, value);
  }
  body += fmt::format(
      "membar.gl;\nmbarrier.arrive.expect_tx.shared.b64 _, [sh], {};\n"
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [sh+1024], [%rd1, {{{}, 0}}], "
      "[sh];\n",
      rows * 128, at);
  for (size_t i = 0; i < count; ++i) body += "add.s32 %r2, %r2, 1;\n";
  return body + "WAIT:\nmbarrier.try_wait.parity.shared.b64 %p2, [sh], 0;\n@!%p2 bra WAIT;\nEND:\n";
}
constexpr size_t kTensorCopyAt = 25;  // line

}  // namespace

TEST_CASE("a tensor copy takes time for the bytes that it moves, and none of the pipes of additions", "[timing]") {
  auto run = [](uint32_t rows, int at, size_t count) {
    return std::make_unique<SmBench>(machine_with_copies(), tensor_copy_and_additions(rows, at, count), kLater);
  };
  const auto small = run(1, 0, 10), large = run(24, 0, 10);
  auto additions = [](SmBench& bench) {
    return bench.issues(kTensorCopyAt + 10).at(0) - bench.issues(kTensorCopyAt + 1).at(0);
  };
  CHECK(additions(*large) == additions(*small));
  const auto whole = run(24, 0, 0), half = run(24, 48, 0), none = run(24, 64, 0);
  auto until = [](SmBench& bench) { return bench.issues(kTensorCopyAt + 2).at(0) - bench.issues(kTensorCopyAt).at(0); };
  CHECK(until(*whole) > until(*half));
  CHECK(until(*half) > until(*none));
  CHECK(large->counters().global.bytes_requested - small->counters().global.bytes_requested == 23 * 128);
  CHECK(half->counters().global.bytes_requested - none->counters().global.bytes_requested == 24 * 64);
  CHECK(large->counters().global.transactions > half->counters().global.transactions);
}
