// How full a queue or table was: entries over time, how long one stays, the most at once, and how often something found
// it full.
#pragma once

#include <cstdint>

#include "base/stats_struct.h"
#include "sim/model/latency.h"

namespace warptime::sim {

struct QueueUse {
  uint64_t entry_cycles = 0;  // shader cycles that entries were held, summed over entries
  uint64_t entries = 0;       // these entries
  uint64_t cycles = 0;        // of all such queues of the chip
  Most most;                  // entries of one queue
  uint64_t times_full = 0;

  double mean() const { return cycles == 0 ? 0 : static_cast<double>(entry_cycles) / static_cast<double>(cycles); }
  double mean_time() const {
    return entries == 0 ? 0 : static_cast<double>(entry_cycles) / static_cast<double>(entries);
  }
  void add(const QueueUse& other) { add_numbers(*this, other); }

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor(StatInfo{"mean", "entries", "entries in use, mean over time and over all of its kind"}, self.mean());
    visitor(
        StatInfo{"max", "entries", "the most entries of one in use at once; of a partition, at the edges of windows"},
        self.most.value());
    visitor(StatInfo{"entries", "entries", "entries that it has had"}, self.entries);
    visitor(StatInfo{"mean_time", "cycles", "mean time from entering to leaving"}, self.mean_time());
    visitor(StatInfo{"times_full", "times", "times that it was found full"}, self.times_full);
  }
  template <class F>
  static void zip(QueueUse& a, const QueueUse& b, F&& f) {
    f(a.entry_cycles, b.entry_cycles);
    f(a.entries, b.entries);
    f(a.cycles, b.cycles);
    f(a.most, b.most);
    f(a.times_full, b.times_full);
  }
  bool operator==(const QueueUse&) const = default;
};

#define QUEUE_STATS(S)                                                                                                \
  S(QueueUse, load_table, "", "table of an SM's outstanding loads: ", "", "", "SM")                                   \
  S(QueueUse, memory_queue, "", "queue of an SM's transactions, from ready to past the TPC's request port: ", "", "", \
    "SM")                                                                                                             \
  S(QueueUse, partition, "",                                                                                          \
    "requests in a memory partition, from its port in to its port out; full: a TPC had no credit left: ", "", "",     \
    "partition")
MIXED_STATS_STRUCT(QueueStats, QUEUE_STATS)

/// Recorded with the rows of instructions only (LaunchContext::lines). The time in the table of loads is
/// global_latency.
#define QUEUE_TIMES(S)                                                                                                \
  S(QueueTime, memory_queue, "", "transactions of an SM, from ready to past the TPC's request port: ", "", "", "SM")  \
  S(QueueTime, partition, "",                                                                                         \
    "requests, from past the partition's port in until DRAM or a cache has served them: ", "", "", "partition")       \
  S(QueueTime, partition_port, "", "answers, from served until past the partition's port out: ", "", "", "partition") \
  S(QueueTime, tpc_response_port, "", "answers, from their arrival until past the TPC's response port: ", "", "", "TPC")
MIXED_STATS_STRUCT(QueueTimes, QUEUE_TIMES)

// Where requests with data in their answer spent their time: loads, fetches of caches, atomic operations. The sum of a
// request's stages is the time from its SM's queue until the SM, or a cache of the TPC, has the answer.
#define LATENCY_STAGES(S)                                                                                             \
  S(QueueTime, port, "", "from ready to past the TPC's request port: ", "", "", "TPC")                                \
  S(QueueTime, request_network, "", "until past the partition's port in: ", "", "", "partition")                      \
  S(QueueTime, l2_queue, "", "waits for the data port of a slice of the L2, or for a line that is on its way: ", "",  \
    "", "partition")                                                                                                  \
  S(QueueTime, l2, "", "the lookup in the L2, and the atomic unit: ", "", "", "partition")                            \
  S(QueueTime, dram_queue, "", "of a miss: until its last column access, or until another read has brought it: ", "", \
    "", "partition")                                                                                                  \
  S(QueueTime, dram, "",                                                                                              \
    "of a miss: from that column access to the end of its data, and the fixed cycles of a partition: ", "", "",       \
    "partition")                                                                                                      \
  S(QueueTime, response_port, "", "until past the partition's port out: ", "", "", "partition")                       \
  S(QueueTime, response_network, "", "until past the TPC's response port: ", "", "", "TPC")
MIXED_STATS_STRUCT(LatencyStages, LATENCY_STAGES)

// Issue slots of memory_queue_full by what had no room when the access was first refused. (Whether the queue then waits
// for its port or for a partition's credit is not told apart: it changes while the access waits.)
#define QUEUE_FULL_STATS(S)                                                                                   \
  S(load_table, "cycles", "slots of issue.stalls.memory_queue_full: the table of outstanding loads was full") \
  S(mshrs, "cycles", "the same: the MSHRs of the L1 data cache were all in use")                              \
  S(memory_queue, "cycles", "the same: the SM's queue of transactions before the TPC's request port was full")
STATS_STRUCT(QueueFullCycles, QUEUE_FULL_STATS)

/// The members of QueueFullCycles.
enum class QueueFull : uint8_t { LoadTable, Mshrs, MemoryQueue };

inline uint64_t& cycles_of(QueueFullCycles& cycles, QueueFull cause) {
  switch (cause) {
    case QueueFull::LoadTable: return cycles.load_table;
    case QueueFull::Mshrs: return cycles.mshrs;
    case QueueFull::MemoryQueue: return cycles.memory_queue;
  }
  return cycles.memory_queue;
}

}  // namespace warptime::sim
