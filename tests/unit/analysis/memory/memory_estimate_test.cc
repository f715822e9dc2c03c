// The stochastic memory hierarchy on logs of a few requests, of which every order is known.
#include "analysis/memory/memory_estimate.h"

#include <catch2/catch.hpp>

using namespace warptime;
using analysis::estimate_memory;
using analysis::HitDistribution;
using analysis::MemoryEstimate;
using analysis::MemoryLevel;
using RequestKind = sim::RecordedRequest::Kind;

namespace {

/// One SM with an L1 of two lines in one set, and one partition with an L2 of eight sectors.
sim::MachineConfig small_machine() {
  sim::MachineConfig machine;
  machine.chip.tpcs = machine.chip.sms_per_tpc = 1;
  machine.memory.partitions = 1;
  machine.l1.cache.bytes = 256;
  machine.l1.cache.line_bytes = 128;
  machine.l1.cache.ways = 2;
  machine.l2.cache.bytes = 4096;
  machine.l2.cache.line_bytes = 32;
  machine.l2.cache.ways = 16;
  machine.l2.write_policy = sim::WritePolicy::write_back;
  return machine;
}

sim::RecordedRequest load(Addr address, uint32_t pc = 0) { return {address, pc, 128, RequestKind::Load, false}; }
sim::RecordedRequest store(Addr address, uint32_t pc = 0) { return {address, pc, 32, RequestKind::Store, false}; }
sim::RecordedRequest barrier() { return {0, 0, 0, RequestKind::Barrier, false}; }

/// Warps of one block, instructions in lines 10 and 20.
sim::RequestRecord log_of(std::vector<std::vector<sim::RecordedRequest>> warps, uint32_t warps_per_block = 64) {
  sim::RequestRecord log;
  log.blocks_per_sm = 1;
  log.lines = {10, 20, 30};
  for (uint32_t i = 0; i < warps.size(); ++i)
    log.warps.push_back({i / warps_per_block, i % warps_per_block, std::move(warps[i])});
  log.recorded_blocks = log.blocks = log.warps.back().block + 1;
  return log;
}

HitDistribution of(const MemoryEstimate& estimate, MemoryLevel level) {
  INFO(analysis::kMemoryLevelNames[static_cast<size_t>(level)]);
  REQUIRE(estimate.levels[static_cast<size_t>(level)].has_value());
  return *estimate.levels[static_cast<size_t>(level)];
}

}  // namespace

TEST_CASE("memory estimate: one warp has one order, and the interval is a point") {
  const sim::RequestRecord log = log_of({{load(0), load(0, 1), load(128), load(256), load(0)}});
  MemoryEstimate estimate = estimate_memory(small_machine(), log, {}, 8, 1);
  HitDistribution l1 = of(estimate, MemoryLevel::L1), l2 = of(estimate, MemoryLevel::L2);
  CHECK(l1.accesses == 5);  // 0 misses, hits, 128 and 256 miss, and 0 has gone by then
  CHECK(l1.mean == Approx(1.0 / 5));
  CHECK(l1.low == Approx(l1.mean));
  CHECK(l1.high == Approx(l1.mean));
  CHECK(l2.accesses == 4);
  CHECK(l2.mean == Approx(1.0 / 4));  // 0 again
  // Three lines of 128 bytes in one row: of 12 bursts of 32 bytes, the first opens it.
  HitDistribution rows = of(estimate, MemoryLevel::DramRows);
  CHECK(rows.accesses == 12);
  CHECK(rows.mean == Approx(11.0 / 12));
  CHECK_FALSE(estimate.levels[static_cast<size_t>(MemoryLevel::Texture)].has_value());
  REQUIRE(estimate.lines.size() == 2);
  CHECK(estimate.lines[0].line == 10);
  CHECK(estimate.lines[0].levels[static_cast<size_t>(MemoryLevel::L1)]->mean == 0);
  CHECK(estimate.lines[1].line == 20);
  CHECK(estimate.lines[1].levels[static_cast<size_t>(MemoryLevel::L1)]->mean == 1);
}

TEST_CASE("memory estimate: no warp passes a barrier that another has not reached") {
  // With the barrier the second warp always finds what the first one fetched; without it both are in one pool.
  MemoryEstimate with =
      estimate_memory(small_machine(), log_of({{load(0), barrier()}, {barrier(), load(0)}}), {}, 50, 7);
  CHECK(of(with, MemoryLevel::L1).mean == 0.5);
  CHECK(of(with, MemoryLevel::L1).low == 0.5);
  MemoryEstimate without = estimate_memory(small_machine(), log_of({{load(0)}, {load(0)}}), {}, 50, 7);
  HitDistribution l1 = of(without, MemoryLevel::L1);
  CHECK(l1.mean == 0);                                // both miss,
  CHECK(of(without, MemoryLevel::L2).accesses == 1);  // and the line is fetched once
}

TEST_CASE("memory estimate: a later block follows one that has ended, on its SM") {
  // One block at a time: the second finds the line in the L1 whatever the order.
  MemoryEstimate estimate = estimate_memory(small_machine(), log_of({{load(0)}, {load(0)}}, 1), {}, 20, 3);
  CHECK(of(estimate, MemoryLevel::L1).mean == 0.5);
  CHECK(of(estimate, MemoryLevel::L1).low == 0.5);
}

TEST_CASE("memory estimate: a store evicts the line from the L1 and leaves it in the L2") {
  MemoryEstimate estimate = estimate_memory(small_machine(), log_of({{load(0), store(0), load(0)}}), {}, 4, 1);
  CHECK(of(estimate, MemoryLevel::L1).mean == 0);
  CHECK(of(estimate, MemoryLevel::L2).accesses == 3);
  CHECK(of(estimate, MemoryLevel::L2).mean == Approx(2.0 / 3));
}

TEST_CASE("memory estimate: an access of several requests stays together") {
  // Both lines of one instruction go in one pool: two warps that alternate cannot come between them.
  sim::RecordedRequest second = load(128);
  second.continues = true;
  MemoryEstimate estimate = estimate_memory(small_machine(), log_of({{load(0), second, load(0), second}}), {}, 30, 5);
  CHECK(of(estimate, MemoryLevel::L1).accesses == 4);
  CHECK(of(estimate, MemoryLevel::L1).mean == 0.5);
}

TEST_CASE("memory estimate: accesses go together up to the first use of a result") {
  // Instruction 0 loads a line, 1 another one, and 2 the first again.
  const sim::RequestRecord log = log_of({{load(0, 0), load(128, 1), load(0, 2)}});
  auto hits = [&](const std::vector<uint32_t>& uses) {
    return of(estimate_memory(small_machine(), log, uses, 5, 1), MemoryLevel::L1).mean;
  };
  CHECK(hits({2, 3, 3}) == Approx(1.0 / 3));  // 2 needs what 0 loads, and finds its line
  CHECK(hits({3, 2, 3}) == Approx(1.0 / 3));  // 2 needs what 1 loads
  CHECK(hits({3, 3, 3}) == 0);                // all three at once
}

TEST_CASE("memory estimate: the seed alone decides the orders") {
  const sim::RequestRecord log =
      log_of({{load(0), load(512), load(0)}, {load(256), load(0), load(256)}, {load(512), load(256), load(0)}});
  auto ratios = [&](uint64_t seed) {
    return of(estimate_memory(small_machine(), log, {}, 25, seed), MemoryLevel::L1).ratios;
  };
  CHECK(ratios(1) == ratios(1));
  CHECK(ratios(1) != ratios(2));
}
