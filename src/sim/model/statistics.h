// What a launch measured. One row a statistic; the JSON report, `warptime list statistics` and the CSV walk these
// tables.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/source_text.h"
#include "base/stats_struct.h"
#include "sim/model/resource.h"
#include "sim/model/stall.h"

namespace warptime::sim {

#define COUNT_STATS(S)                                                                                        \
  S(thread_instructions, "instructions", "PTX instructions executed, summed over lanes whose guard was true") \
  S(warp_instructions, "instructions", "PTX instructions issued to a warp with at least one active lane")     \
  S(native_warp_instructions, "instructions", "machine instructions that the issue port counted for them")    \
  S(flops, "operations", "f32 operations: add and mul 1, mad and fma 2, special functions 1, times lanes")    \
  S(flops_f64, "operations", "f64 operations, counted the same way; not in flops")                            \
  S(flops_f16, "operations", "f16 and bf16 operations, counted the same way; not in flops")
STATS_STRUCT(InstructionCounts, COUNT_STATS)

#define DIVERGENCE_STATS(S)                                                        \
  S(branches, "instructions", "branch instructions issued that could go two ways") \
  S(divergent_branches, "instructions", "branches whose lanes went both ways")
STATS_STRUCT(DivergenceStats, DIVERGENCE_STATS)

#define SHARED_STATS(S)                                                                   \
  S(accesses, "instructions", "shared-memory loads, stores and atomic operations issued") \
  S(conflict_passes, "passes", "extra passes that bank conflicts cost, over all requests")
STATS_STRUCT(SharedStats, SHARED_STATS)

#define GLOBAL_STATS(S)                                                                           \
  S(loads, "instructions", "global and local loads issued")                                       \
  S(stores, "instructions", "global and local stores issued")                                     \
  S(atomics, "instructions", "atomic operations on global memory issued")                         \
  S(coalesced, "requests", "requests of the coalescer's unit (half-warps on 1.x) that coalesced") \
  S(uncoalesced, "requests", "requests that did not")                                             \
  S(transactions, "transactions", "memory transactions sent")                                     \
  S(bytes_requested, "bytes", "bytes that the lanes asked for")
STATS_STRUCT(GlobalStats, GLOBAL_STATS)

#define DRAM_STATS(S)                                                \
  S(read_bytes, "bytes", "bytes read from DRAM")                     \
  S(write_bytes, "bytes", "bytes written to DRAM")                   \
  S(row_hits, "accesses", "column accesses to the row already open") \
  S(row_misses, "accesses", "column accesses that had to open their row")
STATS_STRUCT(DramStats, DRAM_STATS)

#define CACHE_STATS(S)                        \
  S(accesses, "accesses", "lookups")          \
  S(hits, "accesses", "tag and data present") \
  S(misses, "accesses", "fetched from the next level")
STATS_STRUCT(CacheStats, CACHE_STATS)

/// Each where an SM looks first: constant, instruction and l1 in the SM, texture in the TPC; l2 in the partitions.
struct CachesStats {
  CacheStats constant, texture, instruction, l1, l2;
  bool has_l1 = false, has_l2 = false;  // of the machine

  /// visitor(name, scope, cache) for each.
  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor(std::string_view("constant"), std::string_view("SM"), self.constant);
    visitor(std::string_view("texture"), std::string_view("TPC"), self.texture);
    visitor(std::string_view("instruction"), std::string_view("SM"), self.instruction);
    visitor(std::string_view("l1"), std::string_view("SM"), self.l1);
    visitor(std::string_view("l2"), std::string_view("chip"), self.l2);
  }
  void add(const CachesStats& other) {
    constant.add(other.constant);
    texture.add(other.texture);
    instruction.add(other.instruction);
    l1.add(other.l1);
    l2.add(other.l2);
    has_l1 |= other.has_l1;
    has_l2 |= other.has_l2;
  }
};

#define PIPE_STATS(S)                                                 \
  S(sp, "cycles", "cycles the streaming processors were occupied")    \
  S(sfu, "cycles", "cycles the special function units were occupied") \
  S(dp, "cycles", "cycles the double-precision units were occupied")  \
  S(memory_port, "cycles", "cycles the memory port was occupied")
STATS_STRUCT(PipeBusy, PIPE_STATS)

// What the units of the memory system were taken, for the resources of resource.h.
#define TPC_BUSY_STATS(S)                                                     \
  S(request_port, "core cycles", "cycles the crossbar port out sent packets") \
  S(response_port, "core cycles", "cycles the crossbar port in received packets")
STATS_STRUCT(TpcBusy, TPC_BUSY_STATS)

#define PARTITION_BUSY_STATS(S)                                                  \
  S(request_port, "core cycles", "cycles the crossbar port in received packets") \
  S(response_port, "core cycles", "cycles the crossbar port out sent packets")   \
  S(atomic_unit, "cycles", "cycles the atomic unit was occupied")                \
  S(dram_data, "memory cycles", "cycles that data was on the DRAM's bus")
STATS_STRUCT(PartitionBusy, PARTITION_BUSY_STATS)

struct IssueSlots {
  uint64_t slots = 0;  // shader cycles x ports, over all SMs
  uint64_t issued = 0;
  StallCounts stalls{};
};

/// One PTX instruction's share. `line` 0 is the row of no_warp and drained.
struct InstructionRow {
  uint32_t line = 0;
  std::string text;
  uint64_t warp_instructions = 0;
  uint64_t thread_instructions = 0;
  uint64_t issued = 0;
  StallCounts stalls{};
  std::string source_file = {};  // of the CUDA source, where the PTX says so (.loc)
  uint32_t source_line = 0;
  std::string function = {};  // device function that it belongs to; empty: the kernel itself
};

/// Every resident warp's every cycle: issuing, waiting for a reason, or ready while another warp issued.
struct WarpCycles {
  uint64_t resident = 0;
  uint64_t issuing = 0;
  uint64_t not_selected = 0;
  StallCounts waiting{};
};

struct Occupancy {
  uint32_t blocks_per_sm = 0;
  uint32_t warps_per_sm = 0;
  std::string limiter;                // threads, warps, blocks, registers, shared_memory
  uint32_t registers_per_thread = 0;  // as used for allocation
  uint32_t registers_estimated = 0;
  uint32_t shared_bytes_per_block = 0;  // static + dynamic + header + parameters, before rounding
};

/// How a launch was sampled.
struct SamplingStatistics {
  bool full_values = true;  // false: only the timed blocks were executed
  uint64_t seed = 0;
  uint64_t samples = 0;
  uint64_t blocks_timed = 0;  // 0: other launches that are like this one were
  uint64_t cycles_low = 0;    // the 95 % interval
  uint64_t cycles_high = 0;
  double spread = 0;  // of the timed blocks' instructions where not all values are computed: most / least - 1
};

struct LaunchStatistics {
  std::string kernel;
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  bool timed = true;       // false: a functional run; everything about time is null
  bool attributed = true;  // false: `issue.stalls` is null
  uint64_t cycles = 0;
  double time_us = 0;
  InstructionCounts counts;
  Occupancy occupancy;
  IssueSlots issue;
  std::vector<IssueSlots> issue_by_sm;
  WarpCycles warp_cycles;
  DivergenceStats divergence;
  std::array<uint64_t, 33> active_lanes_histogram{};
  SharedStats shared;
  GlobalStats global;
  DramStats dram;
  CachesStats caches;
  PipeBusy pipes;
  ResourceUses resources{};
  std::optional<SamplingStatistics> sampling;  // nothing: timed in full detail, or not at all
  std::string note;                            // why a sampled run timed it in full detail
  std::vector<InstructionRow> instructions;    // by PTX line; filled on request
  std::shared_ptr<const SourceText> ptx;       // that the lines are of; with them
};

}  // namespace warptime::sim
