// Rules about what warps of a block and blocks of a grid do to each other: barriers, the end of the grid.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/plural.h"
#include "host/explain/rule.h"

namespace warptime::host {

using sim::Resource, sim::Stall;

namespace {

double part_of(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string slots_waiting(const Facts& facts, Stall reason) {
  return fmt::format("{} of the issue slots", percent_text(facts.stalled(reason)));
}

// --- barriers ---

bool is_barrier(std::string_view operation) {
  return operation.starts_with("bar") && operation.find(".warp") == std::string_view::npos;
}

/// The instructions behind a barrier carry its stalls; the barrier is the nearest one before.
const InstructionRow* costliest_barrier(const Facts& facts) {
  const InstructionRow* waiting = facts.most_stalled(Stall::Barrier);
  if (waiting == nullptr) return nullptr;
  const auto& rows = facts.launch.instructions;
  const InstructionRow* out = nullptr;
  for (const InstructionRow& row : rows) {
    if (&row == waiting && out != nullptr) return out;
    if (row.line != 0 && row.warp_instructions != 0 && is_barrier(operation(row))) out = &row;
  }
  return out;  // of a loop, the barrier may be behind it
}

/// What barriers take without the wait for other warps: `issue.barrier_latency` for each. Slots are charged to a
/// barrier from its last arrival on.
std::optional<Change> barrier(const Facts& facts) {
  if (facts.stalled(Stall::Barrier) == 0) return std::nullopt;
  Change change;
  uint64_t executed = 0;
  for (const InstructionRow* row : facts.rows(is_barrier)) executed += row->warp_instructions;
  double itself = facts.stalled(Stall::Barrier) / std::max(facts.working(), 0.01);
  if (executed != 0 && facts.machine != nullptr)
    itself = part_of(executed * facts.machine->issue.barrier_latency, facts.launch.warp_cycles.resident);
  change.barriers = std::min(facts.waited(Stall::Barrier), itself);
  return change;
}

std::string barrier_text(const Facts& facts, const InstructionRow* place) {
  uint32_t blocks = facts.launch.occupancy.blocks_per_sm;
  return fmt::format(
      "{}n {} no warp is ready and the next one waits for other warps of its block at a barrier. Warps spend {} of "
      "their "
      "time at barriers, and {} too few others to issue.",
      place == nullptr ? "I" : "is the barrier that costs most. I", slots_waiting(facts, Stall::Barrier),
      percent_text(facts.waited(Stall::Barrier)),
      blocks == 1 ? "1 block per SM leaves" : fmt::format("{} blocks per SM leave", blocks));
}

WhatIf fast_barrier(const Facts&, const InstructionRow*) { return {.settings = {"issue.barrier_latency=1"}}; }

// --- the end of the grid ---

double blocks_of(const sim::LaunchStatistics& launch) {
  return static_cast<double>(launch.grid[0]) * launch.grid[1] * launch.grid[2];
}

double blocks_at_once(const Facts& facts) {
  return static_cast<double>(facts.launch.occupancy.blocks_per_sm) * std::max(1u, facts.sms());
}

std::string tail_text(const Facts& facts, const InstructionRow*) {
  double blocks = blocks_of(facts.launch), at_once = blocks_at_once(facts);
  std::string waves = fmt::format("{:.3g}", blocks / std::max(1.0, at_once));
  return fmt::format(
      "In {} an SM has no block and will get none. The grid has {}, and the chip holds {:.0f} at once: {} wave{}.",
      slots_waiting(facts, Stall::Drained), plural(static_cast<uint64_t>(blocks), "block"), at_once, waves,
      waves == "1" ? "" : "s");
}

/// Work spread evenly over the SMs: each unit of an SM or TPC is used as the average one. A warp's own time is not
/// shorter; only the waves of blocks one after the other are fewer, down to one. No launch can end before the average
/// SM does.
std::optional<Change> tail(const Facts& facts) {
  const sim::LaunchStatistics& launch = facts.launch;
  if (facts.stalled(Stall::Drained) == 0) return std::nullopt;
  const double least = 1 - facts.stalled(Stall::Drained);
  Change change;
  for (size_t i = 0; i < sim::kResourceCount; ++i) {
    const sim::ResourceUse& use = launch.resources[i];
    if (sim::kResources[i].scope != "partition" && use.busiest_share() > 0)
      change.remains[i] = std::max(least, use.share() / use.busiest_share());
  }
  double warps = blocks_of(launch) * static_cast<double>(launch.occupancy.warps_per_sm) /
                 std::max(1u, launch.occupancy.blocks_per_sm);
  double block_cycles = static_cast<double>(launch.warp_cycles.resident) / std::max(1.0, warps);
  double waves = static_cast<double>(launch.cycles) * facts.active() / std::max(1.0, block_cycles);
  double fewer = std::max(1.0, blocks_of(launch) / blocks_at_once(facts)) / std::max(1.0, waves);
  change.path = std::clamp(fewer, least, 1.0);
  return change;
}

WhatIf nothing_to_try(const Facts&, const InstructionRow*) { return {}; }
const InstructionRow* of_no_line(const Facts&) { return nullptr; }

constexpr std::array kBlockRules{
    Rule{"barrier", "barrier", false, "", barrier, costliest_barrier, barrier_text, fast_barrier},
    Rule{"tail", "tail", false, "only another grid has another end", tail, of_no_line, tail_text, nothing_to_try},
};

}  // namespace

std::span<const Rule> block_rules() { return kBlockRules; }

}  // namespace warptime::host
