// Adds up what the SMs counted into a launch's statistics.
#pragma once

#include "sim/core/sm_counters.h"
#include "sim/mem/tpc_caches.h"
#include "sim/model/statistics.h"
#include "sim/state/launch_context.h"

namespace warptime::sim {

/// Adds one SM's counters; call in SM order. `slots`: issue slots of the SM (0 in a functional run).
void add_sm(LaunchStatistics& statistics, const LaunchContext& launch, const SmCounters& counters, uint64_t slots);

/// Adds the caches of a TPC, or of all partitions: `side` says which.
template <class Caches>
void add_caches(CachesStats& sum, CacheSide side, const Caches& statistics_of) {
  CachesStats::for_each(sum, [&](const CacheStatistic& row, auto& to) {
    if (row.side == side) to.add(statistics_of(row.reads));
  });
}

/// One row a PTX instruction, in text order, and the row `line` 0 last.
void fill_instruction_rows(LaunchStatistics& statistics, const LaunchContext& launch, const SmCounters& sum);

/// Adds `counters` to `sum` instruction by instruction.
void add_instructions(SmCounters& sum, const SmCounters& counters);

}  // namespace warptime::sim
