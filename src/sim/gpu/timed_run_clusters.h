// What a timed run does between steps for clusters whose blocks are on several SMs: their blocks get to know where the
// others are, and messages between SMs change hands. Definitions of timed_run.h's template, only for timed_run.cc and
// timed_run_state.cc.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "sim/gpu/timed_run.h"

namespace warptime::sim {

/// Blocks go to their SMs; those of a cluster follow each other in what the block scheduler has assigned.
template <class Policy>
void TimedRun<Policy>::place_all(const std::vector<Placement>& placements) {
  for (const Placement& p : placements) place(p);
  for (size_t first = 0, count = 1; clusters_ && first < placements.size(); first += count) {
    const LaunchContext& launch = *launches_[placements[first].room.launch].context;
    count = std::min<size_t>(launch.cluster_blocks, placements.size() - first);
    if (!launch.clusters_apart) continue;
    ClusterSeat all(0, launch.cluster_blocks);
    for (size_t i = first; i < first + count; ++i)
      all.set(cluster_place(launch, placements[i].block).rank,
              {placements[i].block, static_cast<uint16_t>(placements[i].sm)});
    for (size_t i = first; i < first + count; ++i)
      tpcs_.find_sm(placements[i].sm)
          ->seat(placements[i].room.slot, all.of(cluster_place(launch, placements[i].block).rank));
  }
}

/// After a step: what SMs have sent in it goes to the TPCs of those that get it, for the cycle in which it arrives.
template <class Policy>
void TimedRun<Policy>::exchange_messages() {
  tpcs_.for_each_sm([&](Sm<Policy>& sm) {
    if (sm.cluster_link() == nullptr) return;
    for (ClusterMessage& message : sm.cluster_link()->sent()) {
      SIM_DEBUG_ASSERT(message.cycle >= edge_, "a message of cycle {} in a step to {}", message.cycle, edge_);
      result_.next = std::min(result_.next, message.cycle);
      if (Tpc<Policy>* to = tpcs_.find(message.to / chip_.sms_per_tpc)) to->inbox()->push(std::move(message));
    }
    sm.cluster_link()->sent().clear();
  });
}

template <class Policy>
bool TimedRun<Policy>::has_messages() const {
  for (uint32_t i = 0; i < chip_.tpcs; ++i)
    if (const Tpc<Policy>* tpc = tpcs_.find(i); tpc != nullptr && tpc->inbox()->next() != kNever) return true;
  return false;
}

}  // namespace warptime::sim
