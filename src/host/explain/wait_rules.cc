// Rules about waits of warps for their own values and instructions: latencies, caches, fences.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/plural.h"
#include "host/explain/rule.h"

namespace warptime::host {

using sim::Resource, sim::Stall;

namespace {

/// What warps wait for this reason is no longer in their way.
template <Stall R>
std::optional<Change> waits(const Facts& facts) {
  if (facts.stalled(R) == 0) return std::nullopt;
  Change change;
  change.waits = facts.waited(R);
  return change;
}

/// waits() for waits of some twenty cycles: what passes while another warp issues wins nothing. (If a longer one ends,
/// other warps also find more to hide behind.)
template <Stall R>
std::optional<Change> short_waits(const Facts& facts) {
  std::optional<Change> change = waits<R>(facts);
  if (change) change->most = facts.stalled(R);
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
  double needed = std::ceil(warps / busy);
  std::string out = fmt::format(
      "{:.1f} warps are resident in an SM on average (limited by {}); by Little's law about {:.0f} would keep the {} "
      "busy, which is busy {} of the time.",
      warps, facts.verdict.limiter == "grid" ? "the grid" : facts.launch.occupancy.limiter, needed,
      sim::info(facts.verdict.busiest).words, percent_text(facts.verdict.share));
  if (facts.machine != nullptr && needed > facts.machine->sm.max_warps)
    out += fmt::format(
        " An SM holds only {}: beyond these, give each warp more independent instructions instead, such as several "
        "loads before the first use.",
        facts.machine->sm.max_warps);
  return out;
}

// --- latencies ---

/// Where memory's own resources are saturated, waits are for bandwidth.
std::optional<Change> memory_latency(const Facts& facts) {
  if (facts.near(facts.nearest_of_memory()) >= kSaturated) return std::nullopt;
  std::optional<Change> change = waits<Stall::GlobalDependency>(facts);
  // Loads wait for other accesses as before.
  if (change) change->waits *= facts.unqueued();
  return change;
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
      " Of {} in the cache {} miss.", plural(cache.accesses, "lookup"),
      percent_text(cache.accesses == 0 ? 0 : static_cast<double>(cache.misses) / static_cast<double>(cache.accesses)));
}

template <Stall R, sim::CacheStats sim::CachesStats::*Cache>
std::string cache_text(const Facts& facts, const InstructionRow* place) {
  return simple_text<R>(facts, place) + missed_text(facts.launch.caches.*Cache);
}

/// What a texture fetch waits for its cache and beyond, on average.
double texture_latency(const Facts& facts) {
  uint64_t cycles = 0, loads = 0;
  for (const InstructionRow* row :
       facts.rows([](std::string_view operation) { return operation.starts_with("tex"); })) {
    cycles += row->line_statistics.latency.cycles;
    loads += row->line_statistics.latency.loads;
  }
  return loads == 0 ? facts.machine->texture.tpc_cache.latency
                    : static_cast<double>(cycles) / static_cast<double>(loads);
}

/// While one fetch is under way, those of the other warps take their turns at the memory port: that much of the latency
/// a faster cache does not win.
std::optional<Change> texture_waits(const Facts& facts) {
  std::optional<Change> change = waits<Stall::TextureDependency>(facts);
  if (!change) return change;
  double turns = facts.resident_warps() * facts.machine->texture.cycles, latency = texture_latency(facts);
  change->waits *= std::clamp(1 - turns / std::max(1.0, latency), 0.0, 1.0);
  return change;
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

WhatIf no_what_if(const Facts&, const InstructionRow*) { return {}; }

constexpr std::string_view kOrder = "without fences the program might compute other values";

constexpr std::array kWaitRules{
    Rule{"memory_latency", "latency", false, "", memory_latency, waited_load, memory_latency_text, at_once},
    Rule{"arithmetic_latency", "latency", false, "", short_waits<Stall::AluDependency>, waiting<Stall::AluDependency>,
         alu_latency_text, no_alu_latency},
    Rule{"shared_latency", "latency", false, "", short_waits<Stall::SharedDependency>, waiting<Stall::SharedDependency>,
         simple_text<Stall::SharedDependency>, no_shared_latency},
    Rule{"constant_cache", "constant_cache", false, "", waits<Stall::ConstantDependency>,
         waiting<Stall::ConstantDependency>, cache_text<Stall::ConstantDependency, &sim::CachesStats::constant>,
         fast_constants},
    Rule{"texture_cache", "texture_cache", true, "", texture_waits, waiting<Stall::TextureDependency>,
         cache_text<Stall::TextureDependency, &sim::CachesStats::texture>, fast_textures},
    Rule{"instruction_fetch", "instruction_fetch", false, "", waits<Stall::InstructionFetch>,
         waiting<Stall::InstructionFetch>, cache_text<Stall::InstructionFetch, &sim::CachesStats::instruction>,
         fast_fetch},
    Rule{"fence", "latency", false, kOrder, waits<Stall::Fence>, waiting<Stall::Fence>, simple_text<Stall::Fence>,
         no_what_if},
};

}  // namespace

std::span<const Rule> wait_rules() { return kWaitRules; }

}  // namespace warptime::host
