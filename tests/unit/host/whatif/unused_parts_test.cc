#include "host/whatif/unused_parts.h"

#include <catch2/catch.hpp>

namespace warptime::host {

namespace {

using Total = std::map<std::string, std::string>;

bool is_unused(const sim::MachineConfig& machine, const Total& total, std::string_view path) {
  return find_unused(unused_parts(machine, total), path) != nullptr;
}

}  // namespace

TEST_CASE("a cache that a machine has not is unused, but for its bytes") {
  sim::MachineConfig machine;
  CHECK(is_unused(machine, {}, "l1.cache.ways"));
  CHECK(is_unused(machine, {}, "l1.mshrs"));
  CHECK_FALSE(is_unused(machine, {}, "l1.cache.bytes"));
  CHECK(is_unused(machine, {}, "l2.write_policy"));
  CHECK_FALSE(is_unused(machine, {}, "constant.sm_cache.ways"));
  machine.l1.cache.bytes = 16384;
  machine.constant.tpc_cache.bytes = 0;
  CHECK_FALSE(is_unused(machine, {}, "l1.cache.ways"));
  CHECK_FALSE(is_unused(machine, {}, "l1.mshrs"));
  CHECK(is_unused(machine, {}, "constant.tpc_cache.ways"));
}

TEST_CASE("what the statistics count no use of is unused") {
  sim::MachineConfig machine;
  Total total{{"caches.texture.accesses", "0"},
              {"caches.constant.accesses", "7"},
              {"pipes.dp.busy_cycles", "0"},
              {"pipes.sfu.busy_cycles", "12"}};
  CHECK(is_unused(machine, total, "texture.tpc_cache.bytes"));
  CHECK(is_unused(machine, total, "texture.cycles"));
  CHECK_FALSE(is_unused(machine, total, "constant.load_latency"));
  CHECK(is_unused(machine, total, "dp.initiation"));
  CHECK_FALSE(is_unused(machine, total, "sfu.initiation"));
  // A report without the number says nothing.
  CHECK_FALSE(is_unused(machine, {}, "texture.cycles"));
  CHECK_FALSE(is_unused(machine, {}, "dp.initiation"));
}

TEST_CASE("what another parameter switches off is unused") {
  sim::MachineConfig machine;
  CHECK(is_unused(machine, {}, "issue.group_warps"));
  CHECK(is_unused(machine, {}, "cluster.load_latency"));
  CHECK(is_unused(machine, {}, "memory.tlb.l2.ways"));
  CHECK_FALSE(is_unused(machine, {}, "memory.tlb.l1.entries"));
  CHECK_FALSE(is_unused(machine, {}, "dram.tRFC"));
  machine.features.push_back("clusters");
  CHECK_FALSE(is_unused(machine, {}, "cluster.load_latency"));
  machine.issue.policy = sim::WarpPolicy::two_level;
  machine.memory.tlb.l1.entries = 16;
  machine.dram.tREFI = 0;
  CHECK_FALSE(is_unused(machine, {}, "issue.group_warps"));
  CHECK(is_unused(machine, {}, "memory.tlb.l2.ways"));
  CHECK_FALSE(is_unused(machine, {}, "memory.tlb.l2.entries"));
  CHECK_FALSE(is_unused(machine, {}, "memory.tlb.l1.ways"));
  CHECK(is_unused(machine, {}, "dram.tRFC"));
  CHECK(is_unused(machine, {}, "dram.refresh"));
}

TEST_CASE("what a DRAM does not have is unused") {
  sim::MachineConfig machine;
  machine.dram.write_high = 0;
  for (const char* path :
       {"dram.tCCD_L", "dram.tRRD_L", "dram.tWTR_L", "dram.bank_groups", "dram.write_low", "dram.tRFCpb"})
    CHECK(is_unused(machine, {}, path));
  for (const char* path : {"dram.tFAW", "dram.write_high", "dram.refresh", "dram.tCCD"})
    CHECK_FALSE(is_unused(machine, {}, path));
  machine.dram.bank_groups = 4;
  machine.dram.write_high = 16;
  machine.dram.refresh = sim::RefreshScope::per_bank;
  for (const char* path :
       {"dram.tCCD_L", "dram.tRRD_L", "dram.tWTR_L", "dram.bank_groups", "dram.write_low", "dram.tRFCpb"})
    CHECK_FALSE(is_unused(machine, {}, path));
  machine.dram.bank_groups = 1;
  machine.dram.tCCD_L = 3;
  CHECK_FALSE(is_unused(machine, {}, "dram.bank_groups"));
}

}  // namespace warptime::host
