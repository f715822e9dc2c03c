#include "cli/annotate/listing_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "cli/annotate/annotate_listing.h"

namespace warptime::cli {

using sim::InstructionRow;

namespace {

constexpr size_t kReasons = 2;            // printed a line
constexpr double kLeastPrinted = 0.0005;  // share of all slots below which a reason is not worth a column

uint64_t stalled(const InstructionRow& row) {
  return std::accumulate(row.stalls.begin(), row.stalls.end(), uint64_t{0});
}

uint64_t slots_of(const InstructionRow& row) { return row.issued + stalled(row); }

std::string mean_cell(uint64_t sum, uint64_t count, int digits) {
  if (sum == 0 || count == 0) return "";
  return fmt::format("{:.{}f}", static_cast<double>(sum) / static_cast<double>(count), digits);
}

std::string time_cells(const KernelListing& listing, const InstructionRow& row) {
  std::string lanes = row.warp_instructions == 0
                          ? ""
                          : fmt::format("{:.1f}", static_cast<double>(row.thread_instructions) /
                                                      static_cast<double>(row.warp_instructions));
  return fmt::format("{:>12} {:>5} {:>7} {:>8}", row.warp_instructions, lanes,
                     percent_cell(row.issued, listing.issue.slots), percent_cell(stalled(row), listing.issue.slots));
}

std::string reasons_text(const KernelListing& listing, const InstructionRow& row) {
  const uint64_t whole = listing.issue.slots;
  std::vector<size_t> order(sim::kStallCount);
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return row.stalls[a] > row.stalls[b]; });
  std::string out;
  for (size_t i = 0; i < kReasons; ++i) {
    uint64_t count = row.stalls[order[i]];
    if (static_cast<double>(count) < kLeastPrinted * static_cast<double>(whole) || count == 0) break;
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", sim::kStalls[order[i]].key, percent_cell(count, whole));
  }
  return out;
}

uint64_t bytes_moved(const InstructionRow& row) { return row.line_statistics.memory.bytes_moved; }

/// Per access, except for hits (of the reads) and the lanes of both ways (of the divergent executions).
std::string memory_cells(const KernelListing& listing, const InstructionRow& row) {
  const auto& [memory, divergence, caches, latency] = row.line_statistics;
  const uint64_t hits = caches.sm_hits + caches.tpc_hits + caches.partition_hits;
  std::string lanes, cycles;
  if (divergence.branches != 0)
    lanes = fmt::format("{}/{}", mean_cell(divergence.lanes_taken, divergence.branches, 1),
                        mean_cell(divergence.lanes_not_taken, divergence.branches, 1));
  if (latency.loads != 0 && listing.timed)
    cycles = fmt::format("{} ({}-{})", mean_cell(latency.cycles, latency.loads, 0), latency.least.value(),
                         latency.most.value());
  return fmt::format(
      "{:>10} {:>6} {:>6} {:>6} {:>6} {:>9} {:>9} {:>6} {:>16}",
      memory.accesses == 0 ? "" : fmt::to_string(memory.accesses), mean_cell(memory.transactions, memory.accesses, 2),
      mean_cell(memory.ideal_transactions, memory.accesses, 2),
      percent_cell(memory.bytes_requested, memory.bytes_moved), mean_cell(memory.conflict_passes, memory.accesses, 2),
      divergence.branches == 0 ? "" : fmt::to_string(divergence.branches), lanes, percent_cell(hits, caches.reads),
      cycles);
}

std::string nothing(const KernelListing&, const InstructionRow&) { return {}; }

}  // namespace

std::string percent_cell(uint64_t part, uint64_t whole) {
  if (part == 0) return "";
  return fmt::format("{:.1f}", 100.0 * static_cast<double>(part) / static_cast<double>(std::max<uint64_t>(whole, 1)));
}

const std::vector<ColumnSet>& column_sets() {
  static const std::vector<ColumnSet> sets{
      {"time", "  executions lanes issue %  stall %", slots_of, time_cells, reasons_text},
      {"memory", "  accesses trans.  ideal used % passes  diverged     lanes  hit %  latency, cycles", bytes_moved,
       memory_cells, nothing}};
  return sets;
}

}  // namespace warptime::cli
