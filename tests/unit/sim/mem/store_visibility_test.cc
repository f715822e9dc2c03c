// When stores become visible, on the machine of memory_driver.h: a 32-byte write that is ready at 0 is served by memory
// cycle 67, shader cycle 134, and done 20 later at 154 (memory_path_test.cc); visible from the next edge, 192, on.
#include <catch2/catch.hpp>

#include "unit/sim/mem/memory_driver.h"

using namespace warptime;
using namespace warptime::sim;

namespace {

/// The window edge from which a store is visible.
Cycle visible_from(const MachineConfig& machine, Cycle step) {
  MemoryDriver driver(machine);
  PendingStore store = store_of(kBase + 8, 0x12345678);
  driver.send(write_of(0, 0, store, 1));
  for (;;) {
    driver.step(driver.now + step);
    const bool due = driver.apply_stores();
    CHECK(store.visible == due);
    CHECK(driver.word_at(kBase + 8) == (due ? 0x12345678 : 0));
    if (due) return driver.now;
    REQUIRE(driver.now < 1024);
  }
}

}  // namespace

TEST_CASE("a store is visible from the first window edge after it is done", "[stores]") {
  MachineConfig machine = even_machine();
  for (Cycle step : {64, 32, 16}) {
    machine.memory.pipeline_cycles = 20;  // done at 154
    CHECK(visible_from(machine, step) == 192);
    machine.memory.pipeline_cycles = 57;  // done at 191
    CHECK(visible_from(machine, step) == 192);
    machine.memory.pipeline_cycles = 58;  // done at 192
    CHECK(visible_from(machine, step) == 256);
  }
}

TEST_CASE("a store is visible before its acknowledgement arrives", "[stores]") {
  MachineConfig machine = even_machine();
  for (uint32_t pipeline = 0; pipeline < 130; ++pipeline) {
    machine.memory.pipeline_cycles = pipeline;
    MemoryDriver driver(machine);
    PendingStore store = store_of(kBase, 5);
    driver.send(write_of(0, 0, store, 1));
    while (driver.answers.empty()) {
      bool visible = store.visible;
      driver.step(driver.now + 64);
      if (!driver.answers.empty()) CHECK((visible || store.visible));
      if (!driver.answers.empty()) CHECK(driver.word_at(kBase) == 5);
    }
  }
}

TEST_CASE("leaving out idle steps does not delay a store", "[stores]") {
  // The write command is at 116, so nothing happens in [320, 384), where the store is done (134 + 200).
  MachineConfig machine = even_machine();
  machine.memory.pipeline_cycles = 200;
  MemoryDriver driver(machine);
  PendingStore store = store_of(kBase, 5);
  driver.send(write_of(0, 0, store, 1));
  for (driver.step(64); !driver.apply_stores(); driver.step(driver.now + 64))
    driver.now = std::max(driver.now, driver.system.next_event(driver.now) / 64 * 64);
  CHECK(driver.now == 384);
}

TEST_CASE("only the bytes under the mask are written", "[stores]") {
  MemoryDriver driver(even_machine());
  std::fill(driver.memory.at(kBase), driver.memory.at(kBase) + 256, std::byte{0xee});
  PendingStore store;
  store.address = kBase;
  for (size_t i = 0; i < store.bytes.size(); ++i) store.bytes[i] = static_cast<std::byte>(i);
  store.byte_mask = {0x8000'0000'0000'0021, ~uint64_t{0}};
  driver.send(write_of(0, 0, store, 1, 128));
  driver.run(512);
  for (uint32_t i = 0; i < 256; ++i) {
    bool written = i == 0 || i == 5 || (i >= 63 && i < 128);
    CHECK(static_cast<uint32_t>(*driver.memory.at(kBase + i)) == (written ? i : 0xee));
  }
}

TEST_CASE("a store without bytes takes its time and touches nothing", "[stores]") {
  MemoryDriver driver(even_machine());
  PendingStore store;
  store.address = Addr{1} << 45;  // local memory may lie beyond the capacity
  driver.send(write_of(0, 0, store, 1));
  driver.run(1024);
  CHECK(driver.answers.size() == 1);
  CHECK(store.visible);
}

TEST_CASE("stores to one address take effect in the order of arrival, whatever the scheduler does", "[stores]") {
  // SM 2 (TPC 1) and SM 0 (TPC 0) store to one word at the same cycle; SM 2 is later in the order. Requests to another
  // row come between, so that row hits are served out of order.
  for (DramPolicy policy : {DramPolicy::fr_fcfs, DramPolicy::fcfs}) {
    MachineConfig machine = even_machine();
    machine.dram.scheduler = policy;
    MemoryDriver driver(machine);
    PendingStore first = store_of(kBase, 1), second = store_of(kBase, 2), third = store_of(kBase, 3);
    PendingStore other = store_of(kBase + 4096 * 8 * 2, 9);
    driver.send(write_of(2, 0, second, 2));
    driver.send(write_of(0, 0, first, 1));
    driver.send(write_of(1, 2, other, 4));
    driver.send(write_of(3, 6, third, 3));
    driver.run(1024);
    CHECK(driver.word_at(kBase) == 3);
    CHECK(driver.answer_cycle.size() == 4);

    MemoryDriver two(machine);
    PendingStore low = store_of(kBase, 1), high = store_of(kBase, 2);
    two.send(write_of(2, 0, high, 2));
    two.send(write_of(0, 0, low, 1));
    two.run(1024);
    CHECK(two.word_at(kBase) == 2);
  }
}

TEST_CASE("an older store wins over a younger one only if it arrives later", "[stores]") {
  MemoryDriver driver(even_machine());
  PendingStore early = store_of(kBase, 1), late = store_of(kBase, 2);
  driver.send(write_of(3, 0, early, 1));  // a higher SM, but an earlier cycle
  driver.send(write_of(0, 10, late, 2));
  driver.run(1024);
  CHECK(driver.word_at(kBase) == 2);
}
