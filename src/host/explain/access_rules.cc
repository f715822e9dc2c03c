// Rules about the addresses of lanes and blocks: coalescing, bank conflicts, partitions that are used unevenly.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>

#include "host/explain/global_access.h"
#include "host/explain/rule.h"

namespace warptime::host {

using sim::Resource;

namespace {

std::string_view request_name(const Facts& facts) {
  if (facts.machine == nullptr) return "request";
  return facts.machine->memory.coalescing == "2.x" ? "warp" : "half-warp";
}

// --- coalescing ---

/// Atomic operations have a rule of their own.
bool is_shared_access(std::string_view operation) {
  return operation.find(".shared") != std::string_view::npos &&
         (operation.starts_with("ld.") || operation.starts_with("st."));
}

double ratio(double part, double whole) { return whole <= 0 ? 1 : std::min(1.0, part / whole); }

/// The part of a load's latency in which its own transactions beyond the ideal go through a port one by one.
double own_queue(const Facts& facts, const GlobalAccesses& access) {
  const sim::MachineConfig& m = *facts.machine;
  double loads = as_real(facts.launch.global.loads), latency = facts.launch.global_latency.mean();
  if (loads <= 0 || latency <= 0) return 0;
  double answer = kSmallestTransaction / m.interconnect.tpc_width_bytes * m.clocks.shader_mhz / m.clocks.core_mhz;
  double each = std::max<double>(m.memory.request_cycles, answer);
  double beyond = (access.now.loads.transactions - access.ideal.loads.transactions) / loads;
  return std::min(facts.unqueued(), beyond * each / latency);
}

/// Loads send their data through the response ports and only requests the other way, stores the reverse.
std::optional<Change> uncoalesced(const Facts& facts) {
  if (facts.launch.global.uncoalesced == 0) return std::nullopt;
  const GlobalAccesses access(facts);
  double transactions = ratio(access.ideal.transactions(), access.now.transactions());
  double bytes = ratio(access.ideal.bytes(), access.now.bytes());
  Change change;
  change.of(Resource::MemoryPort) = transactions;
  change.of(Resource::TpcRequestPort) = change.of(Resource::TpcResponsePort) = change.of(Resource::Partition) =
      change.of(Resource::Dram) = bytes;
  if (facts.machine == nullptr) return change;
  const sim::MachineConfig& m = *facts.machine;
  auto ports = [&](double width) {
    const auto &now = access.now, &ideal = access.ideal;
    return std::pair{ratio(ideal.loads.other_cycles() + ideal.stores.data_cycles(width),
                           now.loads.other_cycles() + now.stores.data_cycles(width)),
                     ratio(ideal.loads.data_cycles(width) + ideal.stores.other_cycles(),
                           now.loads.data_cycles(width) + now.stores.other_cycles())};
  };
  std::tie(change.of(Resource::TpcRequestPort), change.of(Resource::TpcResponsePort)) =
      ports(m.interconnect.tpc_width_bytes);
  auto [in, out] = ports(m.interconnect.partition_width_bytes);
  change.of(Resource::Partition) = std::max(in, out);
  // The memory port also serves textures, and shared memory of some machines.
  double cycles = as_real(facts.launch.cycles) * std::max(1u, facts.sms()) *
                  facts.launch.resources[static_cast<size_t>(Resource::MemoryPort)].share();
  double saved = (access.now.transactions() - access.ideal.transactions()) * m.memory.request_cycles;
  change.of(Resource::MemoryPort) = cycles <= 0 ? 1 : std::clamp(1 - saved / cycles, 0.0, 1.0);
  change.waits = facts.waited(sim::Stall::GlobalDependency) * own_queue(facts, access);
  return change;
}

constexpr double kNearlyAll = 0.95;  // of the transactions beyond the ideal

const InstructionRow* only_global_access(const Facts& facts) {
  const GlobalAccesses access(facts);
  return access.worst_part >= kNearlyAll ? access.worst : nullptr;
}

std::string uncoalesced_text(const Facts& facts, const InstructionRow* place) {
  const GlobalAccesses access(facts);
  std::string_view name = request_name(facts);
  Resource busiest = facts.nearest_of_memory();
  std::string out;
  if (place != nullptr) {
    const sim::LineMemory& line = place->line_statistics.memory;
    out = fmt::format("issues {:.3g}x the transactions needed and moves {}",
                      as_real(line.transactions) / as_real(std::max<uint64_t>(1, line.ideal_transactions)),
                      moved_text(line.bytes_moved, line.bytes_requested));
  } else {
    out = fmt::format("Accesses to global memory issue {:.3g} transactions per {}, where {:.3g} would be enough",
                      access.now.transactions() / access.requests, name, access.ideal.transactions() / access.requests);
  }
  out += fmt::format(
      "; {} of all requests do not coalesce. The {} is busy {} of the time. If neighbouring threads accessed "
      "neighbouring addresses, the accesses would take {} of the transactions.",
      percent_text(access.uncoalesced / access.requests), sim::info(busiest).words, percent_text(facts.use(busiest)),
      percent_text(ratio(access.ideal.transactions(), access.now.transactions())));
  if (place == nullptr && access.worst != nullptr)
    out += fmt::format(" {} of the excess transactions are from {}.", percent_text(access.worst_part),
                       place_in_sentence(*access.worst));
  return out;
}

WhatIf coalesce_it(const Facts&, const InstructionRow* place) {
  return {.assumptions = {.coalesced = sim::Lines::only(place == nullptr ? 0 : place->line)}};
}

// --- shared memory ---

/// Replays that a warp waits for: of its two requests, the one with more decides. `each`: replays of a request on
/// average; not a whole number, it is taken for a mixture of the two nearest, in any combination.
double replays_of_warp(double each, double requests) {
  double whole = std::floor(each), part = each - whole;
  return whole + 1 - std::pow(1 - part, requests);
}

/// Replays of loads and stores, and how many of these there are; without rows of all accesses.
sim::SharedStats loads_and_stores(const Facts& facts) {
  if (facts.launch.instructions.empty()) return facts.launch.shared;
  sim::SharedStats out;
  for (const InstructionRow* row : facts.rows(is_shared_access)) {
    out.accesses += row->line_statistics.memory.accesses;
    out.conflict_passes += row->line_statistics.memory.conflict_passes;
  }
  // Statistics of an older version have no accesses by line.
  return out.accesses == 0 && facts.rows(is_shared_access).size() != 0 ? facts.launch.shared : out;
}

/// Replays occupy the pipe of the access, and with it the scheduler, for `cycles_per_degree`.
double replay_cycles(const Facts& facts) {
  const sim::SharedConfig& shared = facts.machine->sm.shared;
  double requests = std::max(1.0, 32.0 / shared.request_lanes), warps = 0;
  auto add = [&](uint64_t passes, uint64_t accesses) {
    if (accesses != 0)
      warps += replays_of_warp(as_real(passes) / as_real(accesses) / requests, requests) * as_real(accesses);
  };
  for (const InstructionRow* row : facts.rows(is_shared_access))
    if (const sim::LineMemory& line = row->line_statistics.memory; line.conflict_passes != 0)
      add(line.conflict_passes, line.accesses);
  if (warps == 0) add(loads_and_stores(facts).conflict_passes, loads_and_stores(facts).accesses);
  return warps * shared.cycles_per_degree;
}

/// The time of replays is won, as far as no resource is at its limit without them.
std::optional<Change> bank_conflicts(const Facts& facts) {
  if (loads_and_stores(facts).conflict_passes == 0 || facts.launch.issue.slots == 0) return std::nullopt;
  bool on_sp = facts.machine->sm.shared.pipe == sim::OnChipPipe::sp;
  double part = replay_cycles(facts) / as_real(facts.launch.issue.slots);
  Change change;
  auto remove = [&](Resource resource) {
    double share = facts.launch.resources[static_cast<size_t>(resource)].share();
    if (share > 0) change.of(resource) = std::max(0.0, 1 - part / share);
  };
  remove(on_sp ? Resource::Sp : Resource::MemoryPort);
  if (on_sp) remove(Resource::Issue);
  change.slots = part;
  return change;
}

const InstructionRow* only_shared_access(const Facts& facts) {
  auto rows = facts.rows(is_shared_access);
  return rows.size() == 1 ? rows.front() : nullptr;
}

std::string bank_conflicts_text(const Facts& facts, const InstructionRow* place) {
  const sim::SharedStats shared = loads_and_stores(facts);
  return fmt::format(
      "{} {:.3g} replays because of bank conflicts, which take {} of all issue slots. A row longer by one element "
      "(tile[16][17]), or another order of the threads, sends the lanes of a request to different banks.",
      place != nullptr ? "every execution has" : "Accesses to shared memory have, each,",
      as_real(shared.conflict_passes) / as_real(std::max<uint64_t>(1, shared.accesses)),
      percent_text(replay_cycles(facts) / as_real(facts.launch.issue.slots)));
}

WhatIf no_conflicts(const Facts&, const InstructionRow* place) {
  return {.assumptions = {.conflict_free = sim::Lines::only(place == nullptr ? 0 : place->line)}};
}

// --- partitions ---

constexpr double kUneven = 1.5;  // busiest over average

/// The unit of a memory resource that is used most, and by how much more than the average one.
std::optional<Resource> unevenly_used(const Facts& facts) {
  for (Resource resource : {Resource::Dram, Resource::Partition}) {
    const sim::ResourceUse& use = facts.launch.resources[static_cast<size_t>(resource)];
    if (facts.near(resource) >= 0.5 && use.busiest_share() >= kUneven * use.share()) return resource;
  }
  return std::nullopt;
}

std::optional<Change> camping(const Facts& facts) {
  auto resource = unevenly_used(facts);
  if (!resource) return std::nullopt;
  Change change;
  for (Resource each : {Resource::Dram, Resource::Partition}) {
    const sim::ResourceUse& use = facts.launch.resources[static_cast<size_t>(each)];
    if (use.busiest_share() > 0) change.of(each) = use.share() / use.busiest_share();
  }
  return change;
}

std::string camping_text(const Facts& facts, const InstructionRow*) {
  Resource resource = *unevenly_used(facts);
  const sim::ResourceUse& use = facts.launch.resources[static_cast<size_t>(resource)];
  return fmt::format(
      "The addresses that are used at one time lie in few memory partitions: the {} of the busiest one is busy {} of "
      "the time, on average they are {}. Spread evenly, all would be.",
      sim::info(resource).words, percent_text(use.busiest_share()), percent_text(use.share()));
}

WhatIf spread_evenly(const Facts& facts, const InstructionRow*) {
  if (facts.machine == nullptr || facts.machine->memory.address_map == sim::AddressMap::hashed) return {};
  return {.settings = {"memory.address_map=hashed"}};
}

const InstructionRow* no_line(const Facts&) { return nullptr; }

constexpr std::array kAccessRules{
    Rule{"uncoalesced", "", false, "", uncoalesced, only_global_access, uncoalesced_text, coalesce_it},
    Rule{"bank_conflicts", "shared", true, "", bank_conflicts, only_shared_access, bank_conflicts_text, no_conflicts},
    Rule{"partition_camping", "interconnect", false, "the machine already distributes addresses by a hash", camping,
         no_line, camping_text, spread_evenly},
};

}  // namespace

std::span<const Rule> access_rules() { return kAccessRules; }

}  // namespace warptime::host
