// Rules about accesses that cost more than others of their kind: serialized reads of constants, lanes that change one
// word by atomic operations, arrays in local memory. They need the rows of instructions.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/plural.h"
#include "host/explain/rule.h"

namespace warptime::host {

using sim::Resource, sim::Stall;

namespace {

bool is_atomic(std::string_view operation) { return operation.starts_with("atom.") || operation.starts_with("red."); }
bool is_shared_atomic(std::string_view operation) {
  return is_atomic(operation) && operation.find(".shared") != std::string_view::npos;
}
bool is_global_atomic(std::string_view operation) { return is_atomic(operation) && !is_shared_atomic(operation); }
bool is_constant_load(std::string_view operation) { return operation.starts_with("ld.const"); }
bool is_local_access(std::string_view operation) {
  return (operation.starts_with("ld.") || operation.starts_with("st.")) &&
         operation.find(".local") != std::string_view::npos;
}

/// The row with the largest number; nullptr: all are 0.
template <class Number>
const InstructionRow* row_with_most(const Facts& facts, bool (*wanted)(std::string_view), const Number& number) {
  const InstructionRow* out = nullptr;
  for (const InstructionRow* row : facts.rows(wanted))
    if (number(*row) > (out == nullptr ? 0 : number(*out))) out = row;
  return out;
}

uint64_t passes(const InstructionRow& row) { return row.line_statistics.memory.conflict_passes; }

/// What requests with more than one pass hold the pipe for beyond the first, all of them together, in cycles of an SM.
/// A warp's requests have passes alike: the one with most decides.
double cycles_of_passes(const Facts& facts, bool (*wanted)(std::string_view), uint32_t request_lanes, uint32_t each) {
  double out = 0;
  for (const InstructionRow* row : facts.rows(wanted)) out += as_real(passes(*row));
  return out / std::max(1.0, 32.0 / request_lanes) * each;
}

/// Without these passes: the pipe is free for that long, and so is the warp scheduler where it is held with it.
std::optional<Change> without_passes(const Facts& facts, double cycles, sim::OnChipPipe pipe, Stall wait) {
  const double all = as_real(facts.launch.cycles) * std::max(1u, facts.sms());
  if (cycles <= 0 || all <= 0) return std::nullopt;
  const bool on_sp = pipe == sim::OnChipPipe::sp;
  Change change;
  auto remove = [&](Resource resource) {
    double share = facts.launch.resources[static_cast<size_t>(resource)].share();
    if (share > 0) change.of(resource) = std::max(0.0, 1 - cycles / all / share);
  };
  remove(on_sp ? Resource::Sp : Resource::MemoryPort);
  if (on_sp) remove(Resource::Issue);
  // The access itself waits for its passes, and those behind it for the pipe.
  const double kept = change.of(on_sp ? Resource::Sp : Resource::MemoryPort);
  change.waits = (1 - kept) * (facts.waited(wait) + (on_sp ? 0 : facts.waited(Stall::MemoryPortBusy)));
  return change;
}

/// Passes of one request, on average.
std::string passes_text(const InstructionRow& place, uint32_t request_lanes) {
  const double requests = as_real(std::max<uint64_t>(1, place.warp_instructions)) * std::max(1.0, 32.0 / request_lanes);
  return fmt::format("{:.3g}", 1 + as_real(passes(place)) / requests);
}

// --- constants ---

std::optional<Change> serialized(const Facts& facts) {
  const sim::ConstantConfig& constant = facts.machine->constant;
  return without_passes(facts,
                        cycles_of_passes(facts, is_constant_load, constant.request_lanes, constant.cycles_per_address),
                        constant.pipe, Stall::ConstantDependency);
}

const InstructionRow* most_serialized(const Facts& facts) { return row_with_most(facts, is_constant_load, passes); }

std::string serialized_text(const Facts& facts, const InstructionRow* place) {
  const size_t lines = facts.rows(is_constant_load).size();
  return fmt::format(
      "reads {} different words of constant memory at once; {} load{} constants. Constant memory serves one word "
      "at a time, to all lanes that read it: lanes that read different words wait for each other. Data that each "
      "thread "
      "reads at an index of its own belongs in shared or global memory, or in a texture.",
      place == nullptr ? "several" : passes_text(*place, facts.machine->constant.request_lanes), plural(lines, "line"),
      lines == 1 ? "s" : "");
}

WhatIf one_word(const Facts&, const InstructionRow*) { return {.assumptions = {.uniform = sim::Lines::all()}}; }

// --- atomic operations ---

std::optional<Change> contended_shared(const Facts& facts) {
  const sim::SharedConfig& shared = facts.machine->sm.shared;
  return without_passes(facts, cycles_of_passes(facts, is_shared_atomic, shared.request_lanes, shared.atomic_cycles),
                        shared.pipe, Stall::SharedDependency);
}

const InstructionRow* most_contended_shared(const Facts& facts) {
  return row_with_most(facts, is_shared_atomic, passes);
}

constexpr std::string_view kCombine =
    "Combine the lanes of a warp first (a vote or a shuffle, then one operation for all of them), or give each warp a "
    "copy of its own to add up at the end.";

std::string contended_shared_text(const Facts& facts, const InstructionRow* place) {
  return fmt::format(
      "takes {} passes, because its lanes change the same word of shared memory, or words of the same "
      "bank, one after the other. {}",
      place == nullptr ? "several" : passes_text(*place, facts.machine->sm.shared.request_lanes), kCombine);
}

double serial(const InstructionRow& row) { return as_real(row.line_statistics.memory.serial_operations); }
double beyond_first(const InstructionRow& row) {
  return serial(row) - as_real(row.line_statistics.memory.transactions);
}

/// An atomic unit performs the operations on one word one after the other: those of a warp could be one. Whoever waits
/// for its turn there then waits that much less.
std::optional<Change> contended_global(const Facts& facts) {
  double all = 0, beyond = 0;
  for (const InstructionRow* row : facts.rows(is_global_atomic)) {
    all += serial(*row);
    beyond += beyond_first(*row);
  }
  if (beyond <= 0) return std::nullopt;
  Change change;
  change.of(Resource::AtomicUnit) = 1 - beyond / all;
  change.waits = facts.atomic_waits() * beyond / all;
  return change;
}

const InstructionRow* most_contended_global(const Facts& facts) {
  return row_with_most(facts, is_global_atomic, beyond_first);
}

std::string contended_global_text(const Facts& facts, const InstructionRow* place) {
  const double lanes =
      place == nullptr ? 0
                       : serial(*place) / as_real(std::max<uint64_t>(1, place->line_statistics.memory.transactions));
  return fmt::format(
      "has {:.3g} lanes per transaction that change the same word, which a memory partition does one after the other; "
      "its atomic unit is busy {} of the time. {} In a block, add up in shared memory, with one operation on global "
      "memory per block.",
      lanes, percent_text(facts.use(Resource::AtomicUnit)), kCombine);
}

WhatIf words_of_their_own(const Facts&, const InstructionRow*) {
  return {.assumptions = {.conflict_free_atomics = sim::Lines::all()}};
}

// --- local memory ---

struct OffChip {
  double transactions = 0, bytes = 0, latency = 0;
  void add(const InstructionRow& row) {
    transactions += as_real(row.line_statistics.memory.transactions);
    bytes += as_real(row.line_statistics.memory.bytes_moved);
    latency += as_real(row.line_statistics.latency.cycles);
  }
};

/// Values in registers have neither transactions nor latency.
std::optional<Change> local_memory(const Facts& facts) {
  OffChip all, local;
  for (const InstructionRow* row : facts.rows([](std::string_view) { return true; }))
    if (row->line_statistics.memory.transactions != 0) all.add(*row);
  for (const InstructionRow* row : facts.rows(is_local_access)) local.add(*row);
  if (local.transactions <= 0) return std::nullopt;
  Change change;
  change.of(Resource::TpcRequestPort) = change.of(Resource::TpcResponsePort) = change.of(Resource::Partition) =
      change.of(Resource::Dram) = 1 - local.bytes / all.bytes;
  const double cycles = as_real(facts.launch.cycles) * std::max(1u, facts.sms()) *
                        facts.launch.resources[static_cast<size_t>(Resource::MemoryPort)].share();
  if (cycles > 0)
    change.of(Resource::MemoryPort) =
        std::clamp(1 - local.transactions * facts.machine->memory.request_cycles / cycles, 0.0, 1.0);
  // A queue before the first access is that of the local ones, too.
  if (all.latency > 0)
    change.waits = local.latency / all.latency *
                   (facts.waited(Stall::GlobalDependency) * facts.unqueued() + facts.waited(Stall::MemoryPortBusy) +
                    facts.waited(Stall::MemoryQueueFull));
  return change;
}

const InstructionRow* most_local(const Facts& facts) {
  return row_with_most(facts, is_local_access, [](const InstructionRow& row) {
    return row.line_statistics.memory.transactions + row.line_statistics.latency.cycles;
  });
}

std::string local_memory_text(const Facts& facts, const InstructionRow*) {
  double local = 0;
  for (const InstructionRow* row : facts.rows(is_local_access))
    local += as_real(row->line_statistics.memory.transactions);
  std::string out = fmt::format(
      "accesses local memory, which lies in DRAM like global memory; {} of the transactions are for it. An array that "
      "is "
      "indexed by a computed number cannot be in registers: unroll the loops over it completely, so that each index is "
      "a "
      "constant, or keep it in shared memory, a column for each thread. Spilled values need more registers per thread, "
      "or "
      "fewer values that are live at once.",
      percent_text(local / std::max(1.0, as_real(facts.launch.global.transactions))));
  if (uint32_t over = facts.launch.occupancy.registers_over_limit; over != 0)
    out += fmt::format(" The program's own limit of registers would spill about {} more.", plural(over, "value"));
  return out;
}

WhatIf untried(const Facts&, const InstructionRow*) { return {}; }

constexpr std::array kSpaceRules{
    Rule{"serialized_constants", "constant_cache", true, "", serialized, most_serialized, serialized_text, one_word},
    Rule{"shared_atomics", "shared", true, "", contended_shared, most_contended_shared, contended_shared_text,
         words_of_their_own},
    Rule{"global_atomics", "atomic_unit", false, "", contended_global, most_contended_global, contended_global_text,
         words_of_their_own},
    Rule{"local_memory", "", true, "with the values in registers it is another program", local_memory, most_local,
         local_memory_text, untried},
};

}  // namespace

std::span<const Rule> space_rules() { return kSpaceRules; }

}  // namespace warptime::host
