#include "sim/model/statistics_list.h"

#include <fmt/format.h>

#include "sim/model/statistics.h"

namespace warptime::sim {

namespace {

template <class Stats>
void add(std::vector<StatisticRow>& out, const std::string& prefix, std::string_view scope,
         const std::string& suffix = "") {
  Stats stats;
  Stats::visit(stats, [&](std::string_view name, uint64_t&, std::string_view unit, std::string_view doc) {
    out.push_back({prefix + std::string(name) + suffix, std::string(unit), scope, std::string(doc)});
  });
}

void add_stalls(std::vector<StatisticRow>& out, const std::string& prefix, std::string_view scope,
                const std::string& words) {
  for (const StallInfo& stall : kStalls)
    out.push_back({prefix + std::string(stall.key), "cycles", scope, words + std::string(stall.what)});
}

}  // namespace

std::vector<StatisticRow> statistics_list() {
  std::vector<StatisticRow> out;
  out.push_back({"cycles", "cycles", "chip", "shader cycles from the launch's first block to the last one's end"});
  out.push_back({"time_us", "microseconds", "chip", "cycles / shader clock"});
  add<InstructionCounts>(out, "", "warp");
  out.push_back({"gflops", "GFLOP/s", "chip", "flops / time"});
  out.push_back({"occupancy.blocks_per_sm", "blocks", "SM", "blocks that an SM can hold at once"});
  out.push_back({"occupancy.warps_per_sm", "warps", "SM", "warps of these blocks"});
  out.push_back({"occupancy.limiter", "name", "SM", "the resource that keeps an SM from holding more blocks"});
  out.push_back({"occupancy.registers_per_thread", "registers", "SM", "registers that were allocated for a thread"});
  out.push_back({"occupancy.registers_estimated", "registers", "SM", "registers that the PTX was estimated to need"});
  out.push_back({"occupancy.shared_bytes_per_block", "bytes", "SM",
                 "shared memory of a block: static, dynamic, and header and parameters where they live there"});
  out.push_back({"issue.slots", "cycles", "SM", "shader cycles x issue ports, over all SMs, from launch start to end"});
  out.push_back({"issue.issued", "cycles", "SM", "cycles that a port was held by an issuing instruction"});
  add_stalls(out, "issue.stalls.", "SM", "slots in which nothing issued, waiting for ");
  out.push_back({"warp_cycles.resident", "cycles", "warp", "cycles that warps were resident, summed over warps"});
  out.push_back({"warp_cycles.issuing", "cycles", "warp", "of these, cycles in which the warp issued"});
  out.push_back({"warp_cycles.not_selected", "cycles", "warp", "of these, cycles ready while another warp issued"});
  add_stalls(out, "warp_cycles.waiting.", "warp", "of these, cycles waiting for ");
  add<DivergenceStats>(out, "divergence.", "warp");
  out.push_back({"divergence.active_lanes_histogram", "instructions", "warp",
                 "warp instructions by the number of their active lanes, 0 to 32"});
  add<SharedStats>(out, "shared.", "SM");
  add<GlobalStats>(out, "global.", "SM");
  add<DramStats>(out, "dram.", "chip");
  out.push_back({"dram.bandwidth_gb_s", "GB/s", "chip", "(read_bytes + write_bytes) / time"});
  CachesStats caches;
  CachesStats::visit(caches, [&](std::string_view cache, std::string_view scope, CacheStats& stats) {
    CacheStats::visit(stats, [&](std::string_view name, uint64_t&, std::string_view unit, std::string_view doc) {
      out.push_back({fmt::format("caches.{}.{}", cache, name), std::string(unit), scope,
                     fmt::format("{} cache: {}", cache, doc)});
    });
  });
  add<PipeBusy>(out, "pipes.", "SM", ".busy_cycles");
  for (const ResourceInfo& resource : kResources) {
    std::string name = fmt::format("resources.{}", resource.key);
    out.push_back({name + ".busy", "share", resource.scope, std::string(resource.doc)});
    out.push_back({name + ".busiest", "share", resource.scope,
                   fmt::format("the same of the {} for which it is the largest", resource.scope)});
  }
  out.push_back(
      {"bound", "name", "chip", "what limits the launch: the resource that is taken nearly all the time, or latency"});
  return out;
}

}  // namespace warptime::sim
