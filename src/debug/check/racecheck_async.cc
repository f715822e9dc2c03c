// What asynchronous copies and mbarrier objects order: a copy writes for its thread when it begins and until it is
// complete; who waits for a phase of an mbarrier object knows what all who arrived in it knew, and that it is over.
#include <algorithm>
#include <utility>

#include "debug/check/racecheck.h"

namespace warptime::debug {

using ptx::Space;
using sim::kWarpSize;

/// Where it writes counts as written when it begins, and again when it is complete.
void Racecheck::began(const sim::SmState& sm, const sim::AsyncCopy& copy) {
  check(CopyTarget(sm, copy, copy.lanes).access());
  async_.began(sm, copy);
}

void Racecheck::copied(const sim::SmState& sm, const sim::AsyncCopy& copy, uint32_t lanes,
                       const sim::AsyncArrival* arrival) {
  async_.copied(sm, copy, lanes, arrival);
  const CopyTarget target(sm, copy, lanes);
  check_lanes(target.access());
  if (!proxies_.follows()) return;
  const BlockClock& clock = resident(sm, target.access().event.slot).clock;
  sim::for_lanes_of(lanes, [&](uint32_t lane) {
    const uint32_t address = arrival == nullptr ? 0 : arrival->at[lane];
    const uint32_t phase = arrival == nullptr ? 0 : async_.phases(sm, copy.block, address) + 1;
    proxies_.copied(target.access(), lane, mbarrier_number(address), phase, clock);
  });
}

/// What has been released at the barrier of a cluster is known to all who leave it.
Clock& Racecheck::cluster_clock(const sim::WarpEvent& event) {
  const auto [cluster, in_cluster, rank] = cluster_place(*launch_, event.sm.block_of(event.warp()).index);
  return clusters_[cluster];
}

void Racecheck::arrives_in_cluster(const sim::WarpEvent& event) {
  BlockClock& clock = resident(event.sm, event.slot).clock;
  const uint32_t warp = event.warp().index_in_block;
  clock.fence(warp, event.lanes, true);
  cluster_clock(event).join(clock.fences(warp).release_device);
}

void Racecheck::left_cluster(const sim::WarpEvent& event) {
  resident(event.sm, event.slot).clock.learn(event.warp().index_in_block, event.lanes, cluster_clock(event));
}

void Racecheck::began(const sim::SmState& sm, const sim::BulkCopy& copy) {
  if (copy.data.empty() || copy.is_remote) return;  // what other blocks do is not followed
  check(CopyTarget(sm, copy).access());
  async_.began(sm, copy);
}

void Racecheck::arrived(const sim::SmState& sm, const sim::BulkCopy& copy) {
  if (copy.data.empty() || copy.is_remote) return;
  async_.arrived(sm, copy);
  if (proxies_.follows()) proxies_.filled(sm, copy);
  check_lanes(CopyTarget(sm, copy).access());
}

void Racecheck::used(const sim::SmState& sm, const sim::MbarrierUse& use) {
  using sim::AsyncOperation, sim::Mbarrier;
  async_.used(sm, use);
  if (use.is_remote) return;
  const uint32_t lane = use.thread % kWarpSize, warp = use.thread / kWarpSize;
  const uint32_t slot = CopyTarget::slot_of(sm, use.block, warp);
  const bool changes_it = use.operation == AsyncOperation::Init || use.operation == AsyncOperation::Inval;
  std::array<Addr, kWarpSize> addresses{};
  addresses[lane] = use.address;
  const sim::WarpEvent event{sm, slot, use.pc, sm.launch().kernel->insns[use.pc], 1u << lane};
  check_lanes({event, addresses, Space::Shared, 1u << lane, sizeof use.before, changes_it});
  ResidentShadow& block = resident(sm, slot);
  MbarrierClocks& clocks = block.mbarriers[use.address];
  const Order& order = orders_[use.pc];
  if (use.operation == AsyncOperation::Init) clocks = {};
  const bool arrives = use.operation == AsyncOperation::Arrive && order.releases;
  if (arrives || (use.operation == AsyncOperation::CompleteTx && use.by_copies)) {
    block.clock.fence(warp, 1u << lane, false);
    clocks.arrived.join(block.clock.fences(warp).release_block);
  }
  if (!changes_it && Mbarrier::of(use.before).phase != Mbarrier::of(use.after).phase)
    clocks.completed = std::exchange(clocks.arrived, {});
  if (!use.is_true) return;
  Clock seen = clocks.completed;
  seen.set(block.clock.block, Clock::kObjects + mbarrier_number(use.address),
           async_.phases(sm, use.block, use.address));
  if (order.acquires) block.clock.learn(warp, 1u << lane, seen);
  else block.clock.fences_of(warp).pending_block.join(seen);  // until a fence
}

/// What a product reads counts as read when it begins, and again when it is waited for.
void Racecheck::products(const sim::WarpEvent& event) {
  for (const ProductCheck::Reads& reads : products_.executes(event)) {
    const sim::WarpEvent of{event.sm, event.slot, reads.pc, event.sm.launch().kernel->insns[reads.pc], sim::kFullMask};
    const bool begins = reads.pc == event.pc;
    if (begins) proxies_.multiplies(event, reads.pieces);
    std::array<Addr, kWarpSize> addresses{};
    for (size_t first = 0; first < reads.pieces.size(); first += kWarpSize) {
      uint32_t lanes = 0;
      for (size_t i = first; i < std::min(first + kWarpSize, reads.pieces.size()); ++i) {
        addresses[i - first] = reads.pieces[i];
        lanes |= 1u << (i - first);
      }
      const SpaceAccess access{of, addresses, Space::Shared, lanes, ProductCheck::kPieceBytes};
      if (begins) check(access);
      else check_lanes(access);
    }
  }
}

}  // namespace warptime::debug
