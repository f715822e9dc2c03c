// What limits a launch: the one rule that `run`, `validate`, the statistics and everything else that names a bottleneck
// use. docs/bottleneck.md states it.
//
// A resource that is taken nearly all the time is the bottleneck. If none is, latency is exposed, and the bottleneck is
// what keeps further threads out.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/model/machine.h"
#include "sim/model/statistics.h"

namespace warptime::host {

/// From this share of what it can reach on, a resource is saturated: more threads could win a quarter at most.
inline constexpr double kSaturated = 0.8;

struct Verdict {
  sim::Resource busiest = sim::Resource::Issue;  // nearest to its limit
  double share = 0;                              // of time that its busiest unit was taken
  bool saturated = false;
  /// Where nothing is saturated: what keeps further threads out: threads, warps, blocks, registers, shared_memory
  /// (Occupancy::limiter), or grid: it has no further blocks.
  std::string limiter;

  /// "sp", "dram", "interconnect", ...; "latency" where nothing is saturated.
  std::string_view bound() const;
  /// The class of Ryoo 2008, table 3: "issue", "bandwidth", "registers+latency", "shared_capacity" or
  /// "global_capacity".
  std::string_view paper_class() const;
  /// "TPC response port", "latency (registers)".
  std::string words() const;
};

/// How near the resource's busiest unit came to what it can reach. The busiest decides: a launch is not over before it
/// is.
double nearness(const sim::LaunchStatistics& launch, sim::Resource resource);

/// Of one launch, or of several launches of one kernel as one: counters summed, occupancy and grid of one of them.
/// nullopt without timing.
std::optional<Verdict> verdict(const sim::LaunchStatistics& launch, const sim::MachineConfig& machine);

}  // namespace warptime::host
