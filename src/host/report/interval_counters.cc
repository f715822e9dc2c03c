#include "host/report/interval_counters.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/report/report.h"
#include "host/report/value_writer.h"

namespace warptime::host {

namespace {

double share_of(uint64_t part, uint64_t all) {
  return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

}  // namespace

sim::StallCounts settled_stalls(sim::StallCounts stalls) {
  uint64_t missing = 0;
  for (uint64_t& slots : stalls) {
    if (static_cast<int64_t>(slots) >= 0) continue;
    missing -= slots;
    slots = 0;
  }
  while (missing != 0) {
    uint64_t& largest = *std::max_element(stalls.begin(), stalls.end());
    uint64_t taken = std::min(largest, missing);
    if (taken == 0) break;
    largest -= taken;
    missing -= taken;
  }
  return stalls;
}

std::vector<IntervalCounter> interval_counters(const sim::LaunchStatistics& part) {
  std::vector<IntervalCounter> out;
  auto count = [&out](std::string_view name, std::string_view unit, uint64_t value) {
    out.push_back({std::string(name), unit, value});
  };
  auto rate = [&out](std::string_view name, std::string_view unit, double value) {
    out.push_back({std::string(name), unit, value});
  };
  count("warp_instructions", "instructions", part.counts.warp_instructions);
  count("thread_instructions", "instructions", part.counts.thread_instructions);
  rate("gflops", "GFLOP/s", gflops(part));
  rate("ipc", "instructions per cycle", ipc(part));
  rate("active_warps", "warps per SM", share_of(part.sm_cycles.warps, part.sm_cycles.elapsed));
  rate("achieved_occupancy", "share", achieved_occupancy(part));
  rate("issue.issued.share", "share", share_of(part.issue.issued, part.issue.slots));
  if (part.attributed) {
    sim::StallCounts stalls = settled_stalls(part.issue.stalls);
    for (size_t i = 0; i < sim::kStallCount; ++i)
      rate(fmt::format("issue.stalls.{}.share", sim::kStalls[i].key), "share", share_of(stalls[i], part.issue.slots));
  }
  count("divergence.divergent_branches", "branches", part.divergence.divergent_branches);
  count("shared.conflict_passes", "replays", part.shared.conflict_passes);
  count("global.transactions", "transactions", part.global.transactions);
  count("global.bytes_requested", "bytes", part.global.bytes_requested);
  count("dram.read_bytes", "bytes", part.dram.read_bytes);
  count("dram.write_bytes", "bytes", part.dram.write_bytes);
  count("dram.row_hits", "accesses", part.dram.row_hits);
  count("dram.row_misses", "accesses", part.dram.row_misses);
  rate("dram.bandwidth_gb_s", "GB/s", dram_bandwidth_gb_s(part));
  sim::CachesStats::visit(part.caches, [&](const StatInfo& info, const auto& cache) {
    count(fmt::format("caches.{}.accesses", info.name), "accesses", cache.accesses);
    count(fmt::format("caches.{}.hits", info.name), "accesses", cache.hits);
  });
  for (size_t i = 0; i < sim::kResourceCount; ++i)
    rate(fmt::format("resources.{}.busy", sim::kResources[i].key), "share", part.resources[i].share());
  return out;
}

std::string text_of(const IntervalCounter& counter) {
  if (const auto* whole = std::get_if<uint64_t>(&counter.value)) return fmt::format("{}", *whole);
  return real_text(std::get<double>(counter.value));
}

}  // namespace warptime::host
