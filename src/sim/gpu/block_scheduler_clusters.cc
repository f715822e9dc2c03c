// Clusters: their blocks are assigned together, to SMs of one GPC (CUDA C++ Programming Guide, "Thread Block
// Clusters"), and start together. Each goes to the SM with the fewest blocks of its cluster, of these to the one with
// the fewest blocks, so that several share an SM only where the GPC has no other room: an H200 was never seen to let
// two blocks of a cluster share an SM while another had room.
#include <algorithm>
#include <bit>

#include "sim/gpu/block_scheduler.h"

namespace warptime::sim {

/// Blocks that an SM could take now.
uint32_t BlockScheduler::room_for(const LaunchBlocks& launch, uint32_t sm) const {
  const SmRoom& room = sms_[sm];
  const uint64_t places = launch.places[sm];
  const uint64_t free = launch.grid.blocks_per_sm - static_cast<uint32_t>(std::popcount(places));
  if (room.launches == (places != 0 ? 1u : 0u)) return static_cast<uint32_t>(free);
  const BlockNeed& need = launch.grid.need;
  auto fits = [](uint64_t has, uint64_t each) { return each == 0 ? ~uint64_t{0} : has / each; };
  return static_cast<uint32_t>(
      std::min({free, uint64_t{static_cast<uint32_t>(std::popcount(room.slots))},
                fits(static_cast<uint32_t>(std::popcount(room.warps)), need.warps), fits(room.threads, need.threads),
                fits(room.registers, need.registers), fits(room.shared_bytes, need.shared_bytes)}));
}

/// Where the next block of the cluster goes whose blocks are in `placed_` from `first_of_cluster` on.
uint32_t BlockScheduler::best_sm(const LaunchBlocks& launch, uint32_t gpc, size_t first_of_cluster) const {
  uint32_t best = 0;
  uint64_t fewest = ~uint64_t{0};
  for (uint32_t sm = gpc == 0 ? 0 : gpc_ends_[gpc - 1]; sm < gpc_ends_[gpc]; ++sm) {
    if (room_for(launch, sm) == 0) continue;
    const auto mates =
        static_cast<uint64_t>(std::count_if(placed_.begin() + static_cast<ptrdiff_t>(first_of_cluster), placed_.end(),
                                            [&](const Placement& p) { return p.sm == sm; }));
    const uint64_t blocks = sms_[sm].blocks.size() - static_cast<uint32_t>(std::popcount(sms_[sm].slots));
    const uint64_t cost = mates << 32 | blocks;
    if (cost >= fewest) continue;
    fewest = cost;
    best = sm;
  }
  return best;
}

/// False: no block is left, or the GPC has no room for as many as a cluster has.
bool BlockScheduler::hand_out_cluster(uint32_t number, uint32_t gpc, Cycle free_at) {
  LaunchBlocks& launch = launches_[number];
  if (launch.all_handed_out()) return false;
  const auto blocks = static_cast<uint32_t>(std::min<uint64_t>(launch.grid.cluster_blocks, launch.total - launch.next));
  uint64_t room = 0;
  for (uint32_t sm = gpc == 0 ? 0 : gpc_ends_[gpc - 1]; sm < gpc_ends_[gpc]; ++sm) room += room_for(launch, sm);
  if (room < blocks) return false;
  const size_t first = placed_.size();
  for (uint32_t i = 0; i < blocks; ++i) hand_out(number, best_sm(launch, gpc, first), free_at);
  for (size_t i = first; i < placed_.size(); ++i) placed_[i].start = placed_.back().start;
  return true;
}

uint32_t BlockScheduler::gpc_of(uint32_t sm) const {
  return static_cast<uint32_t>(std::upper_bound(gpc_ends_.begin(), gpc_ends_.end(), sm) - gpc_ends_.begin());
}

/// A cluster for each GPC, in turn, while one has room.
void BlockScheduler::fill_gpcs(uint32_t launch, Cycle cycle) {
  for (bool any = true; any;) {
    any = false;
    for (uint32_t gpc = 0; gpc < gpc_ends_.size(); ++gpc) any |= hand_out_cluster(launch, gpc, cycle);
  }
}

}  // namespace warptime::sim
