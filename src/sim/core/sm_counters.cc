// What not every issue counts: warps of which some lanes execute, and what an access did, for the line of its
// instruction.
#include "sim/core/sm_counters.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace warptime::sim {

void SmCounters::executed_by_some(ExecutionCounters& row, uint32_t lanes, uint32_t live) {
  const uint32_t count = count_lanes(lanes);
  row.thread_instructions -= kWarpSize - count;
  ++active_lanes_histogram[count];
  divergence.absent_lanes += kWarpSize - count_lanes(live);
}

void SmCounters::charge_rest(uint64_t all_slots) {
  uint64_t charged = 0;
  for (const SlotCounters& row : slots) charged += std::accumulate(row.stalls.begin(), row.stalls.end(), row.issued);
  no_instruction().stalls[static_cast<size_t>(Stall::NoWarp)] += all_slots - std::min(all_slots, charged);
}

SmCounters SmCounters::completed() && {
  uint64_t by_all = 0;
  for (ExecutionCounters& row : instructions) {
    if (row.warp_instructions == 0) continue;  // its page may not be allocated
    by_all += row.warp_instructions;
    row.thread_instructions += row.warp_instructions * kWarpSize;
  }
  for (uint64_t some : active_lanes_histogram) by_all -= some;
  active_lanes_histogram[kWarpSize] += by_all;
  return std::move(*this);
}

void SmCounters::accessed_by(uint32_t pc, const Insn& insn, uint32_t lanes, const MemoryAccess& access,
                             const LoadStore& load_store) {
  if (!access.on_chip && !access.off_chip) return;  // by no lane
  LineMemory& line = lines[pc].memory;
  ++line.accesses;
  if (access.on_chip) line.conflict_passes += access.replays;
  if (!access.off_chip) return;
  uint32_t outside = 0;  // lanes: of a generic access, others may be in shared memory
  for (uint32_t i = 0; i < access.count; ++i) {
    outside |= access.transactions[i].lanes;
    const Transaction& transaction = access.transactions[i];
    line.bytes_moved += transaction.granules == 0 ? transaction.bytes : transaction.bytes_of_granules();
    if (insn.effect == ptx::Effect::Atomic)
      line.serial_operations += static_cast<const PendingAtomic*>(access.stores[i])->conflict_degree();
  }
  const uint32_t bytes = insn.access().bytes();
  line.transactions += access.count;
  line.bytes_requested += uint64_t{count_lanes(lanes)} * bytes;
  const CoalescingRule& rule =
      load_store.coalescing(insn.effect != ptx::Effect::Store && insn.effect != ptx::Effect::Atomic);
  // Each word of a local vector has transactions of its own.
  const bool by_words = insn.access().space == ptx::Space::Local && bytes > 4;
  const uint32_t distinct =
      by_words ? fewest_transactions(rule, outside, 4) * (bytes / 4) : fewest_transactions(rule, outside, bytes);
  line.ideal_transactions += std::min(distinct, access.count);  // lanes with the same address need fewer
}

}  // namespace warptime::sim
