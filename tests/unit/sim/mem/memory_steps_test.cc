// What everyone sees must not depend on how the simulation is cut: steps of a window, a half or a quarter, idle steps
// left out, TPCs and partitions on several threads, a second run.
#include <barrier>
#include <catch2/catch.hpp>
#include <cstring>
#include <thread>

#include "unit/sim/mem/traffic.h"

using namespace warptime;
using namespace warptime::sim;

namespace {

std::vector<uint64_t> run(const MachineConfig& machine, const TrafficShape& shape, Cycle step, bool skip = false) {
  Traffic traffic(machine, shape);
  traffic.run(step, skip);
  return traffic.everything();
}

constexpr size_t kSame = ~size_t{0};

/// Where two logs begin to differ.
size_t difference(const std::vector<uint64_t>& a, const std::vector<uint64_t>& b) {
  auto [in_a, in_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return in_a == a.end() && in_b == b.end() ? kSame : static_cast<size_t>(in_a - a.begin());
}

}  // namespace

TEST_CASE("half and quarter steps give the same answers at the same cycles", "[steps]") {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    TrafficShape shape{.seed = seed};
    auto whole = run(traffic_machine(), shape, 64);
    CHECK(whole.size() > 10'000);
    CHECK(difference(run(traffic_machine(), shape, 64), whole) == kSame);
    CHECK(difference(run(traffic_machine(), shape, 32), whole) == kSame);
    CHECK(difference(run(traffic_machine(), shape, 16), whole) == kSame);
    CHECK(difference(run(traffic_machine(), {.seed = seed + 100}, 64), whole) != kSame);
  }
}

TEST_CASE("steps do not matter under congestion, with odd clocks, with each scheduler and map", "[steps]") {
  for (DramPolicy policy : {DramPolicy::fr_fcfs, DramPolicy::fcfs}) {
    for (AddressMap map : {AddressMap::short_, AddressMap::long_, AddressMap::xor_}) {
      MachineConfig machine = traffic_machine();
      machine.dram.scheduler = policy;
      machine.memory.address_map = map;
      machine.memory.partitions = 2;
      machine.memory.credits_per_tpc = 2;
      machine.dram.queue_entries = 4;
      machine.dram.bypass_limit = 3;
      machine.clocks.core_mhz = 611;
      machine.clocks.memory_mhz = 397;
      TrafficShape shape{.seed = 5, .until = 8000, .gap = 1};
      auto whole = run(machine, shape, 64);
      CHECK(difference(run(machine, shape, 32), whole) == kSame);
      CHECK(difference(run(machine, shape, 16), whole) == kSame);
    }
  }
}

TEST_CASE("steps do not matter with the rules of later DRAM", "[steps]") {
  MachineConfig machine = traffic_machine();
  add_all_later_rules(machine.dram);
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    TrafficShape shape{.seed = seed, .until = 8000, .gap = seed == 3 ? 400u : 1u};
    auto whole = run(machine, shape, 64);
    CHECK(difference(run(machine, shape, 32), whole) == kSame);
    CHECK(difference(run(machine, shape, 16, true), whole) == kSame);
  }
}

TEST_CASE("idle steps may be left out", "[steps]") {
  TrafficShape shape{.seed = 9, .until = 60'000, .gap = 500, .long_gap = 3000};
  Traffic every(traffic_machine(), shape), needed(traffic_machine(), shape);
  every.run(64);
  needed.run(64, true);
  CHECK(difference(needed.everything(), every.everything()) == kSame);
  CHECK(needed.steps < every.steps);
  CHECK(difference(run(traffic_machine(), shape, 16, true), every.everything()) == kSame);
}

TEST_CASE("the most entries of a queue do not depend on the step", "[steps]") {
  auto most = [](Cycle step) {
    MachineConfig machine = even_machine();
    DeviceMemory memory(machine.memory.bytes, 256);
    memory.allocate(1 << 16, "span");
    MemorySystem system(machine, memory);
    for (Cycle begin = 0; begin < 64; begin += step) {
      for (uint32_t t = 0; t < machine.chip.tpcs; ++t) system.tpc(t).begin_step(begin, begin + step);
      // Two instructions, without asking for room: what has left the queue when the second one issues is not in it.
      for (Cycle now : {Cycle{4}, Cycle{60}}) {
        if (now < begin || now >= begin + step) continue;
        system.tpc(0).will_send(0, 8, now);
        for (uint32_t i = 0; i < 8; ++i) system.tpc(0).send(0, read_of(0, now, kBase + 64 * i, i));
      }
      for (uint32_t t = 0; t < machine.chip.tpcs; ++t) system.tpc(t).finish_step();
      for (uint32_t p = 0; p < machine.memory.partitions; ++p) system.run_partition(p, begin, begin + step);
      system.exchange();
    }
    return system.tpc(0).queue_use().most.value();
  };
  CHECK(most(64) == 8);
  CHECK(most(16) == 8);
}

TEST_CASE("a partition may be left out while nothing has arrived", "[steps]") {
  Cycle answered[2];
  for (bool left_out : {false, true}) {
    MemoryDriver driver(even_machine());
    driver.send(read_of(0, 60, kBase, 1));  // arrives after 60 + request_latency
    driver.step(64);
    if (left_out) driver.skip(128);
    else driver.step(128);
    driver.run(2048);
    answered[left_out] = driver.answer_cycle.at(1);
  }
  CHECK(answered[true] == answered[false]);
}

TEST_CASE("TPCs and partitions may run on several threads", "[steps]") {
  TrafficShape shape{.seed = 3, .until = 6000};
  auto alone = run(traffic_machine(), shape, 64);
  MachineConfig machine = traffic_machine();
  Traffic traffic(machine, shape);
  constexpr uint32_t kThreads = 3;
  std::barrier barrier(kThreads);
  auto work = [&](uint32_t thread) {
    for (Cycle begin = 0; begin < 20'000; begin += 64) {
      for (uint32_t p = thread; p < machine.memory.partitions; p += kThreads) traffic.system.apply_stores(p);
      barrier.arrive_and_wait();
      traffic.run_tpc(thread, begin, begin + 64);
      for (uint32_t p = thread; p < machine.memory.partitions; p += kThreads)
        traffic.system.run_partition(p, begin, begin + 64);
      barrier.arrive_and_wait();
      if (thread == 0) traffic.system.exchange();
      barrier.arrive_and_wait();
    }
  };
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < kThreads; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
  CHECK(traffic.system.idle());
  CHECK(difference(traffic.everything(), alone) == kSame);
}

TEST_CASE("after a reset everything is as at the beginning", "[steps]") {
  TrafficShape shape{.seed = 4, .until = 3000};
  auto fresh = run(traffic_machine(), shape, 64);
  Traffic used(traffic_machine(), {.seed = 8, .until = 3000});
  for (Cycle begin = 0; begin < 1024; begin += 64) used.step(begin, begin + 64);  // left in the middle
  CHECK_FALSE(used.system.idle());
  used.system.reset();
  CHECK(used.system.idle());
  used.agents.clear();
  const DeviceMemory::Allocation& span = used.memory.allocations().front();
  std::memset(used.memory.at(span.begin), 0, span.bytes);
  used.agents.resize(3);
  for (uint32_t t = 0; t < 3; ++t)
    for (uint32_t i = 0; i < 2; ++i) used.agents[t].emplace_back(shape, used.memory, t * 2 + i, i);
  used.run(64);
  CHECK(difference(used.everything(), fresh) == kSame);
}
