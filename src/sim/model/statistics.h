// The statistics of a launch. Each statistic is one row, each group of statistics one row of STATISTICS: members, sums
// over SMs and launches, samples, the JSON report, CSV and `warptime list statistics` are derived from that table. A
// new group needs its rows, its row in the table, and the code that counts it.
//
// Names of profilers are those of the same number, not of a similar one: a machine instruction is not a PTX
// instruction, and a sector is not a line.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/source_text.h"
#include "base/stats_struct.h"
#include "sim/model/cache_statistics.h"
#include "sim/model/latency.h"
#include "sim/model/line_statistics.h"
#include "sim/model/queue_use.h"
#include "sim/model/resource.h"
#include "sim/model/stall.h"

namespace warptime::sim {

#define COUNT_STATS(S)                                                                                          \
  S(thread_instructions, "instructions",                                                                        \
    "PTX instructions executed, summed over lanes whose guard was true; a branch by all lanes that come to it") \
  S(warp_instructions, "instructions", "PTX instructions issued to a warp with at least one active lane")       \
  S(native_warp_instructions, "instructions", "machine instructions that the warp scheduler counted for them",  \
    "instructions, smsp__inst_executed.sum")                                                                    \
  S(flops, "operations", "f32 operations: add and mul 1, mad and fma 2, special functions 1, times lanes")      \
  S(flops_f64, "operations", "f64 operations, counted the same way; not in flops")                              \
  S(flops_f16, "operations", "f16 and bf16 operations, counted the same way; not in flops")                     \
  S(flops_tensor, "operations",                                                                                 \
    "operations of products of matrices, two for each multiply-add, whatever their type; not in flops")
STATS_STRUCT(InstructionCounts, COUNT_STATS)

#define OCCUPANCY_STATS(S)                                                                                         \
  S(uint32_t, blocks_per_sm, "blocks", "blocks that an SM can hold at once")                                       \
  S(uint32_t, warps_per_sm, "warps", "warps of these blocks", "sm__maximum_warps_avg_per_active_cycle")            \
  S(std::string, limiter, "name", "the resource that keeps an SM from holding more blocks")                        \
  S(uint32_t, registers_per_thread, "registers", "registers allocated per thread", "launch__registers_per_thread") \
  S(uint32_t, registers_estimated, "registers", "registers that the PTX was estimated to need")                    \
  S(uint32_t, registers_over_limit, "registers",                                                                   \
    "of the estimate, registers beyond what .maxnreg or .minnctapersm leaves to a thread: values that would be "   \
    "spilled to local memory; the model spills none, and allocates them")                                          \
  S(uint32_t, shared_bytes_per_block, "bytes",                                                                     \
    "shared memory per block: static and dynamic; on machines that keep them there, also header and parameters",   \
    "launch__shared_mem_per_block")
/// The limiter is one of threads, warps, blocks, registers, shared_memory.
MIXED_STATS_STRUCT(Occupancy, OCCUPANCY_STATS)

#define ISSUE_STATS(S)                                                                            \
  S(uint64_t, slots, "cycles", "shader cycles from launch start to end, for each warp scheduler", \
    "smsp__cycles_elapsed.sum")                                                                   \
  S(uint64_t, issued, "cycles", "cycles that an issuing instruction occupied a warp scheduler",   \
    "smsp__issue_active.sum")                                                                     \
  S(StallCounts, stalls, "cycles", "slots in which nothing issued, waiting for ")
MIXED_STATS_STRUCT(IssueSlots, ISSUE_STATS)

/// Every resident warp's every cycle: issuing, waiting for a reason, or ready while another warp issued.
#define WARP_STATS(S)                                                                                             \
  S(uint64_t, resident, "cycles", "cycles that warps were resident, summed over warps", "smsp__warps_active.sum") \
  S(uint64_t, issuing, "cycles", "of these, cycles in which the warp issued",                                     \
    "smsp__warps_issue_stalled_selected.sum")                                                                     \
  S(uint64_t, not_selected, "cycles", "of these, cycles ready while another warp issued",                         \
    "smsp__warps_issue_stalled_not_selected.sum")                                                                 \
  S(StallCounts, waiting, "cycles", "of these, cycles waiting for ", "smsp__warps_issue_stalled_")
MIXED_STATS_STRUCT(WarpCycles, WARP_STATS)

/// What `ipc` and `achieved_occupancy` are shares of.
#define SM_CYCLES_STATS(S)                                                                                         \
  S(elapsed, "cycles", "cycles of the launch, summed over all SMs", "sm__cycles_elapsed.sum")                      \
  S(active, "cycles", "of these, cycles in which the SM held at least one warp", "sm__cycles_active.sum")          \
  S(warps, "cycles", "warps that the SM held in each of these cycles, summed over cycles", "sm__warps_active.sum") \
  S(most_warps, "cycles", "active cycles times the warps that an SM can hold")
STATS_STRUCT(SmCycles, SM_CYCLES_STATS)

#define DIVERGENCE_STATS(S)                                                        \
  S(branches, "instructions", "branch instructions issued that could go two ways") \
  S(divergent_branches, "instructions", "branches at which lanes diverged",        \
    "divergent_branch, smsp__sass_branch_targets_threads_divergent.sum")           \
  S(absent_lanes, "lanes", "lanes without a thread, or whose thread has exited, summed over warp instructions")
STATS_STRUCT(DivergenceStats, DIVERGENCE_STATS)

/// By number of active lanes.
using LaneHistogram = std::array<uint64_t, 33>;

#define SHARED_STATS(S)                                                                        \
  S(accesses, "instructions", "shared-memory loads, stores and atomic operations issued")      \
  S(conflict_passes, "replays", "replays because of bank conflicts, summed over all requests", \
    "warp_serialize, l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum")
STATS_STRUCT(SharedStats, SHARED_STATS)

#define GLOBAL_STATS(S)                                                                           \
  S(loads, "instructions", "global and local loads issued",                                       \
    "smsp__inst_executed_op_global_ld.sum + smsp__inst_executed_op_local_ld.sum")                 \
  S(stores, "instructions", "global and local stores issued",                                     \
    "smsp__inst_executed_op_global_st.sum + smsp__inst_executed_op_local_st.sum")                 \
  S(atomics, "instructions", "atomic operations on global memory issued")                         \
  S(coalesced, "requests", "requests of the coalescer's unit (half-warps on 1.x) that coalesced", \
    "gld_coherent + gst_coherent")                                                                \
  S(uncoalesced, "requests", "requests that did not coalesce", "gld_incoherent + gst_incoherent") \
  S(transactions, "transactions", "memory transactions sent")                                     \
  S(bytes_requested, "bytes", "bytes that the lanes requested")
STATS_STRUCT(GlobalStats, GLOBAL_STATS)

#define DRAM_STATS(S)                                                       \
  S(read_bytes, "bytes", "bytes read from DRAM", "dram__bytes_read.sum")    \
  S(write_bytes, "bytes", "bytes written to DRAM", "dram__bytes_write.sum") \
  S(row_hits, "accesses", "column accesses to the row already open")        \
  S(row_misses, "accesses", "column accesses that had to open their row")
STATS_STRUCT(DramStats, DRAM_STATS)

#define TRANSLATION_STATS(S)                                                \
  S(lookups, "transactions", "transactions whose address a TLB translated") \
  S(l1_hits, "transactions", "of these, in the first level")                \
  S(l2_hits, "transactions", "of these, in the second level")               \
  S(walks, "transactions", "of these, by a walk of the page tables")        \
  S(waiting, "cycles", "cycles that transactions waited for their translation, summed over transactions")
STATS_STRUCT(TranslationStats, TRANSLATION_STATS)

#define PIPE_STAT(S, name, key, unit, what, where, letter, profiler) \
  S(key, "cycles", "cycles the " what " were occupied", profiler, "busy_cycles")
#define PIPE_STATS(S)     \
  PTX_PIPES(PIPE_STAT, S) \
  S(memory_port, "cycles", "cycles the memory port was occupied", "", "busy_cycles")
STATS_STRUCT(PipeBusy, PIPE_STATS)

// Busy cycles of the units of the memory system, for the resources of resource.h.
#define TPC_BUSY_STATS(S)                                                     \
  S(request_port, "core cycles", "cycles the crossbar port out sent packets") \
  S(response_port, "core cycles", "cycles the crossbar port in received packets")
STATS_STRUCT(TpcBusy, TPC_BUSY_STATS)

#define PARTITION_BUSY_STATS(S)                                                  \
  S(request_port, "core cycles", "cycles the crossbar port in received packets") \
  S(response_port, "core cycles", "cycles the crossbar port out sent packets")   \
  S(atomic_unit, "cycles", "cycles the atomic unit was occupied")                \
  S(dram_data, "memory cycles", "cycles that the DRAM's data bus was busy")      \
  S(l2_data, "core cycles", "cycles the data ports of the L2 were occupied")
STATS_STRUCT(PartitionBusy, PARTITION_BUSY_STATS)

/// One PTX instruction's share. `line` 0 is the row of no_warp and drained.
struct InstructionRow {
  uint32_t line = 0;
  std::string text;
  uint64_t warp_instructions = 0;
  uint64_t thread_instructions = 0;
  uint64_t issued = 0;
  StallCounts stalls{};
  std::string source_file = {};  // the line of the user in the CUDA source, where the PTX says so (.loc)
  uint32_t source_line = 0;
  std::vector<std::string> calls = {};  // of inlined code: its places, the innermost first
  std::string function = {};            // device function that it belongs to; empty: the kernel itself
  uint32_t target = 0;                  // of a branch to a label: the row that it goes to, counted from 1
  LineStatistics line_statistics = {};

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor(StatInfo{"line", "line", "line of the PTX; 0: slots that belong to no instruction"}, self.line);
    visitor(StatInfo{"text", "text", "the instruction"}, self.text);
    const std::string source =
        self.source_file.empty() ? std::string() : fmt::format("{}:{}", self.source_file, self.source_line);
    visitor(StatInfo{"source", "text", "the line of the CUDA source; empty: the PTX names none"},
            std::string_view(source));
    visitor(StatInfo{"warp_instructions", "instructions", "times that it was issued"}, self.warp_instructions);
    visitor(StatInfo{"thread_instructions", "instructions",
                     "the same, summed over lanes whose guard was true; a branch by all"},
            self.thread_instructions);
    visitor(StatInfo{"issued", "cycles", "cycles that it occupied a warp scheduler"}, self.issued);
    visitor(StatInfo{"stalls", "cycles", "slots in which nothing issued before it, waiting for "}, self.stalls);
    visitor(StatInfo{"target", "row", "of a branch to a label: the row of this list that it goes to, from 1; 0: none"},
            self.target);
    LineStatistics::visit(self.line_statistics, visitor);
  }
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

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor(StatInfo{"mode", "name", "full_values: every block was executed; timing: only the timed blocks"},
            std::string_view(self.full_values ? "full_values" : "timing"));
    visitor(StatInfo{"seed", "number", "seed of the selection of samples"}, self.seed);
    visitor(StatInfo{"samples", "samples", "samples, or similar launches, on which the estimate is based"},
            self.samples);
    visitor(StatInfo{"blocks_timed", "blocks", "blocks in these samples; 0: similar launches were timed instead"},
            self.blocks_timed);
    visitor(StatInfo{"cycles_low", "cycles", "lower end of the 95 % interval of cycles"}, self.cycles_low);
    visitor(StatInfo{"cycles_high", "cycles", "upper end of the 95 % interval of cycles"}, self.cycles_high);
  }
};

using Extent = std::array<uint32_t, 3>;
using SamplingRecord = std::optional<SamplingStatistics>;  // nothing: timed in full detail, or not at all
using IssueBySm = std::vector<IssueSlots>;
using InstructionRows = std::vector<InstructionRow>;  // by PTX line; filled on request

/// Describes a group, or a single number, of the table below.
struct StatGroup {
  /// Object of the report that it is in; empty: it is in that of the launch. Rows of one object are together.
  std::string_view object;
  /// Timed: null in a functional run; Detailed: absent there, and without rows of instructions; Stages: and without an
  /// L2.
  enum class When : uint8_t { Always, Timed, Detailed, Stages } when;
  enum class Of : uint8_t { Launch, Total } of;  // Total: added up over launches, too
  std::string_view scope;                        // where it is counted: warp, SM, TPC, partition or chip
  StatInfo info;
  bool timed() const { return when != When::Always; }
  /// Whether reports leave it out where a launch does not have it; others are null there.
  bool may_be_absent() const { return when == When::Detailed || when == When::Stages; }
};

/// All that the report of a launch has, in its order: (type, member, object, when, of, scope, unit, sentence, name of
/// profilers). SM: each SM counts it, and the launch has the sum; `Always` is then also counted by a functional run.
/// CHIP: is counted once. LAUNCH: what else a launch has. FORMULA, with a name instead of a type: follows from others.
#define STATISTICS(SM, CHIP, LAUNCH, FORMULA)                                                                   \
  LAUNCH(std::string, kernel, "", Always, Launch, "chip", "name", "the kernel", "launch__kernel_name")          \
  LAUNCH(Extent, grid, "", Always, Launch, "chip", "blocks", "blocks of the grid in x, y and z",                \
         "launch__grid_dim_x, _y, _z")                                                                          \
  LAUNCH(Extent, block, "", Always, Launch, "chip", "threads", "threads per block in x, y and z",               \
         "launch__block_dim_x, _y, _z")                                                                         \
  LAUNCH(uint64_t, cycles, "", Timed, Total, "chip", "cycles",                                                  \
         "shader cycles from the launch's first block to the last one's end", "sm__cycles_elapsed.max")         \
  LAUNCH(double, time_us, "", Timed, Total, "chip", "microseconds", "cycles / shader clock",                    \
         "gputime, gpu__time_duration.sum")                                                                     \
  LAUNCH(InstructionCounts, counts, "", Always, Total, "warp")                                                  \
  FORMULA(Gflops, gflops, "", Timed, Total, "chip", "GFLOP/s", "flops / time")                                  \
  FORMULA(Ipc, ipc, "", Timed, Total, "SM", "instructions per cycle",                                           \
          "warp_instructions (PTX) / sm_cycles.elapsed: per cycle and SM of the chip, idle ones included")      \
  FORMULA(NativeIpc, native_ipc, "", Timed, Total, "SM", "instructions per cycle",                              \
          "native_warp_instructions / sm_cycles.elapsed", "sm__inst_executed.avg.per_cycle_elapsed")            \
  FORMULA(AchievedOccupancy, achieved_occupancy, "", Timed, Total, "SM", "share",                               \
          "sm_cycles.warps / sm_cycles.most_warps: mean warps of an SM that has any, of what it can hold",      \
          "achieved_occupancy, sm__warps_active.avg.pct_of_peak_sustained_active")                              \
  SM(SmCycles, sm_cycles, "sm_cycles", Timed, Total, "SM")                                                      \
  LAUNCH(Occupancy, occupancy, "occupancy", Always, Launch, "SM")                                               \
  LAUNCH(IssueSlots, issue, "issue", Timed, Total, "SM")                                                        \
  SM(DivergenceStats, divergence, "divergence", Always, Total, "warp")                                          \
  SM(LaneHistogram, active_lanes_histogram, "divergence", Always, Total, "warp", "instructions",                \
     "warp instructions by the number of their active lanes, 0 to 32; at a branch all lanes that come to it")   \
  FORMULA(ActiveLanes, active_lanes, "divergence", Always, Total, "warp", "share",                              \
          "of the lanes that have a thread which has not exited, those that execute the warp instructions")     \
  SM(SharedStats, shared, "shared", Always, Total, "SM")                                                        \
  SM(GlobalStats, global, "global", Always, Total, "SM")                                                        \
  SM(LatencyStats, global_latency, "global_latency", Timed, Total, "SM")                                        \
  SM(QueueFullCycles, memory_queue_full, "memory_queue_full", Timed, Total, "SM")                               \
  CHIP(QueueStats, queues, "queues", Timed, Total, "chip")                                                      \
  CHIP(QueueTimes, queue_times, "queue_times", Detailed, Total, "chip")                                         \
  CHIP(LatencyStages, latency_stages, "latency_stages", Stages, Total, "chip")                                  \
  CHIP(DramStats, dram, "dram", Timed, Total, "chip")                                                           \
  FORMULA(Bandwidth, bandwidth_gb_s, "dram", Timed, Total, "chip", "GB/s", "(read_bytes + write_bytes) / time", \
          "dram__bytes.sum.per_second")                                                                         \
  CHIP(CachesStats, caches, "caches", Timed, Total, "chip")                                                     \
  CHIP(TranslationStats, translation, "translation", Timed, Total, "TPC")                                       \
  LAUNCH(PipeBusy, pipes, "pipes", Timed, Total, "SM")                                                          \
  LAUNCH(ResourceUses, resources, "", Timed, Total, "chip", "share")                                            \
  FORMULA(Bound, bound, "", Timed, Launch, "chip", "name",                                                      \
          "bottleneck of the launch: the resource that is busy nearly all the time, or latency")                \
  LAUNCH(SamplingRecord, sampling, "", Always, Launch, "chip")                                                  \
  SM(WarpCycles, warp_cycles, "warp_cycles", Timed, Launch, "warp")                                             \
  LAUNCH(IssueBySm, issue_by_sm, "", Timed, Launch, "SM", "", "of each SM: ")                                   \
  LAUNCH(BusyByUnit, busy_by_unit, "", Timed, Launch, "chip", "", "of each resource: ")                         \
  LAUNCH(InstructionRows, instructions, "", Always, Launch, "warp", "", "of each PTX instruction: ")

#define NO_STATISTIC(...)
#define STATISTIC_GROUP(name, object, when, of, scope, ...)                                                \
  StatGroup {                                                                                              \
    object, StatGroup::When::when, StatGroup::Of::of, scope, StatInfo { #name __VA_OPT__(, ) __VA_ARGS__ } \
  }
#define STATISTIC_MEMBER(type, name, ...) type name{};
#define STATISTIC_ZIP(type, name, ...) f(STATISTIC_GROUP(name, __VA_ARGS__), a.name, b.name);
#define STATISTIC_VISIT(type, name, ...) visitor(STATISTIC_GROUP(name, __VA_ARGS__), self.name);
#define STATISTIC_FORMULA(formula, name, ...) visitor(STATISTIC_GROUP(name, __VA_ARGS__), Formula::formula);

enum class Formula : uint8_t {
#define FORMULA(formula, ...) formula,
  STATISTICS(NO_STATISTIC, NO_STATISTIC, NO_STATISTIC, FORMULA)
#undef FORMULA
};

/// What each SM counts. zip_groups(a, b, f), also with launches: f(group, member of a, member of b).
struct SmStatistics {
  STATISTICS(STATISTIC_MEMBER, NO_STATISTIC, NO_STATISTIC, NO_STATISTIC)
  template <class A, class B, class F>
  static void zip_groups(A& a, const B& b, F&& f) {
    STATISTICS(STATISTIC_ZIP, NO_STATISTIC, NO_STATISTIC, NO_STATISTIC)
  }
};

/// What is counted outside SMs.
struct ChipStatistics {
  STATISTICS(NO_STATISTIC, STATISTIC_MEMBER, NO_STATISTIC, NO_STATISTIC)
  template <class A, class B, class F>
  static void zip_groups(A& a, const B& b, F&& f) {
    STATISTICS(NO_STATISTIC, STATISTIC_ZIP, NO_STATISTIC, NO_STATISTIC)
  }
};

struct LaunchStatistics {
  STATISTICS(STATISTIC_MEMBER, STATISTIC_MEMBER, STATISTIC_MEMBER, NO_STATISTIC)
  bool timed = true;                      // false: a functional run; everything about time is null
  bool attributed = true;                 // false: reasons for stalls are null
  bool detailed = false;                  // false: what is recorded with the rows of instructions is absent
  bool staged = false;                    // false: so are the stages of latencies, which machines with an L2 have
  std::string note;                       // why a sampled run timed it in full detail
  std::shared_ptr<const SourceText> ptx;  // that the lines of `instructions` are of; with them

  bool has(const StatGroup& group) const {
    return (timed || !group.timed()) && (detailed || !group.may_be_absent()) &&
           (staged || group.when != StatGroup::When::Stages);
  }
  /// visitor(group, member or Formula) for each row of the table.
  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    STATISTICS(STATISTIC_VISIT, STATISTIC_VISIT, STATISTIC_VISIT, STATISTIC_FORMULA)
  }
  /// f(group, member of a, member of b) for each but formulas.
  template <class F>
  static void zip_groups(LaunchStatistics& a, const LaunchStatistics& b, F&& f) {
    STATISTICS(STATISTIC_ZIP, STATISTIC_ZIP, STATISTIC_ZIP, NO_STATISTIC)
  }
};

#undef STATISTIC_FORMULA
#undef STATISTIC_VISIT
#undef STATISTIC_ZIP
#undef STATISTIC_MEMBER
#undef STATISTIC_GROUP
#undef NO_STATISTIC

}  // namespace warptime::sim
