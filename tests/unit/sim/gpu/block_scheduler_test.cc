// Who gets which block, and when.
#include "sim/gpu/block_scheduler.h"

#include <catch2/catch.hpp>

using namespace warptime;
using namespace warptime::sim;

namespace {

MachineConfig machine() {
  MachineConfig out;
  ChipConfig& config = out.chip;
  config.tpcs = 2;
  config.sms_per_tpc = 2;
  config.block_launch_cycles = 100;
  config.block_interval_cycles = 3;
  return out;
}

}  // namespace

TEST_CASE("first blocks go to each TPC in turn, or SM by SM", "[blocks]") {
  for (BlockOrder order : {BlockOrder::tpc_first, BlockOrder::sm_first}) {
    MachineConfig config = machine();
    config.chip.block_order = order;
    BlockScheduler scheduler(config);
    scheduler.add({.blocks = 6, .blocks_per_sm = 2});
    std::vector<uint32_t> sms;
    std::vector<Cycle> starts;
    for (const Placement& p : scheduler.arrives(0, 0)) {
      REQUIRE(p.block == sms.size());
      sms.push_back(p.sm);
      starts.push_back(p.start);
    }
    // SMs 0, 1 are TPC 0; 2, 3 are TPC 1. Six blocks: one round of four, then two of the next.
    if (order == BlockOrder::tpc_first) REQUIRE(sms == std::vector<uint32_t>{0, 2, 1, 3, 0, 2});
    else REQUIRE(sms == std::vector<uint32_t>{0, 1, 2, 3, 0, 1});
    REQUIRE(starts == std::vector<Cycle>{100, 103, 106, 109, 112, 115});
  }
}

TEST_CASE("a launch begins late, and blocks go in groups", "[blocks]") {
  MachineConfig config = machine();
  config.chip.launch_cycles = 50;
  config.chip.block_interval_blocks = 2;
  BlockScheduler scheduler(config);
  scheduler.add({.blocks = 7});
  std::vector<Cycle> starts;
  for (const Placement& p : scheduler.arrives(0, 1000)) starts.push_back(p.start);
  REQUIRE(starts == std::vector<Cycle>{1150, 1150, 1153, 1153});
  std::vector<BlockEnd> ended{{1160, 0, 0}, {1162, 1, 0}, {1162, 2, 0}};
  starts.clear();
  for (const Placement& p : scheduler.follow(ended)) starts.push_back(p.start);
  REQUIRE(starts == std::vector<Cycle>{1260, 1262, 1263});  // two in the three cycles from 1160 on
}

TEST_CASE("the blocks of a cluster go together to SMs of a GPC, and start together", "[blocks][cluster]") {
  MachineConfig config = machine();
  config.chip.gpc_tpcs = "1";
  BlockScheduler scheduler(config);
  scheduler.add({.blocks = 10, .blocks_per_sm = 1, .cluster_blocks = 2});
  auto sms = [](const std::vector<Placement>& placements) {
    std::vector<uint32_t> out;
    for (const Placement& p : placements) out.push_back(p.sm);
    return out;
  };
  const std::vector<Placement> first = scheduler.arrives(0, 0);
  CHECK(sms(first) == std::vector<uint32_t>{0, 1, 2, 3});
  CHECK(first[0].start == 103);  // the second block goes three cycles after the first
  CHECK(first[1].start == 103);
  CHECK(first[2].start == 109);
  CHECK(first[3].start == 109);
  std::vector<BlockEnd> ended{{200, 1, 0}, {300, 2, 0}};
  CHECK(scheduler.follow(ended).empty());  // each GPC has room for one block
  ended = {{400, 0, 0}};
  const std::vector<Placement> next = scheduler.follow(ended);
  CHECK(sms(next) == std::vector<uint32_t>{0, 1});
  CHECK(next[0].block == 4);
  CHECK(next[1].start == 503);
  CHECK(next[0].start == 503);
}

TEST_CASE("blocks of a cluster share an SM where the GPC has no other room", "[blocks][cluster]") {
  MachineConfig config = machine();
  config.chip.gpc_tpcs = "1";
  BlockScheduler scheduler(config);
  scheduler.add({.blocks = 9, .blocks_per_sm = 2, .cluster_blocks = 3});
  std::vector<uint32_t> sms;
  for (const Placement& p : scheduler.arrives(0, 0)) sms.push_back(p.sm);
  CHECK(sms == std::vector<uint32_t>{0, 1, 0, 2, 3, 2});  // one block of each GPC has no room for three
}

TEST_CASE("a block follows each that ends, in order of (cycle, SM), at its exact cycle", "[blocks]") {
  BlockScheduler scheduler(machine());
  scheduler.add({.blocks = 7});
  scheduler.arrives(0, 0);
  std::vector<BlockEnd> ended{{500, 3, 0}, {490, 2, 0}, {490, 1, 0}};
  const std::vector<Placement> placed = scheduler.follow(ended);
  REQUIRE(placed.size() == 3);
  REQUIRE((placed[0].block == 4 && placed[0].sm == 1 && placed[0].start == 590));
  REQUIRE((placed[1].block == 5 && placed[1].sm == 2 && placed[1].start == 593));  // 3 cycles after the one before
  REQUIRE((placed[2].block == 6 && placed[2].sm == 3 && placed[2].start == 600));
  ended = {{700, 0, 0}};
  REQUIRE(scheduler.follow(ended).empty());
  REQUIRE_FALSE(scheduler.all_finished());
}

TEST_CASE("chosen blocks keep their indices", "[blocks]") {
  std::vector<uint64_t> chosen{40, 7, 12};
  BlockScheduler scheduler(machine());
  scheduler.add({.blocks = 100, .chosen = chosen});
  std::vector<uint64_t> blocks;
  for (const Placement& p : scheduler.arrives(0, 0)) blocks.push_back(p.block);
  REQUIRE(blocks == chosen);
  REQUIRE(scheduler.total() == 3);
}

TEST_CASE("a later launch gets what an earlier one leaves of each resource, and more when a block ends", "[blocks]") {
  MachineConfig one = machine();
  one.chip.tpcs = one.chip.sms_per_tpc = 1;
  struct Case {
    BlockNeed first, second;
    uint32_t first_blocks = 1;
  };
  const SmConfig& sm = one.sm;
  const Case cases[] = {
      {{1, 32, sm.registers - 1000, 0}, {1, 32, 600, 0}}, {{1, 32, 0, sm.shared.bytes - 1000}, {1, 32, 0, 600}},
      {{1, sm.max_threads - 100, 0, 0}, {1, 64, 0, 0}},   {{sm.max_warps - 3, 32, 0, 0}, {2, 64, 0, 0}},
      {{1, 32, 0, 0}, {1, 32, 0, 0}, sm.max_blocks - 1},
  };
  for (const Case& c : cases) {
    CAPTURE(c.first.warps, c.first.threads, c.first.registers, c.first.shared_bytes);
    BlockScheduler scheduler(one);
    scheduler.add({.blocks = c.first_blocks, .blocks_per_sm = c.first_blocks, .need = c.first});
    scheduler.add({.blocks = 4, .blocks_per_sm = 4, .need = c.second});
    const std::vector<Placement> first = scheduler.arrives(0, 0), second = scheduler.arrives(1, 10);
    REQUIRE(first.size() == c.first_blocks);
    REQUIRE(second.size() == 1);
    REQUIRE((second[0].room.launch == 1 && second[0].room.place == 0 && second[0].room.slot == c.first_blocks));
    REQUIRE((second[0].room.warps & first[0].room.warps) == 0);
    std::vector<BlockEnd> ended{{500, 0, 0}};
    const std::vector<Placement> after = scheduler.follow(ended);
    REQUIRE(after.size() == (c.first_blocks == 1 ? 3u : 1u));
    REQUIRE(after[0].block == 1);
    REQUIRE(scheduler.finished(0) == 1);
    REQUIRE(scheduler.handed_out(1) == 1 + after.size());
  }
}

TEST_CASE("blocks of a later launch come after all blocks of an earlier one", "[blocks]") {
  BlockScheduler scheduler(machine());
  scheduler.add({.blocks = 6, .blocks_per_sm = 1});
  scheduler.add({.blocks = 2, .blocks_per_sm = 8});
  REQUIRE(scheduler.arrives(0, 0).size() == 4);
  REQUIRE(scheduler.arrives(1, 0).empty());
  std::vector<BlockEnd> ended{{500, 1, 0}};
  REQUIRE(scheduler.follow(ended).size() == 1);
  ended = {{600, 2, 0}};
  const std::vector<Placement> placed = scheduler.follow(ended);
  REQUIRE(placed.size() == 3);
  REQUIRE((placed[0].room.launch == 0 && placed[0].block == 5 && placed[0].sm == 2));
  REQUIRE((placed[1].room.launch == 1 && placed[1].sm == 0 && placed[2].room.launch == 1 && placed[2].sm == 2));
}
