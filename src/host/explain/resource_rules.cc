// Rules about a resource that is busy all the time: the launch needs less of it, or a machine with more of it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "host/explain/rule.h"

namespace warptime::host {

using sim::Resource, sim::Stall;

namespace {

/// The resource is the bottleneck. Twice as fast, it needs half the time. An instruction that the scheduler or the SP
/// takes half the time for is also half the time in its warp's way.
template <Resource R>
std::optional<Change> bound_by(const Facts& facts) {
  if (!facts.verdict.saturated || facts.verdict.busiest != R) return std::nullopt;
  Change change;
  change.of(R) = 0.5;
  // Both ports of a TPC have one width.
  if (R == Resource::TpcRequestPort) change.of(Resource::TpcResponsePort) = 0.5;
  if (R == Resource::TpcResponsePort) change.of(Resource::TpcRequestPort) = 0.5;
  if (R == Resource::Issue || R == Resource::Sp) change.waits = facts.issuing() / 2;
  if (R == Resource::AtomicUnit) change.waits = facts.atomic_waits() / 2;
  return change;
}

/// Issue slots of all lines with this operation, and how many lines these are.
std::pair<uint64_t, size_t> slots_of(const Facts& facts, std::string_view wanted) {
  std::pair<uint64_t, size_t> out;
  for (const InstructionRow& row : facts.launch.instructions)
    if (row.line != 0 && row.issued != 0 && operation(row) == wanted) out.first += row.issued, ++out.second;
  return out;
}

/// The costliest line of the operation that takes most slots, if R is arithmetic; nullptr if it is memory, or moves
/// data by itself: its counters are those of the launch.
template <Resource R>
const InstructionRow* costliest(const Facts& facts) {
  if (is_of_memory(R) || R == Resource::CopyEngine) return nullptr;
  const InstructionRow* most = nullptr;
  uint64_t most_slots = 0;
  for (const InstructionRow& row : facts.launch.instructions) {
    if (row.line == 0 || row.issued == 0) continue;
    uint64_t slots = slots_of(facts, operation(row)).first;
    bool same = most != nullptr && operation(row) == operation(*most);
    if (same ? row.issued <= most->issued : slots <= most_slots) continue;
    most = &row;
    most_slots = slots;
  }
  return most;
}

/// What makes a program need less of it.
constexpr std::string_view remedy(Resource resource) {
  switch (resource) {
    case Resource::Issue:
      return "Fewer instructions for the same work help: unrolled loops, wider loads, more elements per thread.";
    case Resource::Sp:
      return "Less arithmetic helps: unrolled loops (no counters and addresses), common terms computed once, mad "
             "instead of mul and add.";
    case Resource::Sfu: return "Fewer special functions help: results used again, or polynomials on the SPs.";
    case Resource::Dp: return "f32 where its precision suffices helps, and common terms computed once.";
    case Resource::Tensor: return "Narrower types help, and sparse matrices where the problem has them.";
    case Resource::Alu:
      return "Less integer work helps: indices and addresses computed once, shifts and comparisons kept out of loops.";
    case Resource::CopyEngine: return "Larger copies help, and boxes with longer rows.";
    case Resource::MemoryPort:
      return "Fewer transactions help: accesses that coalesce, wider loads, values kept in registers.";
    case Resource::TpcRequestPort:
    case Resource::TpcResponsePort:
    case Resource::Partition:
    case Resource::Dram:
      return "Fewer bytes help: accesses that coalesce, data used several times kept in shared memory or registers, "
             "narrower types.";
    case Resource::AtomicUnit:
      return "Fewer atomic operations help: add up in registers, in a warp or in shared memory first, and then one "
             "operation per warp or block; or several counters instead of one.";
  }
  return "";
}

template <Resource R>
std::string bound_text(const Facts& facts, const InstructionRow* place) {
  const sim::ResourceUse& use = facts.launch.resources[static_cast<size_t>(R)];
  std::string limit = facts.verdict.limit_note();
  if (!limit.empty()) limit = " (" + limit + ")";
  std::string out = fmt::format("{}he {} is busy {} of the time{}", place != nullptr ? "t" : "T", sim::info(R).words,
                                percent_text(use.busiest_share()), limit);
  if (place != nullptr) {
    auto [slots, lines] = slots_of(facts, operation(*place));
    double share = static_cast<double>(slots) / static_cast<double>(std::max<uint64_t>(1, facts.launch.issue.slots));
    out = fmt::format("{} {} of the issue slots, the most of all instructions; {}",
                      lines == 1 ? "takes" : fmt::format("and {} more lines like it take", lines - 1),
                      percent_text(share), out);
  }
  if constexpr (R == Resource::Dram)
    out += fmt::format(", moving {}", moved_text(facts.launch.dram.read_bytes + facts.launch.dram.write_bytes,
                                                 facts.launch.global.bytes_requested));
  return out + fmt::format("; next would be the {}, {}. {}", sim::info(facts.verdict.second).words,
                           percent_text(facts.verdict.second_share), remedy(R));
}

WhatIf half_of(std::string_view path, uint32_t value) {
  if (value < 2) return {};
  return {.settings = {fmt::format("{}={}", path, value / 2)}};
}
WhatIf twice_of(std::string_view path, uint32_t value) { return {.settings = {fmt::format("{}={}", path, value * 2)}}; }

template <Resource R>
WhatIf faster(const Facts& facts, const InstructionRow*) {
  if (facts.machine == nullptr) return {};
  const sim::MachineConfig& m = *facts.machine;
  switch (R) {
    case Resource::Issue: return half_of("issue.interval", m.issue.interval);
#define X(unused, name, key, ...) \
  case Resource::name: return half_of(#key ".initiation", m.key.initiation);
      PTX_PIPES(X, )
#undef X
    case Resource::MemoryPort: {
      WhatIf out = half_of("memory.request_cycles", m.memory.request_cycles);
      if (facts.launch.caches.texture.accesses == 0 || m.texture.cycles < 2) return out;
      out.settings.push_back(half_of("texture.cycles", m.texture.cycles).settings.front());
      return out;
    }
    case Resource::TpcRequestPort:
    case Resource::TpcResponsePort: return twice_of("interconnect.tpc_width_bytes", m.interconnect.tpc_width_bytes);
    case Resource::Partition:
      return twice_of("interconnect.partition_width_bytes", m.interconnect.partition_width_bytes);
    case Resource::AtomicUnit: return half_of("memory.atomic_cycles", m.memory.atomic_cycles);
    case Resource::Dram: return {.settings = {fmt::format("clocks.memory_mhz={}", m.clocks.memory_mhz * 2)}};
  }
  return {};
}

template <Resource R>
constexpr Rule bound_rule(std::string_view name) {
  return {name,        sim::info(R).bound, false,         "the parameter is at its end already",
          bound_by<R>, costliest<R>,       bound_text<R>, faster<R>};
}

constexpr std::array kResourceRules{
    bound_rule<Resource::Issue>("issue_bound"),
    bound_rule<Resource::Sp>("sp_bound"),
    bound_rule<Resource::Sfu>("sfu_bound"),
    bound_rule<Resource::Dp>("dp_bound"),
    bound_rule<Resource::Tensor>("tensor_bound"),
    bound_rule<Resource::Alu>("alu_bound"),
    bound_rule<Resource::CopyEngine>("copy_engine_bound"),
    bound_rule<Resource::MemoryPort>("memory_port_bound"),
    bound_rule<Resource::TpcRequestPort>("request_port_bound"),
    bound_rule<Resource::TpcResponsePort>("response_port_bound"),
    bound_rule<Resource::Partition>("partition_bound"),
    bound_rule<Resource::AtomicUnit>("atomic_bound"),
    bound_rule<Resource::Dram>("dram_bound"),
};
static_assert(kResourceRules.size() == sim::kResourceCount);

}  // namespace

std::span<const Rule> resource_rules() { return kResourceRules; }

}  // namespace warptime::host
