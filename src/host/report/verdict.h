// The bottleneck of a launch: the one rule that `run`, `validate`, the statistics and all other reports use.
// docs/bottleneck.md defines it.
//
// A resource that is busy nearly all the time is the bottleneck. If none is, latency is exposed, and the bottleneck is
// the limit that prevents more threads from being resident.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "sim/model/machine.h"
#include "sim/model/statistics.h"

namespace warptime::host {

/// From this share of its reachable rate on, a resource is saturated: more threads could gain a quarter at most.
inline constexpr double kSaturated = 0.8;

struct Verdict {
  sim::Resource busiest = sim::Resource::Issue;  // nearest to its limit
  double share = 0;                              // of time that its busiest unit was busy
  sim::Resource second = sim::Resource::Issue;   // nearest to its limit but one
  double second_share = 0;
  bool saturated = false;
  /// If no resource is saturated, the limit of resident threads: threads, warps, blocks, registers, shared_memory
  /// (Occupancy::limiter), or grid: it has no more blocks.
  std::string limiter;

  /// "sp", "dram", "interconnect", ...; "latency" if no resource is saturated.
  std::string_view bound() const;
  /// The class of Ryoo 2008, table 3: "issue", "bandwidth", "registers+latency", "shared_capacity" or
  /// "global_capacity".
  std::string_view paper_class() const;
  /// "TPC response port", "latency (registers)".
  std::string words() const;
  /// What binds and what would bind next, with their shares: "SP, busy 92.6 %; next warp scheduler, 82.6 %",
  /// "latency (registers); next SP, busy 66.1 %". `average`: of the units, to be said where it is another.
  std::string line(std::optional<double> average = {}) const;
  /// If what would bind next is busy for more of the time, because the bottleneck cannot be busy all the time:
  /// "93.5 % of its limit, about 83 %". Otherwise nothing.
  std::string limit_note() const;
};

/// The share of time that the busiest unit of each resource was busy.
using BusiestShares = std::array<double, sim::kResourceCount>;

/// The rule itself. `limiter`: of resident threads.
Verdict verdict(const BusiestShares& shares, std::string limiter);

/// The use of the resource's busiest unit, relative to its reachable rate. The busiest unit decides, because a launch
/// does not end before it does.
double nearness(const sim::LaunchStatistics& launch, sim::Resource resource);

/// For one launch, or for several launches of one kernel together: counters summed, occupancy and grid of one of them.
/// nullopt without timing.
std::optional<Verdict> verdict(const sim::LaunchStatistics& launch, const sim::MachineConfig& machine);
/// The verdict for a machine of so many SMs.
std::optional<Verdict> verdict(const sim::LaunchStatistics& launch, uint32_t sms);

}  // namespace warptime::host
