#include "analysis/mwp_cwp/cache_estimate.h"

#include <algorithm>
#include <cmath>

#include "analysis/program/address_steps.h"

namespace warptime::analysis {

CacheShares cache_estimate(const sim::MachineConfig& machine, const ptx::Kernel& kernel,
                           const std::vector<InstructionCost>& costs, const sim::InstructionRows& rows, double n,
                           double warps_of_block) {
  if (machine.l1.cache.bytes == 0) return {1, 1, "the machine has no L1 cache: every read goes to DRAM"};
  const double line_bytes = machine.l1.cache.line_bytes;
  const std::vector<std::optional<AddressStep>> steps = address_steps(kernel);
  double reads = 0, missed = 0;
  for (size_t i = 0; i < costs.size(); ++i) {
    const sim::LineMemory& memory = rows[i].line_statistics.memory;
    if (costs[i].work != Work::Load || memory.accesses == 0) continue;
    const auto transactions = static_cast<double>(memory.transactions);
    // Lanes that request more bytes than were moved share addresses; the warps of their block then do, too.
    const bool shared = memory.bytes_requested > memory.bytes_moved;
    const double readers = shared ? n / warps_of_block : n;
    const double at_once = readers * transactions / static_cast<double>(memory.accesses) * line_bytes;
    const bool stays = steps[i] && at_once <= machine.l1.cache.bytes;
    const double new_lines = stays ? std::abs(steps[i]->bytes) / (line_bytes * steps[i]->accesses) : 1;
    reads += transactions;
    missed += transactions * std::min(1.0, new_lines);
  }
  const double share = reads == 0 ? 1 : missed / reads;
  return {share, share, "estimate: reads in loops whose addresses move by less than a line of the L1"};
}

double hit_latency_in_tpc(const sim::MachineConfig& machine) {
  return machine.l1.cache.bytes == 0 ? 0 : machine.l1.cache.latency;
}

}  // namespace warptime::analysis
