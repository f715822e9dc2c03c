// Equal requests that are sent as one are the same as each sent by itself, and a load's answers may be counted where
// they arrive: only the last one is delivered.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "base/random.h"
#include "unit/sim/mem/memory_driver.h"

using namespace warptime;
using namespace warptime::sim;

namespace {

struct Sent {
  Request first;
  uint32_t count = 1;
  uint32_t spacing = 0;
  uint32_t answers = 0;  // of the whole load, in its first run
};

/// Loads of one to three runs and stores, by both SMs of a TPC, in the order of (cycle, SM).
std::vector<Sent> requests(uint64_t seed, PendingStore& store) {
  SplitMix64 random(seed);
  std::vector<Sent> all;
  uint32_t tag = 0, group = 0;
  for (uint32_t sm = 0; sm < 2; ++sm) {
    Addr last = 0;
    for (Cycle ready = random.below(64); ready < 6000;) {
      const size_t first = all.size();
      uint32_t answers = 0;
      for (uint64_t runs = 1 + random.below(3); runs != 0; --runs) {
        Sent sent;
        Addr address = random.below(4) == 0 ? last : 4096 * random.below(6) + 64 * random.below(8);
        sent.first = read_of(sm, ready, address, tag, random.below(4) == 0 ? 64 : 32);
        sent.first.word = address + 4 * random.below(2);
        sent.first.group = random.below(3) == 0 ? group : ++group;
        if (random.below(8) == 0) {
          sent.first.kind = ReadKind::Texture;
        } else if (answers == 0 && random.below(8) == 0) {
          sent.first = write_of(sm, ready, store, tag);
          runs = 1;
        } else if (random.below(3) != 0) {
          sent.count = static_cast<uint32_t>(2 + random.below(15));
          sent.spacing = static_cast<uint32_t>(1 + random.below(6));
        }
        last = address;
        answers += sent.count;
        ready += Cycle{sent.count} * sent.spacing + random.below(8);
        all.push_back(sent);
      }
      all[first].answers = answers;
      ready += random.below(8) == 0 ? random.below(800) : random.below(60);
      ++tag;
    }
    tag += 10'000;
  }
  auto before = [](const Sent& a, const Sent& b) {
    return a.first.cycle != b.first.cycle ? a.first.cycle < b.first.cycle : a.first.sm < b.first.sm;
  };
  std::stable_sort(all.begin(), all.end(), before);
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

RunResult run(const MachineConfig& machine, uint64_t seed, bool as_runs, bool counted) {
  MemoryDriver driver(machine);
  PendingStore store = store_of(1 << 20, 7);
  TpcMemory& tpc = driver.system.tpc(0);
  RunResult result;
  const std::vector<Sent> all = requests(seed, store);
  for (Cycle now = 0; now < 160'000; now += 64) {
    for (uint32_t p = 0; p < driver.system.partition_count(); ++p) driver.system.apply_stores(p);
    tpc.begin_step(now, now + 64);
    for (const Sent& sent : all) {
      Request request = sent.first;
      if (request.cycle < now || request.cycle >= now + 64) continue;
      request.counted = counted && request.store == nullptr;
      if (request.counted && sent.answers != 0) tpc.expect(request.sm, request.tag, sent.answers);
      if (as_runs) {
        tpc.send(request.sm, request, sent.count, sent.spacing);
        continue;
      }
      for (uint32_t i = 0; i < sent.count; ++i, request.cycle += sent.spacing) tpc.send(request.sm, request);
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

MachineConfig machine_of(uint64_t seed) {
  MachineConfig machine = even_machine();
  machine.memory.same_address_merge = seed % 2 == 0 ? SameAddressMerge::none : SameAddressMerge::partition;
  machine.memory.credits_per_tpc = seed % 4 < 2 ? 3 : 64;  // credits run out within a run
  if (seed % 3 == 0) machine.texture.partition_cache = {4096, 32, 4, 20};
  return machine;
}

constexpr uint64_t kSeeds = 12;

}  // namespace

TEST_CASE("a run is the same as its requests one by one, on random traffic", "[memory]") {
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    INFO("seed " << seed);
    RunResult single = run(machine_of(seed), seed, false, false), runs = run(machine_of(seed), seed, true, false);
    REQUIRE(single.answers.size() > 500);
    CHECK(runs.answers == single.answers);
    CHECK(runs.queued == single.queued);
  }
}

TEST_CASE("of counted answers the last one is delivered, when it is there", "[memory]") {
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    INFO("seed " << seed);
    std::vector<Seen> all = run(machine_of(seed), seed, false, false).answers, last;
    std::map<uint32_t, uint32_t> to_come;
    for (const Seen& seen : all) ++to_come[seen.tag];
    for (const Seen& seen : all)
      if (--to_come[seen.tag] == 0) last.push_back(seen);
    REQUIRE(last.size() * 2 < all.size());
    CHECK(run(machine_of(seed), seed, true, true).answers == last);
  }
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
