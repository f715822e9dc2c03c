// Blocks of clusters: the barrier of a cluster, and where its blocks are.
#include <bit>

#include "sim/state/sm_state.h"

namespace warptime::sim {

bool SmState::may_leave_cluster(uint32_t slot, uint32_t lanes) {
  if ((cluster_arrived_[slot] & lanes) == 0) return true;
  const ResidentBlock& own = block_of(warps_[slot]);
  if (own.kernel->launch().clusters_apart) return false;  // hears_of_arrival() clears their bits
  const uint32_t blocks = own.kernel->launch().cluster_blocks;
  if (!own.kernel->has_started(own.place)) return false;
  uint64_t mates = 0;
  for (const ResidentBlock& block : blocks_)
    if (block.resident && block.kernel == own.kernel && block.place / blocks == own.place / blocks)
      mates |= block.warps;
  for (uint64_t rest = mates; rest != 0; rest &= rest - 1) {
    const auto mate = static_cast<uint32_t>(std::countr_zero(rest));
    if ((warps_[mate].stack.live() & ~cluster_arrived_[mate]) != 0) return false;
  }
  for (; mates != 0; mates &= mates - 1) cluster_arrived_[static_cast<uint32_t>(std::countr_zero(mates))] = 0;
  return true;
}

uint32_t SmState::slot_of_place(const ResidentKernel& kernel, uint32_t place) const {
  uint32_t slot = 0;
  while (slot + 1 < blocks_.size() &&
         (blocks_[slot].kernel != &kernel || blocks_[slot].place != place || !blocks_[slot].resident))
    ++slot;
  return slot;
}

uint32_t SmState::slot_in_cluster(const Warp& warp, uint32_t rank) const {
  const uint32_t blocks = warp.kernel->launch().cluster_blocks;
  const uint32_t place = block_of(warp).place / blocks * blocks + rank;
  const uint32_t slot = slot_of_place(*warp.kernel, place);
  const ResidentBlock& found = blocks_[slot];
  return found.resident && found.kernel == warp.kernel && found.place == place ? slot : kNoBlock;
}

void SmState::seat(uint32_t block_slot, const ClusterSeat& seat) { seats_[block_slot] = seat; }

bool SmState::block_arrives_in_cluster(uint32_t block_slot) {
  const ResidentBlock& block = blocks_[block_slot];
  for (uint64_t rest = block.warps; rest != 0; rest &= rest - 1) {
    const auto slot = static_cast<uint32_t>(std::countr_zero(rest));
    if ((warps_[slot].stack.live() & ~cluster_arrived_[slot]) != 0) return false;
  }
  return seats_[block_slot].arrive();
}

bool SmState::hears_of_arrival(uint32_t block_slot, uint32_t rank, uint32_t phases) {
  if (!seats_[block_slot].hear(rank, phases)) return false;
  for (uint64_t rest = blocks_[block_slot].warps; rest != 0; rest &= rest - 1)
    cluster_arrived_[static_cast<uint32_t>(std::countr_zero(rest))] = 0;
  return true;
}

uint32_t SmState::slot_of_block(uint32_t launch, uint64_t index) const {
  for (uint32_t slot = 0; slot < blocks_.size(); ++slot)
    if (blocks_[slot].resident && blocks_[slot].index == index && blocks_[slot].kernel->launch().number == launch)
      return slot;
  return kNoBlock;
}

}  // namespace warptime::sim
