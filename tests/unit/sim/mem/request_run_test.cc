// Equal requests that are sent as one are the same as each sent by itself, and a load's answers may be counted where
// they arrive: only the last one is delivered.
#include <algorithm>
#include <catch2/catch.hpp>

#include "unit/sim/mem/memory_driver.h"

using namespace warptime;
using namespace warptime::sim;

namespace {

constexpr uint32_t kSpacing = 4;

struct Sent {
  Request first;
  uint32_t count;
};

/// Two SMs of one TPC: loads of 16 equal reads and another one, and a store.
std::vector<Sent> requests(PendingStore& store) {
  std::vector<Sent> all;
  uint32_t tag = 0;
  for (uint32_t round = 0; round < 12; ++round)
    for (uint32_t sm = 0; sm < 2; ++sm) {
      Cycle ready = round * 17 * kSpacing + sm * 6;
      all.push_back({read_of(sm, ready, 4096 * round + 256 * sm, tag), 16});
      all.push_back({read_of(sm, ready + 16 * kSpacing, 512 + 64 * round, tag++, 64), 1});
    }
  all.push_back({write_of(1, 12 * 17 * kSpacing + 20, store, tag), 1});
  return all;
}

struct Seen {
  uint32_t tag;
  Cycle cycle;
  bool operator==(const Seen&) const = default;
};

struct RunResult {
  std::vector<Seen> answers;
  std::vector<uint32_t> queued;  // of both SMs, at each step's end
};

RunResult run(const MachineConfig& machine, bool as_runs, bool counted) {
  MemoryDriver driver(machine);
  PendingStore store = store_of(1 << 20, 7);
  std::vector<Sent> all = requests(store);
  TpcMemory& tpc = driver.system.tpc(0);
  RunResult result;
  for (Cycle now = 0; now < 20000; now += 64) {
    for (uint32_t p = 0; p < driver.system.partition_count(); ++p) driver.system.apply_stores(p);
    tpc.begin_step(now, now + 64);
    for (const Sent& sent : all) {
      Request request = sent.first;
      uint32_t count = sent.count;
      if (request.cycle < now || request.cycle >= now + 64) continue;
      request.counted = counted && request.store == nullptr;
      if (request.counted && count > 1) tpc.expect(request.sm, request.tag, count + 1);
      if (as_runs) {
        tpc.send(request.sm, request, count, kSpacing);
        continue;
      }
      for (uint32_t i = 0; i < count; ++i, request.cycle += kSpacing) tpc.send(request.sm, request);
    }
    while (tpc.next_response() != kNever) {
      Response response = tpc.pop_response();
      result.answers.push_back({response.tag, response.cycle});
    }
    for (uint32_t sm = 0; sm < 2; ++sm) result.queued.push_back(tpc.queued(sm, now + 64));
    for (uint32_t p = 0; p < driver.system.partition_count(); ++p) driver.system.run_partition(p, now, now + 64);
    driver.system.exchange();
  }
  CHECK(driver.system.idle());
  return result;
}

}  // namespace

TEST_CASE("a run is the same as its requests one by one", "[memory]") {
  MachineConfig machine = even_machine();
  machine.memory.same_address_merge = GENERATE(SameAddressMerge::none, SameAddressMerge::partition);
  machine.memory.partition_queue = GENERATE(3u, 64u);  // credits run out within a run
  RunResult single = run(machine, false, false), runs = run(machine, true, false);
  REQUIRE(single.answers.size() == 12 * 2 * 17 + 1);
  CHECK(runs.answers == single.answers);
  CHECK(runs.queued == single.queued);
}

TEST_CASE("of counted answers the last one is delivered, when it is there", "[memory]") {
  MachineConfig machine = even_machine();
  machine.memory.same_address_merge = GENERATE(SameAddressMerge::none, SameAddressMerge::partition);
  std::vector<Seen> all = run(machine, true, false).answers, counted = run(machine, true, true).answers;
  std::vector<Seen> last;
  for (size_t i = 0; i < all.size(); ++i) {
    bool again = false;
    for (size_t j = i + 1; j < all.size(); ++j) again |= all[j].tag == all[i].tag;
    if (!again) last.push_back(all[i]);
  }
  REQUIRE(last.size() == 12 * 2 + 1);
  CHECK(counted == last);
}

TEST_CASE("what an answer is for is known however long its run takes", "[memory]") {
  constexpr uint32_t kSlow = 16, kOthers = 1500;  // six times as many as there is place for at first
  constexpr Cycle kBetween = 8, kEnd = kOthers * kBetween;
  MemoryDriver driver(even_machine());
  TpcMemory& tpc = driver.system.tpc(0);
  std::vector<uint32_t> answers(kOthers + 1);  // by tag
  uint32_t next = 0;
  for (Cycle now = 0; now < kEnd + 2000; now += 64) {
    tpc.begin_step(now, now + 64);
    if (now == 0) tpc.send(0, read_of(0, 0, 0, kOthers), kSlow, kEnd / kSlow);
    for (; next < kOthers && next * kBetween < now + 64; ++next)
      tpc.send(1, read_of(1, next * kBetween, 256 * next, next));
    while (tpc.next_response() != kNever) {
      Response response = tpc.pop_response();
      CHECK(response.sm == (response.tag == kOthers ? 0 : 1));
      ++answers.at(response.tag);
    }
    for (uint32_t p = 0; p < driver.system.partition_count(); ++p) driver.system.run_partition(p, now, now + 64);
    driver.system.exchange();
  }
  CHECK(driver.system.idle());
  CHECK(answers.back() == kSlow);
  CHECK(std::count(answers.begin(), answers.end() - 1, 1u) == kOthers);
}
