// Accesses to the shared memory of other blocks of a cluster, where all of its blocks are on one SM: in functional
// runs.
#include <algorithm>
#include <cstring>

#include "sim/exec/atomic_operation.h"
#include "sim/model/address_space.h"
#include "sim/state/access_fault.h"
#include "sim/state/load_store.h"

namespace warptime::sim {

bool LoadStore::exited(const Warp& warp, uint32_t rank, FaultRecord& fault) {
  fault.raised = true;
  fault.kind = Fault::Kind::ExitedBlock;
  fault.address = warp.kernel->index_of(warp.shared, rank);
  return false;
}

/// False: all lanes access their own block's, and nothing is done.
bool LoadStore::shared_of_cluster(const Insn& insn, Warp& warp, uint32_t mask, MemoryAccess& out, FaultRecord& fault) {
  if (launch_->clusters_apart) return shared_apart(insn, warp, mask, fault);
  Addr any = 0;
  for_lanes_of(mask, [&](uint32_t lane) { any |= addresses_[lane]; });
  if ((any & kClusterBlockMask) == 0) return false;
  const uint32_t bytes = insn.access().bytes();
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    const uint32_t bits = cluster_block_bits(addresses_[lane]);
    const Addr at = addresses_[lane] & ~kClusterBlockMask;
    std::byte* block = bits == 0 ? warp.shared : kernel_->shared_of(warp.shared, bits - 1);
    const bool misaligned = (at & (bytes - 1)) != 0;
    if (block == nullptr && bits <= launch_->cluster_blocks && launch_->shared_bytes != 0) {
      fault.thread = lane;
      exited(warp, bits - 1, fault);
      return true;
    }
    if (block == nullptr || misaligned || at >= launch_->shared_bytes || launch_->shared_bytes - at < bytes) {
      fault_at(fault, misaligned ? Fault::Kind::Misaligned : Fault::Kind::OutOfBounds, ptx::Space::Shared, lane,
               addresses_[lane], bytes, launch_->shared_bytes);
      return true;
    }
    to_[lane] = block + at;
    from_[lane] = to_[lane];
  }
  out.on_chip = true;
  out.chip_space = ptx::Space::Shared;
  if (insn.effect == ptx::Effect::Load) {
    load_values(warp.values, insn, mask, from_);
  } else if (insn.effect == ptx::Effect::Store) {
    store_values_here(insn, warp, mask, bytes);
  } else {
    const AtomicPayload& operation = insn.atomic();
    const std::byte *b = operation.b.in(warp.values), *c = operation.c.in(warp.values);
    auto word = [&](const std::byte* row, size_t at) {
      uint64_t value = 0;
      std::memcpy(&value, row + at * bytes, bytes);
      return value;
    };
    for_lanes_of(mask, [&](uint32_t lane) {
      if (bytes == kWideWordBytes) return swap_wide(operation, insn, warp, lane, to_[lane]);
      const uint64_t old = word(to_[lane], 0);
      const uint64_t value = operation.shared(old, word(b, lane), word(c, lane));
      std::memcpy(to_[lane], &value, bytes);
      changed_memory_ = true;
      if (operation.has_result) std::memcpy(warp.values.rows() + insn.dst + size_t{lane} * bytes, &old, bytes);
    });
  }
  return true;
}

}  // namespace warptime::sim
