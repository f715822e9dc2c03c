// Rules about the addresses of lanes and blocks: coalescing, bank conflicts, partitions that are used unevenly.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "host/explain/rule.h"

namespace warptime::host {

using sim::Resource;

namespace {

double as_real(uint64_t value) { return static_cast<double>(value); }

std::string_view request_name(const Facts& facts) {
  if (facts.machine == nullptr) return "request";
  return facts.machine->memory.coalescing == "2.x" ? "warp" : "half-warp";
}

// --- coalescing ---

/// What the transactions of a launch would be if every request coalesced. A request that coalesces takes one
/// transaction for each 128 bytes. Of bytes, transactions that do not coalesce move 32 each, the smallest size there
/// is.
struct IdealAccess {
  double requests = 0, transactions = 0, bytes_moved = 0;
  double of_transactions = 1, of_bytes = 1;  // the part that remains
};

IdealAccess ideal_access(const Facts& facts) {
  const sim::GlobalStats& g = facts.launch.global;
  IdealAccess out;
  out.requests = as_real(g.coalesced + g.uncoalesced);
  if (out.requests == 0 || g.transactions == 0) return out;
  double each = as_real(g.bytes_requested) / out.requests;
  double ideal_each = std::max(1.0, each / 128);
  out.transactions = out.requests * ideal_each;
  double scattered = std::max(0.0, as_real(g.transactions) - as_real(g.coalesced) * ideal_each);
  out.bytes_moved = scattered * 32 + as_real(g.coalesced) * each;
  out.of_transactions = std::min(1.0, out.transactions / as_real(g.transactions));
  out.of_bytes = out.bytes_moved == 0 ? 1 : std::min(1.0, as_real(g.bytes_requested) / out.bytes_moved);
  return out;
}

bool is_shared_access(std::string_view operation) {
  return operation.find(".shared") != std::string_view::npos && operation.substr(0, 4) != "cvta" &&
         operation.substr(0, 5) != "isspa";
}

/// A generic access may be one of shared memory, too.
bool is_global_access(std::string_view operation) {
  if (!operation.starts_with("ld.") && !operation.starts_with("st.")) return false;
  for (std::string_view other : {".shared", ".param", ".const", ".local"})
    if (operation.find(other) != std::string_view::npos) return false;
  return true;
}

/// A time that was waiting for memory shrinks as the transactions do, as far as it is not latency: a launch with no
/// memory resource near its limit keeps waiting for one transaction as long as for another.
std::optional<Change> uncoalesced(const Facts& facts) {
  const sim::GlobalStats& g = facts.launch.global;
  if (g.uncoalesced == 0) return std::nullopt;
  IdealAccess ideal = ideal_access(facts);
  Change change;
  change.of(Resource::MemoryPort) = change.of(Resource::TpcRequestPort) = ideal.of_transactions;
  change.of(Resource::TpcResponsePort) = change.of(Resource::Partition) = change.of(Resource::Dram) = ideal.of_bytes;
  double busy = std::min(1.0, facts.near(facts.nearest_of_memory()) / kSaturated);
  change.slots =
      (facts.waits_for_memory() + facts.waits_to_hide()) * (1 - std::max(ideal.of_transactions, ideal.of_bytes)) * busy;
  return change;
}

const InstructionRow* only_global_access(const Facts& facts) {
  auto rows = facts.rows(is_global_access);
  if (rows.size() == 1) return rows.front();
  // One that is executed a thirtieth as often as the other cannot be the source.
  std::sort(rows.begin(), rows.end(), [](auto* a, auto* b) { return a->warp_instructions > b->warp_instructions; });
  if (rows.size() > 1 && rows[0]->warp_instructions >= 30 * rows[1]->warp_instructions) return rows[0];
  return nullptr;
}

std::string uncoalesced_text(const Facts& facts, const InstructionRow* place) {
  const sim::GlobalStats& g = facts.launch.global;
  IdealAccess ideal = ideal_access(facts);
  std::string_view name = request_name(facts);
  double part = as_real(g.uncoalesced) / ideal.requests;
  Resource busiest = facts.nearest_of_memory();
  return fmt::format(
      "{} {:.3g} transactions where {:.3g} would do; {} of all requests do not coalesce. The {} is busy {} of the "
      "time. Coalesced, the accesses would take {} of the transactions.",
      place != nullptr ? fmt::format("every {} makes", name)
                       : fmt::format("Accesses to global memory make, for each {},", name),
      as_real(g.transactions) / ideal.requests, ideal.transactions / ideal.requests, percent_text(part),
      sim::info(busiest).words, percent_text(facts.launch.resources[static_cast<size_t>(busiest)].busiest_share()),
      percent_text(ideal.of_transactions));
}

WhatIf coalesce_it(const Facts&, const InstructionRow* place) {
  return {.assumptions = {.coalesced = sim::Lines::only(place == nullptr ? 0 : place->line)}};
}

// --- shared memory ---

/// A replay occupies the pipe of the access, and with it the scheduler, for `cycles_per_degree`. The requests of a warp
/// are served together: the statistics sum their replays, of which the cost is one request's share.
double replay_cycles(const Facts& facts) {
  const sim::SharedConfig& shared = facts.machine->sm.shared;
  double requests = std::max(1.0, 32.0 / shared.request_lanes);
  return as_real(facts.launch.shared.conflict_passes) / requests * shared.cycles_per_degree;
}

std::optional<Change> bank_conflicts(const Facts& facts) {
  if (facts.launch.shared.conflict_passes == 0 || facts.launch.issue.slots == 0) return std::nullopt;
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
  const sim::SharedStats& shared = facts.launch.shared;
  return fmt::format(
      "{} {:.3g} replays because of bank conflicts, which take {} of all issue slots. Without conflicts there would be "
      "none.",
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
  change.slots = facts.waits_for_memory() * (1 - change.of(*resource));
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
