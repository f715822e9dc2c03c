// same_address_merge: requests of one half-warp to the same word leave the SM one by one, but cross to the partition as
// one and read DRAM once.
#include <catch2/catch.hpp>

#include "unit/sim/mem/memory_driver.h"

using namespace warptime;
using namespace warptime::sim;

namespace {

struct Outcome {
  std::map<uint32_t, Cycle> answers;
  uint64_t read_bytes;
};

Outcome run(SameAddressMerge merge, const std::vector<Request>& requests) {
  MachineConfig machine = even_machine();
  machine.memory.same_address_merge = merge;
  MemoryDriver driver(machine);
  for (const Request& request : requests) driver.send(request);
  driver.run(4096);
  REQUIRE(driver.answers.size() == requests.size());
  return {driver.answer_cycle, driver.system.dram_statistics(kLate).read_bytes};
}

Request lane(Cycle ready, Addr word, uint32_t group, uint32_t tag, uint32_t sm = 0) {
  Request request = read_of(sm, ready, word & ~Addr{31}, tag);
  request.word = word;
  request.group = group;
  return request;
}

}  // namespace

TEST_CASE("same word, same half-warp: one read, an answer each", "[merge]") {
  std::vector<Request> requests;
  for (uint32_t i = 0; i < 8; ++i) requests.push_back(lane(2 * i, kBase + 4, 1, i));
  Outcome none = run(SameAddressMerge::none, requests);
  CHECK(none.read_bytes == 8 * 32);
  Outcome merged = run(SameAddressMerge::partition, requests);
  CHECK(merged.read_bytes == 32);
  // The last one is in the queue at memory cycle 42 + 7, before the data are out (69). All answers are ready at 158 and
  // leave together, 2 core cycles at each port.
  for (uint32_t i = 0; i < 8; ++i) CHECK(merged.answers[i] == 246);
  // One by one they take 2 core cycles each.
  CHECK(none.answers[7] > 246 + 4 * 6);
}

TEST_CASE("requests that are merged take no time of the ports", "[merge]") {
  // Another SM's request of the same cycle as the fourth lane passes both ports as if the first had come alone.
  auto other_of = [](uint32_t lanes) {
    std::vector<Request> requests;
    for (uint32_t i = 0; i < lanes; ++i) requests.push_back(lane(0, kBase + 4, 1, i));
    requests.push_back(lane(0, kBase + 64, 1, 99, 1));
    return run(SameAddressMerge::partition, requests).answers[99];
  };
  CHECK(other_of(8) == other_of(1));
  CHECK(other_of(1) > 246);  // behind the first, at the ports and in the DRAM
}

TEST_CASE("a request joins until the data are out", "[merge]") {
  // The first read's data are out at memory cycle 69. A request that is ready at 2 n is in the queue at 42 + n.
  CHECK(run(SameAddressMerge::partition, {lane(0, kBase, 1, 0), lane(54, kBase, 1, 1)}).read_bytes == 32);
  CHECK(run(SameAddressMerge::partition, {lane(0, kBase, 1, 0), lane(56, kBase, 1, 1)}).read_bytes == 64);
  // A third joins the second's read.
  CHECK(run(SameAddressMerge::partition, {lane(0, kBase, 1, 0), lane(56, kBase, 1, 1), lane(58, kBase, 1, 2)})
            .read_bytes == 64);
}

TEST_CASE("what does not merge: other words, half-warps, SMs, and writes", "[merge]") {
  CHECK(run(SameAddressMerge::partition, {lane(0, kBase, 1, 0), lane(2, kBase + 4, 1, 1)}).read_bytes == 64);
  CHECK(run(SameAddressMerge::partition, {lane(0, kBase, 1, 0), lane(2, kBase, 2, 1)}).read_bytes == 64);
  CHECK(run(SameAddressMerge::partition, {lane(0, kBase, 1, 0), lane(0, kBase, 1, 1, 1)}).read_bytes == 64);
  MachineConfig machine = even_machine();
  machine.memory.same_address_merge = SameAddressMerge::partition;
  MemoryDriver driver(machine);
  PendingStore store = store_of(kBase, 1);
  driver.send(lane(0, kBase, 1, 0));
  Request write = write_of(0, 2, store, 1);
  write.group = 1;
  driver.send(write);
  driver.run(1024);
  CHECK(driver.system.dram_statistics(kLate).read_bytes == 32);
  CHECK(driver.system.dram_statistics(kLate).write_bytes == 32);
}

TEST_CASE("several words of a half-warp each have their read", "[merge]") {
  std::vector<Request> requests;
  for (uint32_t i = 0; i < 16; ++i) requests.push_back(lane(2 * i, kBase + 64 * (i / 4), 1, i));
  CHECK(run(SameAddressMerge::partition, requests).read_bytes == 4 * 32);
  CHECK(run(SameAddressMerge::none, requests).read_bytes == 16 * 32);
}

TEST_CASE("a cache's answer leaves no request waiting for a read that never was", "[merge]") {
  MachineConfig machine = even_machine();
  machine.memory.same_address_merge = SameAddressMerge::partition;
  machine.constant.partition_cache = {256, 64, 1, 20};
  MemoryDriver driver(machine);
  // The second is answered by the cache alone; the third, soon after it, must not follow it.
  for (auto [tag, cycle] : {std::pair{1u, 0u}, {2u, 1024u}, {3u, 1028u}}) {
    Request line = lane(cycle, kBase, 0, tag);
    line.kind = ReadKind::Constant;
    line.bytes = 64;
    driver.send(line);
  }
  driver.run(4096);
  CHECK(driver.answers.size() == 3);
  CHECK(driver.system.dram_statistics(kLate).read_bytes == 64);
}
