// Rules about lanes that are off because their warp has diverged: at a branch, or in a loop that some leave earlier.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "host/explain/rule.h"

namespace warptime::host {

using sim::Resource, sim::Stall;

namespace {

double quotient_of(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// Lanes that a warp's threads are, on average: the last warp of a block may have fewer.
double lanes_of_warps(const sim::LaunchStatistics& launch) {
  uint64_t threads = std::max<uint64_t>(1, uint64_t{launch.block[0]} * launch.block[1] * launch.block[2]);
  return static_cast<double>(threads) / static_cast<double>((threads + 31) / 32);
}

double lanes_of(const InstructionRow& row) { return quotient_of(row.thread_instructions, row.warp_instructions); }

/// The share of rows [first, end) in all cycles of issue, and the share of those cycles that lanes are off, where
/// `full` would be on. Lanes whose guard is false are not: a guarded instruction is taken for as active as the one
/// before it.
struct IssueCycles {
  double all = 0, idle = 0;
};
IssueCycles issue_cycles(const sim::InstructionRows& rows, size_t first, size_t end, double full) {
  IssueCycles out;
  double active = 1;
  for (size_t i = first; i < end; ++i) {
    const InstructionRow& row = rows[i];
    if (row.line == 0 || row.warp_instructions == 0) continue;
    if (!row.text.starts_with("@")) active = std::min(1.0, lanes_of(row) / full);
    out.all += static_cast<double>(row.issued);
    out.idle += static_cast<double>(row.issued) * (1 - active);
  }
  return out;
}

/// The part of the lanes, over all cycles of issue, that are off because their warp has diverged.
double idle_lanes(const Facts& facts) {
  const double full = lanes_of_warps(facts.launch);
  IssueCycles cycles = issue_cycles(facts.launch.instructions, 0, facts.launch.instructions.size(), full);
  if (cycles.all > 0) return cycles.idle / cycles.all;
  const sim::LaneHistogram& lanes = facts.launch.active_lanes_histogram;  // without rows
  for (size_t count = 1; count < lanes.size(); ++count) {
    cycles.all += static_cast<double>(lanes[count]);
    cycles.idle += static_cast<double>(lanes[count]) * std::max(0.0, 1 - static_cast<double>(count) / full);
  }
  return cycles.all == 0 ? 0 : cycles.idle / cycles.all;
}

// --- loops ---

struct Loop {
  const InstructionRow *first = nullptr, *last = nullptr;
  const InstructionRow* exit = nullptr;  // the branch at which lanes leave it one after the other
  double idle = 0;                       // of all cycles of issue: lanes that are off in it and were on before
};

/// The branch out of [first, last] that splits most warps; nullptr: lanes leave together.
const InstructionRow* diverging_exit(const sim::InstructionRows& rows, size_t first, size_t last) {
  const InstructionRow* out = nullptr;
  for (size_t i = first; i <= last; ++i) {
    const uint32_t target = rows[i].target;
    const bool leaves = target != 0 && (i == last || target - 1 < first || target - 1 > last);
    const uint64_t splits = rows[i].line_statistics.divergence.branches;
    if (leaves && splits > (out == nullptr ? 0 : out->line_statistics.divergence.branches)) out = &rows[i];
  }
  return out;
}

/// The loop that lanes leave one after the other with the most lanes off in it.
Loop worst_loop(const Facts& facts) {
  const sim::InstructionRows& rows = facts.launch.instructions;
  const double full = lanes_of_warps(facts.launch);
  const double all = issue_cycles(rows, 0, rows.size(), full).all;
  Loop worst;
  for (size_t last = 0; all > 0 && last < rows.size(); ++last) {
    if (rows[last].target == 0 || rows[last].target > last + 1) continue;
    const size_t first = rows[last].target - 1;
    const InstructionRow* exit = diverging_exit(rows, first, last);
    if (exit == nullptr) continue;
    double entry = first == 0 ? full : lanes_of(rows[first - 1]);
    for (size_t i = first; i <= last; ++i) entry = std::max(entry, lanes_of(rows[i]));
    const double idle = issue_cycles(rows, first, last + 1, std::min(entry, full)).idle / all;
    if (idle > worst.idle) worst = {&rows[first], &rows[last], exit, idle};
  }
  return worst;
}

/// With other warps' work in the lanes that are off, the same work takes that many fewer cycles of scheduler and pipes.
/// The latencies of both paths remain.
Change without(const Facts& facts, double idle) {
  Change change;
  for (size_t i = 0; i < sim::kResourceCount; ++i)
    if (!is_of_memory(static_cast<Resource>(i))) change.remains[i] = 1 - idle;
  change.waits = facts.issuing() * idle;
  return change;
}

std::optional<Change> divergent_loop(const Facts& facts) {
  const Loop loop = worst_loop(facts);
  if (loop.exit == nullptr) return std::nullopt;
  return without(facts, loop.idle);
}

const InstructionRow* loop_exit(const Facts& facts) { return worst_loop(facts).exit; }

std::string divergent_loop_text(const Facts& facts, const InstructionRow* place) {
  const Loop loop = worst_loop(facts);
  return fmt::format(
      "ends a loop (lines {} to {}) that the lanes of a warp leave one after the other: it splits its warp {} of {} "
      "times, and those that have left wait for the last. Weighted by issue cycles, {} of all lanes are off because of "
      "this. Give the threads of a warp equal numbers of passes: sort the work by its length, or let a whole warp work "
      "on "
      "one item at a time.",
      loop.first->line, loop.last->line, place->line_statistics.divergence.branches, place->warp_instructions,
      percent_text(loop.idle));
}

// --- branches ---

double idle_beside_loop(const Facts& facts) { return std::max(0.0, idle_lanes(facts) - worst_loop(facts).idle); }

std::optional<Change> divergence(const Facts& facts) {
  if (facts.launch.divergence.divergent_branches == 0) return std::nullopt;
  return without(facts, idle_beside_loop(facts));
}

/// The branch at which most lanes part, besides that of the loop.
const InstructionRow* divergent_branch(const Facts& facts) {
  const InstructionRow *out = nullptr, *exit = worst_loop(facts).exit;
  auto parted = [](const InstructionRow& row) {
    const sim::LineDivergence& d = row.line_statistics.divergence;
    return std::min(d.lanes_taken, d.lanes_not_taken);
  };
  for (const InstructionRow& row : facts.launch.instructions)
    if (row.line != 0 && &row != exit && parted(row) > (out == nullptr ? 0 : parted(*out))) out = &row;
  return out;
}

std::string divergence_text(const Facts& facts, const InstructionRow* place) {
  const sim::DivergenceStats& d = facts.launch.divergence;
  std::string of_all = fmt::format("{} of {} branches split their warp", d.divergent_branches, d.branches);
  std::string out = of_all;
  if (place != nullptr) {
    const sim::LineDivergence& line = place->line_statistics.divergence;
    out = fmt::format("splits its warp {} of {} times, {:.3g} lanes from {:.3g}; in all, {}", line.branches,
                      place->warp_instructions, quotient_of(line.lanes_taken, line.branches),
                      quotient_of(line.lanes_not_taken, line.branches), of_all);
  }
  return out +
         fmt::format(
             ". Weighted by issue cycles, {} of the lanes are off. Let the threads of a warp agree: choose the path "
             "by threadIdx.x / 32, or sort the data.",
             percent_text(idle_beside_loop(facts)));
}

WhatIf lanes_filled(const Facts&, const InstructionRow*) { return {.assumptions = {.filled = sim::Lines::all()}}; }

constexpr std::array kDivergenceRules{
    Rule{"divergent_loop", "divergence", false, "", divergent_loop, loop_exit, divergent_loop_text, lanes_filled},
    Rule{"divergence", "divergence", false, "", divergence, divergent_branch, divergence_text, lanes_filled},
};

}  // namespace

std::span<const Rule> divergence_rules() { return kDivergenceRules; }

}  // namespace warptime::host
