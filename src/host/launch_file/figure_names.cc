#include "host/launch_file/figure_names.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "host/report/report.h"

namespace warptime::host {

namespace {

using CountedLaunch = sim::LaunchStatistics;
using CountedRow = sim::InstructionRow;

double count_of(uint64_t value) { return static_cast<double>(value); }
/// 0 of nothing: no request is uncoalesced where there is none.
double quotient_of(uint64_t of, uint64_t all) { return all == 0 ? 0 : count_of(of) / count_of(all); }

double coalesced_share(const CountedLaunch& launch) {
  const uint64_t all = launch.global.coalesced + launch.global.uncoalesced;
  return all == 0 ? 1 : quotient_of(launch.global.coalesced, all);
}
/// The part of the warps that an SM can hold which its blocks leave room for.
double occupancy_share(const CountedLaunch& launch) {
  return quotient_of(launch.occupancy.warps_per_sm * launch.sm_cycles.active, launch.sm_cycles.most_warps);
}
double stall_share(const CountedLaunch& launch, sim::Stall reason) {
  return quotient_of(launch.issue.stalls[static_cast<size_t>(reason)], launch.issue.slots);
}

uint64_t slots_of_line(const CountedRow& row) {
  return std::accumulate(row.stalls.begin(), row.stalls.end(), row.issued);
}
uint64_t uncoalesced_of_line(const CountedRow& row) {
  const sim::LineMemory& memory = row.line_statistics.memory;
  return memory.transactions - std::min(memory.transactions, memory.ideal_transactions);
}
uint64_t conflicts_of_line(const CountedRow& row) { return row.line_statistics.memory.conflict_passes; }
uint64_t transactions_of_line(const CountedRow& row) { return row.line_statistics.memory.transactions; }
uint64_t bytes_of_line(const CountedRow& row) { return row.line_statistics.memory.bytes_moved; }
uint64_t divergence_of_line(const CountedRow& row) { return row.line_statistics.divergence.branches; }
uint64_t executions_of_line(const CountedRow& row) { return row.warp_instructions; }
uint64_t barrier_of_line(const CountedRow& row) { return row.stalls[static_cast<size_t>(sim::Stall::Barrier)]; }

constexpr std::string_view kFaster =
    "the line that takes most of the issue slots first (`warptime explain` names more)";
constexpr std::string_view kCoalesce =
    "neighbouring threads (threadIdx.x) access neighbouring elements: the index has threadIdx.x with the factor 1";
constexpr std::string_view kBanks =
    "the lanes of a warp access different banks: rows of shared memory that are one word longer, or an index with "
    "threadIdx.x with the factor 1";
constexpr std::string_view kDiverge =
    "a condition that all threads of a warp decide alike, such as one of threadIdx.x / 32 or of a contiguous range of "
    "threads";
constexpr std::string_view kReuse = "each element loaded once, and kept in a register or in shared memory";
constexpr std::string_view kFewer = "less work for each element: common parts computed once, outside of the loop";
constexpr std::string_view kOccupy = "fewer registers or less shared memory per block, or another block size";

// Name, unit, what, remedy, timed, of several launches, value, of a line.
constexpr std::array kFigureNames{
    FigureName{kFindingsFigure, "findings", "errors that `warptime check` finds; `none` is {equals: 0}", ""},
    FigureName{"time_us", "us", "time of the launches", kFaster, true, FigureName::Several::Sum,
               [](const CountedLaunch& l) { return l.time_us; }, slots_of_line},
    FigureName{"cycles", "cycles", "shader cycles of the launches", kFaster, true, FigureName::Several::Sum,
               [](const CountedLaunch& l) { return count_of(l.cycles); }, slots_of_line},
    FigureName{"warp_instructions", "instructions", "PTX instructions that warps issued", kFewer, false,
               FigureName::Several::Sum, [](const CountedLaunch& l) { return count_of(l.counts.warp_instructions); },
               executions_of_line},
    FigureName{"thread_instructions", "instructions", "PTX instructions that threads executed", kFewer, false,
               FigureName::Several::Sum, [](const CountedLaunch& l) { return count_of(l.counts.thread_instructions); },
               executions_of_line},
    FigureName{"gflops", "GFLOP/s", "operations of f32 in time", kFaster, true, FigureName::Several::Sum,
               [](const CountedLaunch& l) { return host::gflops(l); }, slots_of_line},
    FigureName{"ipc", "instructions per cycle", "warp instructions per cycle and SM", kFaster, true,
               FigureName::Several::Sum, [](const CountedLaunch& l) { return host::ipc(l); }, slots_of_line},
    FigureName{"occupancy", "%", "warps that the blocks of an SM have, of those that it can hold", kOccupy, true,
               FigureName::Several::Least, occupancy_share, nullptr},
    FigureName{"achieved_occupancy", "%", "warps that an SM held on average, of those that it can hold",
               "more blocks, or blocks that end together", true, FigureName::Several::Sum,
               [](const CountedLaunch& l) { return host::achieved_occupancy(l); }, nullptr},
    FigureName{"registers_per_thread", "registers", "registers of a thread", kOccupy, false, FigureName::Several::Most,
               [](const CountedLaunch& l) { return count_of(l.occupancy.registers_per_thread); }, nullptr},
    FigureName{"shared_bytes_per_block", "bytes", "shared memory of a block", kOccupy, false, FigureName::Several::Most,
               [](const CountedLaunch& l) { return count_of(l.occupancy.shared_bytes_per_block); }, nullptr},
    FigureName{"coalesced", "%", "requests to global memory that coalesced, of all", kCoalesce, true,
               FigureName::Several::Sum, coalesced_share, uncoalesced_of_line},
    FigureName{"uncoalesced", "requests", "requests to global memory that did not coalesce", kCoalesce, true,
               FigureName::Several::Sum, [](const CountedLaunch& l) { return count_of(l.global.uncoalesced); },
               uncoalesced_of_line},
    FigureName{"transactions", "transactions", "transactions of global memory", kReuse, true, FigureName::Several::Sum,
               [](const CountedLaunch& l) { return count_of(l.global.transactions); }, transactions_of_line},
    FigureName{"global_loads", "loads", "loads from global memory that warps issued", kReuse, true,
               FigureName::Several::Sum, [](const CountedLaunch& l) { return count_of(l.global.loads); },
               transactions_of_line},
    FigureName{"global_stores", "stores", "stores to global memory that warps issued", kReuse, true,
               FigureName::Several::Sum, [](const CountedLaunch& l) { return count_of(l.global.stores); },
               transactions_of_line},
    FigureName{"global_atomics", "operations", "atomic operations on global memory that warps issued",
               "atomic operations on shared memory first, and one on global memory for each block", true,
               FigureName::Several::Sum, [](const CountedLaunch& l) { return count_of(l.global.atomics); },
               transactions_of_line},
    FigureName{"dram_bytes", "bytes", "bytes read from and written to DRAM", kReuse, true, FigureName::Several::Sum,
               [](const CountedLaunch& l) { return count_of(l.dram.read_bytes + l.dram.write_bytes); }, bytes_of_line},
    FigureName{"bandwidth_gb_s", "GB/s", "bytes of DRAM in time", kFaster, true, FigureName::Several::Sum,
               [](const CountedLaunch& l) { return host::dram_bandwidth_gb_s(l); }, slots_of_line},
    FigureName{"shared_accesses", "accesses", "accesses to shared memory that warps issued",
               "values in registers where one thread alone uses them", true, FigureName::Several::Sum,
               [](const CountedLaunch& l) { return count_of(l.shared.accesses); }, executions_of_line},
    FigureName{"conflict_passes", "replays", "replays because of bank conflicts in shared memory", kBanks, true,
               FigureName::Several::Sum, [](const CountedLaunch& l) { return count_of(l.shared.conflict_passes); },
               conflicts_of_line},
    FigureName{
        "divergence", "%", "branches at which lanes of a warp diverged, of all", kDiverge, false,
        FigureName::Several::Sum,
        [](const CountedLaunch& l) { return quotient_of(l.divergence.divergent_branches, l.divergence.branches); },
        divergence_of_line},
    FigureName{"divergent_branches", "branches", "branches at which lanes of a warp diverged", kDiverge, false,
               FigureName::Several::Sum,
               [](const CountedLaunch& l) { return count_of(l.divergence.divergent_branches); }, divergence_of_line},
    FigureName{"active_lanes", "%", "lanes that execute the warp instructions, of those with a thread", kDiverge, false,
               FigureName::Several::Sum, [](const CountedLaunch& l) { return host::active_lanes(l); },
               divergence_of_line},
    FigureName{"issued", "%", "issue slots in which an instruction issued, of all", kFaster, true,
               FigureName::Several::Sum,
               [](const CountedLaunch& l) { return quotient_of(l.issue.issued, l.issue.slots); }, slots_of_line},
    FigureName{"barrier_waits", "%", "issue slots that passed waiting at barriers, of all",
               "fewer barriers, or work that is shared evenly between them", true, FigureName::Several::Sum,
               [](const CountedLaunch& l) { return stall_share(l, sim::Stall::Barrier); }, barrier_of_line},
};

}  // namespace

std::span<const FigureName> figure_names() { return kFigureNames; }

const FigureName* find_figure_name(std::string_view name) {
  const auto found =
      std::find_if(kFigureNames.begin(), kFigureNames.end(), [&](const FigureName& row) { return row.name == name; });
  return found == kFigureNames.end() ? nullptr : &*found;
}

}  // namespace warptime::host
