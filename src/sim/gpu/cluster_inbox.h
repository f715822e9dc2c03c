// Messages between SMs of a cluster (core/cluster_message.h) that are on their way to the SMs of one TPC, in the order
// in which they take effect.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "sim/core/cluster_message.h"

namespace warptime::sim {

class ClusterInbox {
 public:
  void push(ClusterMessage&& message) {
    heap_.push_back(std::move(message));
    std::push_heap(heap_.begin(), heap_.end(), kLater);
  }
  /// When the first of them takes effect; kNever: there is none.
  Cycle next() const { return heap_.empty() ? kNever : heap_.front().cycle; }
  ClusterMessage pop() {
    std::pop_heap(heap_.begin(), heap_.end(), kLater);
    ClusterMessage out = std::move(heap_.back());
    heap_.pop_back();
    return out;
  }

 private:
  static constexpr auto kLater = [](const ClusterMessage& a, const ClusterMessage& b) { return b < a; };
  std::vector<ClusterMessage> heap_;

 public:
  /// Saves or restores what changes, of a run of one launch (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive, const LaunchContext& launch) {
    archive(heap_);
    for (const ClusterMessage& message : heap_) archive.expect(message.is_of(launch));
    if constexpr (Archive::kRestores) std::make_heap(heap_.begin(), heap_.end(), kLater);
  }
};

}  // namespace warptime::sim
