// Rules about waits that no other warp hides: latencies, barriers, instruction memory, the beginning and end of blocks.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "host/explain/rule.h"

namespace warptime::host {

using sim::Resource, sim::Stall;

namespace {

/// Slots that waited for this reason would pass with an issue, until a resource is at its limit.
template <Stall R>
std::optional<Change> waits(const Facts& facts) {
  if (facts.stalled(R) == 0) return std::nullopt;
  Change change;
  change.slots = facts.stalled(R);
  return change;
}

template <Stall R>
const InstructionRow* waiting(const Facts& facts) {
  return facts.most_stalled(R);
}

std::string slots_text(const Facts& facts, Stall reason) {
  return fmt::format("{} of the issue slots", percent_text(facts.stalled(reason)));
}

/// What of a wait is one instruction's.
std::string of_line(const Facts& facts, const InstructionRow* place, Stall reason) {
  if (place == nullptr) return "";
  double part = static_cast<double>(place->stalls[static_cast<size_t>(reason)]) /
                static_cast<double>(std::max<uint64_t>(1, facts.launch.issue.slots));
  return fmt::format("waits most, {}. ", percent_text(part));
}

/// Little's law: warps in flight are their rate times the time that each takes. At the same latencies, the busiest
/// resource is busy all the time with this many warps per SM.
std::string warps_text(const Facts& facts) {
  double busy = std::max(0.01, facts.near(facts.verdict.busiest));
  double warps = facts.resident_warps();
  return fmt::format(
      "{:.1f} warps are resident in an SM on average (limited by {}); by Little's law about {:.0f} would keep the {} "
      "busy, "
      "which "
      "is busy {} of the time.",
      warps, facts.verdict.limiter == "grid" ? "the grid" : facts.launch.occupancy.limiter, std::ceil(warps / busy),
      sim::info(facts.verdict.busiest).words, percent_text(facts.verdict.share));
}

// --- latencies ---

/// Where memory's own resources are saturated, waits are for bandwidth.
std::optional<Change> memory_latency(const Facts& facts) {
  if (facts.near(facts.nearest_of_memory()) >= kSaturated) return std::nullopt;
  return waits<Stall::GlobalDependency>(facts);
}

const InstructionRow* waited_load(const Facts& facts) {
  const InstructionRow* waiter = facts.most_stalled(Stall::GlobalDependency);
  const InstructionRow* load = facts.load_of(waiter);
  return load != nullptr ? load : waiter;
}

std::string memory_latency_text(const Facts& facts, const InstructionRow* place) {
  const sim::LaunchStatistics& launch = facts.launch;
  std::string out = fmt::format("{}In {} no warp is ready and the next one waits for a load from global memory",
                                place == nullptr ? "" : "is the load that is waited for most. ",
                                slots_text(facts, Stall::GlobalDependency));
  uint64_t waited = launch.warp_cycles.waiting[static_cast<size_t>(Stall::GlobalDependency)];
  if (waited > 0 && launch.global.loads > 0)
    out += fmt::format("; a load keeps its warp waiting {:.0f} cycles on average",
                       static_cast<double>(waited) / static_cast<double>(launch.global.loads));
  return out + ". " + warps_text(facts);
}

WhatIf at_once(const Facts&, const InstructionRow*) { return {.assumptions = {.at_once = sim::Lines::all()}}; }

std::string alu_latency_text(const Facts& facts, const InstructionRow* place) {
  return of_line(facts, place, Stall::AluDependency) +
         fmt::format("In {} no warp is ready and the next one waits for its own arithmetic. ",
                     slots_text(facts, Stall::AluDependency)) +
         warps_text(facts);
}

WhatIf no_alu_latency(const Facts&, const InstructionRow*) {
  WhatIf out;
#define X(unused, name, key, ...) \
  if (std::string_view(#key) != "branch") out.settings.push_back("latency." #key "=1");
  PTX_LATENCIES(X, )
#undef X
  return out;
}

template <Stall R>
std::string simple_text(const Facts& facts, const InstructionRow* place) {
  return of_line(facts, place, R) +
         fmt::format("In {} no warp is ready and the next one waits for {}.", slots_text(facts, R), sim::info(R).what);
}

WhatIf no_shared_latency(const Facts&, const InstructionRow*) { return {.settings = {"sm.shared.load_latency=1"}}; }

// --- caches ---

std::string missed_text(const sim::CacheStats& cache) {
  return fmt::format(
      " Of {} lookups in the cache {} miss.", cache.accesses,
      percent_text(cache.accesses == 0 ? 0 : static_cast<double>(cache.misses) / static_cast<double>(cache.accesses)));
}

template <Stall R, sim::CacheStats sim::CachesStats::*Cache>
std::string cache_text(const Facts& facts, const InstructionRow* place) {
  return simple_text<R>(facts, place) + missed_text(facts.launch.caches.*Cache);
}

WhatIf fast_constants(const Facts&, const InstructionRow*) {
  return {.settings = {"constant.load_latency=1", "constant.sm_cache.bytes=65536", "constant.tpc_cache.latency=0"}};
}
WhatIf fast_textures(const Facts&, const InstructionRow*) {
  return {.settings = {"texture.tpc_cache.latency=0", "texture.tpc_cache.bytes=1048576"}};
}
WhatIf fast_fetch(const Facts&, const InstructionRow*) {
  return {.settings = {"latency.branch=1", "instruction.sm_cache.bytes=0", "instruction.tpc_cache.bytes=0",
                       "instruction.partition_cache.bytes=0"}};
}

// --- blocks ---

double share_at_barrier(const Facts& facts) {
  const sim::WarpCycles& warps = facts.launch.warp_cycles;
  return warps.resident == 0 ? 0
                             : static_cast<double>(warps.waiting[static_cast<size_t>(Stall::Barrier)]) /
                                   static_cast<double>(warps.resident);
}

/// Slots are charged to a barrier from its last arrival on; what they waited for before is charged to that warp.
WhatIf fast_barrier(const Facts&, const InstructionRow*) { return {.settings = {"issue.barrier_latency=1"}}; }

std::string barrier_text(const Facts& facts, const InstructionRow* place) {
  uint32_t blocks = facts.launch.occupancy.blocks_per_sm;
  return simple_text<Stall::Barrier>(facts, place) +
         fmt::format(" Warps spend {} of their time at barriers, and {} too few others to issue.",
                     percent_text(share_at_barrier(facts)),
                     blocks == 1 ? "1 block per SM leaves" : fmt::format("{} blocks per SM leave", blocks));
}

std::string tail_text(const Facts& facts, const InstructionRow*) {
  const sim::LaunchStatistics& launch = facts.launch;
  uint64_t blocks = uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
  double at_once = static_cast<double>(launch.occupancy.blocks_per_sm) * std::max(1u, facts.sms());
  return fmt::format(
      "In {} an SM has no block and will get none. The grid has {} block{}, and the chip holds {:.0f} at once: {:.3g} "
      "rounds.",
      slots_text(facts, Stall::Drained), blocks, blocks == 1 ? "" : "s", at_once,
      static_cast<double>(blocks) / std::max(1.0, at_once));
}

/// Work spread evenly over the SMs would end when the average SM does.
std::optional<Change> tail(const Facts& facts) {
  double drained = facts.stalled(Stall::Drained);
  if (drained == 0) return std::nullopt;
  Change change;
  change.slots = drained * facts.working();  // `saved` divides by it
  for (size_t i = 0; i < sim::kResourceCount; ++i) change.remains[i] = 1 - drained;
  return change;
}

// --- divergence ---

/// Lanes that are off because their warp has diverged. Warps that are never full (a block of 16 threads) have not.
double idle_lanes(const Facts& facts) {
  const sim::LaneHistogram& lanes = facts.launch.active_lanes_histogram;
  double all = 0, idle = 0;
  for (size_t active = 1; active < lanes.size(); ++active) {
    all += static_cast<double>(lanes[active]);
    idle += static_cast<double>(lanes[active]) * (1 - static_cast<double>(active) / 32);
  }
  return all == 0 ? 0 : idle / all;
}

/// With all lanes on, the same work would take that many fewer instructions of every kind.
std::optional<Change> divergence(const Facts& facts) {
  if (facts.launch.divergence.divergent_branches == 0) return std::nullopt;
  double idle = idle_lanes(facts);
  Change change;
  change.remains.fill(1 - idle);
  change.slots = idle * facts.working();
  return change;
}

const InstructionRow* divergent_branch(const Facts& facts) {
  auto branches = facts.rows([](std::string_view operation) { return operation.starts_with("bra"); });
  std::erase_if(branches, [](const InstructionRow* row) { return !row->text.starts_with("@"); });
  return branches.size() == 1 ? branches.front() : nullptr;
}

std::string divergence_text(const Facts& facts, const InstructionRow* place) {
  const sim::DivergenceStats& d = facts.launch.divergence;
  return fmt::format("{} of {} {} split {} warp; of the lanes of all warp instructions {} are off.",
                     d.divergent_branches, d.branches, place == nullptr ? "branches" : "times it", "their",
                     percent_text(idle_lanes(facts)));
}

WhatIf no_what_if(const Facts&, const InstructionRow*) { return {}; }
const InstructionRow* no_place(const Facts&) { return nullptr; }

constexpr std::string_view kValues = "without it the program would compute other values";
constexpr std::string_view kGrid = "only another grid can";

constexpr std::array kWaitRules{
    Rule{"memory_latency", "latency", false, "", memory_latency, waited_load, memory_latency_text, at_once},
    Rule{"arithmetic_latency", "latency", false, "", waits<Stall::AluDependency>, waiting<Stall::AluDependency>,
         alu_latency_text, no_alu_latency},
    Rule{"shared_latency", "latency", false, "", waits<Stall::SharedDependency>, waiting<Stall::SharedDependency>,
         simple_text<Stall::SharedDependency>, no_shared_latency},
    Rule{"constant_cache", "constant_cache", false, "", waits<Stall::ConstantDependency>,
         waiting<Stall::ConstantDependency>, cache_text<Stall::ConstantDependency, &sim::CachesStats::constant>,
         fast_constants},
    Rule{"texture_cache", "texture_cache", false, "", waits<Stall::TextureDependency>,
         waiting<Stall::TextureDependency>, cache_text<Stall::TextureDependency, &sim::CachesStats::texture>,
         fast_textures},
    Rule{"instruction_fetch", "instruction_fetch", false, "", waits<Stall::InstructionFetch>,
         waiting<Stall::InstructionFetch>, cache_text<Stall::InstructionFetch, &sim::CachesStats::instruction>,
         fast_fetch},
    Rule{"barrier", "barrier", false, "", waits<Stall::Barrier>, waiting<Stall::Barrier>, barrier_text, fast_barrier},
    Rule{"fence", "latency", false, kValues, waits<Stall::Fence>, waiting<Stall::Fence>, simple_text<Stall::Fence>,
         no_what_if},
    Rule{"tail", "tail", false, kGrid, tail, no_place, tail_text, no_what_if},
    Rule{"divergence", "divergence", false, "the program's own paths decide which lanes are on", divergence,
         divergent_branch, divergence_text, no_what_if},
};

}  // namespace

std::span<const Rule> wait_rules() { return kWaitRules; }

}  // namespace warptime::host
