#include "analysis/memory/memory_estimate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "analysis/memory/hierarchy.h"
#include "analysis/memory/interleaving.h"

namespace warptime::analysis {

namespace {

HitDistributions distributions(const std::vector<HitCounts>& trials) {
  HitDistributions out;
  for (size_t level = 0; level < kMemoryLevels; ++level) {
    HitDistribution of;
    const auto n = static_cast<double>(trials.size());
    for (const HitCounts& counts : trials) {
      of.accesses += static_cast<double>(counts[level].accesses);
      of.ratios.push_back(counts[level].ratio());
    }
    if (of.accesses == 0) continue;
    of.accesses /= n;
    of.mean = std::accumulate(of.ratios.begin(), of.ratios.end(), 0.0) / n;
    double squares = 0;
    for (double ratio : of.ratios) squares += (ratio - of.mean) * (ratio - of.mean);
    const double half = 1.96 * std::sqrt(squares / (n - 1));
    of.low = std::max(0.0, of.mean - half);
    of.high = std::min(1.0, of.mean + half);
    out[level] = std::move(of);
  }
  return out;
}

bool any(const HitDistributions& levels) {
  return std::any_of(levels.begin(), levels.end(), [](const auto& level) { return level.has_value(); });
}

}  // namespace

MemoryEstimate estimate_memory(const sim::MachineConfig& machine, const sim::RequestRecord& log,
                               const std::vector<uint32_t>& uses, uint32_t trials, uint64_t seed) {
  MemoryEstimate out{trials, log.recorded_blocks, log.blocks};
  std::vector<HitCounts> all;
  std::map<uint32_t, std::vector<HitCounts>> by_line;
  SplitMix64 seeds(seed);
  for (uint32_t trial = 0; trial < trials; ++trial) {
    Hierarchy hierarchy(machine, log.lines.size());
    SplitMix64 random(seeds.next());
    drive(log, uses, machine, hierarchy, random);
    all.push_back(hierarchy.counts());
    for (size_t pc = 0; pc < log.lines.size(); ++pc) {
      std::vector<HitCounts>& line = by_line[log.lines[pc]];
      line.resize(trials);
      for (size_t level = 0; level < kMemoryLevels; ++level) {
        line[trial][level].accesses += hierarchy.counts_of_instructions()[pc][level].accesses;
        line[trial][level].hits += hierarchy.counts_of_instructions()[pc][level].hits;
      }
    }
  }
  out.levels = distributions(all);
  for (const auto& [line, counts] : by_line)
    if (HitDistributions levels = distributions(counts); any(levels)) out.lines.push_back({line, std::move(levels)});
  return out;
}

}  // namespace warptime::analysis
