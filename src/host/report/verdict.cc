#include "host/report/verdict.h"

#include <fmt/format.h>

namespace warptime::host {

using sim::Resource;

namespace {

/// The grid has no more blocks than are resident at once.
bool is_small(const sim::LaunchStatistics& launch, const sim::MachineConfig& machine) {
  uint64_t blocks = uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
  return blocks <= uint64_t{launch.occupancy.blocks_per_sm} * sim::sm_count(machine);
}

}  // namespace

double nearness(const sim::LaunchStatistics& launch, Resource resource) {
  return launch.resources[static_cast<size_t>(resource)].busiest_share() / sim::info(resource).reachable;
}

std::string_view Verdict::bound() const { return saturated ? sim::info(busiest).bound : "latency"; }

std::string_view Verdict::paper_class() const {
  if (!saturated) {
    if (limiter == "grid") return "global_capacity";
    if (limiter == "registers") return "registers+latency";
    if (limiter == "shared_memory") return "shared_capacity";
  }
  // With all the threads that the hardware takes, what is used most is missing first.
  switch (sim::info(busiest).group) {
    case sim::ResourceClass::Issue: return "issue";
    case sim::ResourceClass::Bandwidth: return "bandwidth";
  }
  return "";
}

std::string Verdict::words() const {
  return saturated ? std::string(sim::info(busiest).words) : fmt::format("latency ({})", limiter);
}

std::optional<Verdict> verdict(const sim::LaunchStatistics& launch, const sim::MachineConfig& machine) {
  if (!launch.timed) return std::nullopt;
  Verdict out;
  double nearest = -1;  // of equals, the first of the table
  for (size_t i = 0; i < sim::kResourceCount; ++i) {
    double near = nearness(launch, static_cast<Resource>(i));
    if (near <= nearest) continue;
    nearest = near;
    out.busiest = static_cast<Resource>(i);
    out.share = launch.resources[i].busiest_share();
  }
  out.saturated = nearest >= kSaturated;
  if (!out.saturated) out.limiter = is_small(launch, machine) ? "grid" : launch.occupancy.limiter;
  return out;
}

}  // namespace warptime::host
