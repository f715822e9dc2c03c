// The memory of the CPU baseline: an L1, an L2 that holds lines evicted from the L1 (a victim cache), and a bus to
// memory. Loads and stores allocate lines, which are written back when the L2 evicts them. Prefetches
// (`memory.prefetch`) go to the L2.
#pragma once

#include <algorithm>
#include <vector>

#include "base/clock.h"
#include "base/stats_struct.h"
#include "cpu/config.h"
#include "sim/mem/cache_tags.h"

namespace warptime::cpu {

#define CPU_MEMORY_STATS(S)                                        \
  S(accesses, "accesses", "loads and stores")                      \
  S(l1_misses, "accesses", "accesses that the first cache missed") \
  S(l2_misses, "lines", "lines that were waited for from memory")  \
  S(prefetched, "lines", "lines fetched ahead of their use")       \
  S(written_back, "lines", "lines written to memory")
STATS_STRUCT(CpuMemoryStats, CPU_MEMORY_STATS)

class CpuMemory {
 public:
  /// `lines`: how many lines one of the counted reference stands for.
  CpuMemory(const CpuConfig& config, uint32_t lines);

  /// When the line of an access that begins at `start` is in the first cache: at `start`, if it is there already.
  Cycle access(uint64_t address, Cycle start, bool is_store);
  /// When all that was asked for has arrived or left.
  Cycle quiet() const { return std::max(bus_free_, arrived_); }

  void restart() { stats_ = {}; }
  const CpuMemoryStats& stats() const { return stats_; }

 private:
  /// A line from memory, asked for at `start`: when it arrives.
  Cycle fetch(Cycle start);
  void fetch_ahead(uint64_t line, Cycle start);
  /// Into the second cache; what has to go is written back.
  void put(uint64_t line, Cycle ready, bool dirty, Cycle start);

  uint32_t line_bytes_, prefetch_;
  Cycle latency_, line_cycles_, l2_latency_, l2_line_cycles_;
  sim::CacheTags l1_, l2_;
  Cycle bus_free_ = 0, l2_free_ = 0;
  Cycle arrived_ = 0;               // when the last line from memory is there
  std::vector<Cycle> outstanding_;  // when each of the last lines arrives, a ring
  size_t oldest_ = 0;
  CpuMemoryStats stats_;
};

}  // namespace warptime::cpu
