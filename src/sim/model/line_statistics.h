// What the accesses and branches of one PTX instruction did: the parts of a row of `instructions` that no sum over its
// executions and issue slots gives. Counted only where rows by instruction are asked for.
#pragma once

#include "base/stats_struct.h"
#include "sim/model/latency.h"

namespace warptime::sim {

#define LINE_MEMORY_STATS(S)                                                                                     \
  S(accesses, "instructions", "executions that accessed memory, of any state space")                             \
  S(transactions, "transactions", "memory transactions sent for them")                                           \
  S(ideal_transactions, "transactions",                                                                          \
    "the fewest that could carry the bytes of their lanes: one per request of the coalescer, more where "        \
    "a request has more bytes than a transaction; never more than were sent")                                    \
  S(bytes_requested, "bytes", "bytes that the lanes requested from global and local memory")                     \
  S(bytes_moved, "bytes", "bytes of the transactions")                                                           \
  S(conflict_passes, "replays",                                                                                  \
    "passes beyond the first: bank conflicts in shared memory, different words of constant memory")              \
  S(serial_operations, "operations",                                                                             \
    "of atomic operations in global memory, those that follow one another at a partition: per transaction, the " \
    "lanes of the word that most of them change")
STATS_STRUCT(LineMemory, LINE_MEMORY_STATS)

#define LINE_DIVERGENCE_STATS(S)                                    \
  S(branches, "instructions", "executions at which lanes diverged") \
  S(lanes_taken, "lanes", "lanes that branched in these, summed")   \
  S(lanes_not_taken, "lanes", "lanes that did not branch in these, summed")
STATS_STRUCT(LineDivergence, LINE_DIVERGENCE_STATS)

#define LINE_CACHE_STATS(S)                                                                         \
  S(reads, "accesses", "lines or transactions read, of global, local, constant and texture memory") \
  S(sm_hits, "accesses", "of these, found in a cache of the SM")                                    \
  S(tpc_hits, "accesses", "of these, found in a cache that the SMs of the TPC share")               \
  S(partition_hits, "accesses", "of these, found in the cache of a memory partition; the others came from DRAM")
STATS_STRUCT(LineCaches, LINE_CACHE_STATS)

struct LineLatency {
  uint64_t loads = 0, cycles = 0;
  Least least;
  Most most;

  void add(uint64_t latency) {
    ++loads;
    cycles += latency;
    least.add(latency);
    most.add(latency);
  }
  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor(StatInfo{"loads", "instructions", "executions that waited for memory or a cache"}, self.loads);
    visitor(StatInfo{"sum", "cycles", "their latencies, from issue to the result, summed"}, self.cycles);
    visitor(StatInfo{"min", "cycles", "the least of these"}, self.least.value());
    visitor(StatInfo{"max", "cycles", "the largest of these"}, self.most.value());
  }
  template <class F>
  static void zip(LineLatency& a, const LineLatency& b, F&& f) {
    f(a.loads, b.loads);
    f(a.cycles, b.cycles);
    f(a.least, b.least);
    f(a.most, b.most);
  }
  bool operator==(const LineLatency&) const = default;
};

/// All of them. Zeroed memory is that of an instruction which has done nothing.
struct LineStatistics {
  LineMemory memory;
  LineDivergence divergence;
  LineCaches caches;
  LineLatency latency;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor(StatInfo{"memory", "", ""}, self.memory);
    visitor(StatInfo{"divergence", "", ""}, self.divergence);
    visitor(StatInfo{"caches", "", ""}, self.caches);
    visitor(StatInfo{"latency", "", ""}, self.latency);
  }
  template <class F>
  static void zip(LineStatistics& a, const LineStatistics& b, F&& f) {
    f(a.memory, b.memory);
    f(a.divergence, b.divergence);
    f(a.caches, b.caches);
    f(a.latency, b.latency);
  }
  bool operator==(const LineStatistics&) const = default;
};

}  // namespace warptime::sim
