// Atomic operations at the partition, on the machine of memory_driver.h: when they answer, and what they see. One lane
// at 0: 8 + 32 bytes take two core cycles at both ports: 4, 84, 88 = memory cycle 44; ACT 44, RD 58, data until 71 ->
// 142; 162; the atomic unit 4 cycles for a lane: 166; two core cycles at both ports: 170, 250, 254.
#include <catch2/catch.hpp>

#include "sim/mem/arrival_order.h"
#include "unit/sim/mem/memory_driver.h"

using namespace warptime;
using namespace warptime::sim;

namespace {

MachineConfig atomic_machine() {
  MachineConfig machine = even_machine();
  machine.features = {"global_atomics"};
  machine.memory.atomic_cycles = 4;
  return machine;
}

uint64_t add(uint64_t old, uint64_t b, uint64_t) { return static_cast<uint32_t>(old + b); }

/// Lane i adds `b` to the word at `address` + i * stride.
PendingAtomic addition(Addr address, uint32_t lanes, uint32_t stride, uint32_t b) {
  PendingAtomic atomic;
  atomic.address = address & ~Addr{31};
  atomic.combine = add;
  atomic.lanes = lanes == 32 ? ~0u : (1u << lanes) - 1;
  atomic.size = 32;
  for (uint32_t i = 0; i < lanes; ++i) {
    atomic.at[i] = static_cast<uint8_t>(address - atomic.address + i * stride);
    atomic.b[i] = b;
  }
  return atomic;
}

Request request_of(uint32_t sm, Cycle ready, PendingAtomic& atomic, uint32_t tag) {
  Request request = write_of(sm, ready, atomic, tag);
  request.atomic = true;
  return request;
}

}  // namespace

TEST_CASE("an atomic operation takes as long as its word with the most lanes has lanes", "[atomics]") {
  for (uint32_t lanes : {1u, 2u, 8u}) {
    PendingAtomic apart = addition(kBase, lanes, 4, 1), together = addition(kBase, lanes, 0, 1);
    CHECK(answers_of(atomic_machine(), {request_of(0, 0, apart, 1)})[1] == 254);
    CHECK(answers_of(atomic_machine(), {request_of(0, 0, together, 1)})[1] == 254 + 4 * (lanes - 1));
  }
  PendingAtomic all = addition(kBase, 32, 0, 1);
  CHECK(answers_of(atomic_machine(), {request_of(0, 0, all, 1)})[1] == 254 + 4 * 31);
}

TEST_CASE("the atomic unit takes one request after the other", "[atomics]") {
  // SM 2, on the other TPC: its packet passes the partition's port two core cycles later: RD 60, 146, 166. The first
  // one's eight lanes hold the unit until 162 + 32 = 194, the second's four until 210: 214, 294, 298.
  PendingAtomic first = addition(kBase, 8, 0, 1), second = addition(kBase, 4, 0, 1);
  auto answers = answers_of(atomic_machine(), {request_of(0, 0, first, 1), request_of(2, 0, second, 2)});
  CHECK(answers[1] == 254 + 4 * 7);
  CHECK(answers[2] == 298);
  // Alone the second is four cycles later than the first of one lane, on another TPC's port.
  PendingAtomic one = addition(kBase, 1, 0, 1), other = addition(kBase, 1, 0, 1);
  answers = answers_of(atomic_machine(), {request_of(0, 0, one, 1), request_of(2, 0, other, 2)});
  CHECK(answers[1] == 254);
  CHECK(answers[2] == 258);
}

TEST_CASE("atomic operations of several SMs see each other at once", "[atomics]") {
  MemoryDriver driver(atomic_machine());
  std::vector<PendingAtomic> all;
  for (uint32_t sm = 0; sm < 4; ++sm) all.push_back(addition(kBase + 8, 2, 0, 10));
  for (uint32_t sm = 0; sm < 4; ++sm) driver.send(request_of(sm, 0, all[sm], sm));
  driver.run(1024);
  // At the partition SM 0 and SM 2 are first, each from its TPC's port, then SM 1 and SM 3.
  for (auto [sm, before] : {std::pair{0u, 0u}, {2u, 20u}, {1u, 40u}, {3u, 60u}}) {
    INFO("SM " << sm);
    CHECK(all[sm].old[0] == before);
    CHECK(all[sm].old[1] == before + 10);
  }
  CHECK(driver.word_at(kBase + 8) == 80);
}

TEST_CASE("an atomic operation sees a store that arrived before it and is not visible yet", "[atomics]") {
  MemoryDriver driver(atomic_machine());
  PendingStore store = store_of(kBase + 4, 100);
  PendingAtomic atomic = addition(kBase + 4, 1, 0, 1);
  driver.send(write_of(0, 0, store, 1));
  driver.send(request_of(0, 0, atomic, 2));
  driver.run(128);
  CHECK(atomic.old[0] == 100);
  CHECK(driver.word_at(kBase + 4) == 0);
  driver.run(1024);
  CHECK(driver.word_at(kBase + 4) == 101);
}

TEST_CASE("a store that arrives after an atomic operation is not lost, one before it does not come back", "[atomics]") {
  for (bool store_first : {true, false}) {
    INFO("store first: " << store_first);
    MemoryDriver driver(atomic_machine());
    PendingStore store = store_of(kBase + 4, 100);
    PendingAtomic atomic = addition(kBase, 2, 4, 1);  // the store's word and the one before it
    // The reads of another row keep the DRAM busy, and the write waits longer than the read.
    if (store_first) driver.send(write_of(0, 0, store, 1));
    driver.send(request_of(0, 0, atomic, 2));
    if (!store_first) driver.send(write_of(0, 1, store, 1));
    driver.run(1024);
    CHECK(driver.word_at(kBase) == 1);
    CHECK(driver.word_at(kBase + 4) == (store_first ? 101 : 100));
  }
}

TEST_CASE("a store does not bring back what an atomic operation has replaced and shown", "[atomics]") {
  ArrivalOrder order;
  PendingStore store = store_of(kBase + 4, 100);
  PendingAtomic atomic = addition(kBase, 1, 0, 1);
  atomic.address = kBase;
  atomic.byte_mask[0] = 0xff;  // both words
  order.arrives(&store);
  order.arrives(&atomic);
  order.becomes_visible(&atomic);
  CHECK(store.byte_mask[0] == 0);
  order.becomes_visible(&store);
}

TEST_CASE("atomic operations meet the L2", "[atomics]") {
  MachineConfig machine = atomic_machine();
  machine.l2.cache = CacheConfig{65536, 128, 8, 10};
  machine.l2.sector_bytes = 32;
  machine.l2.write_policy = WritePolicy::write_back;
  PendingAtomic first = addition(kBase, 1, 0, 1), second = addition(kBase, 1, 0, 1);
  MemoryDriver driver(machine);
  driver.send(request_of(0, 0, first, 1));
  driver.send(request_of(0, 512, second, 2));
  driver.run(2048);
  CHECK(driver.answer_cycle[1] == 254);
  // A hit: 512 + 88 at the partition, 10 of the cache, 4 of the unit: 614, 618, 698, 702. Nothing is written to DRAM.
  CHECK(driver.answer_cycle[2] == 702);
  CHECK(second.old[0] == 1);
  CHECK(driver.system.dram_statistics(kLate).write_bytes == 0);
}

TEST_CASE("without a cache that writes back, what an atomic operation changed goes to DRAM", "[atomics]") {
  MemoryDriver driver(atomic_machine());
  PendingAtomic atomic = addition(kBase, 1, 0, 1);
  driver.send(request_of(0, 0, atomic, 1));
  driver.run(1024);
  CHECK(driver.system.dram_statistics(kLate).read_bytes == 32);
  CHECK(driver.system.dram_statistics(kLate).write_bytes == 32);
}
