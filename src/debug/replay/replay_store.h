// The moments of a launch that are kept for going back. They are apart by a number of cycles that grows with what a
// moment takes, and that doubles whenever there are too many: then every second one is dropped.
#pragma once

#include <algorithm>
#include <vector>

#include "sim/gpu/session.h"

namespace warptime::debug {

class ReplayStore {
 public:
  /// Keeps the present moment of a running launch, if it is time for one. The first is always kept.
  void keep(const sim::Session& session) {
    const Cycle now = session.now();
    if (!kept_.empty() && now < next_) return;
    kept_.push_back(session.save());
    bytes_ += kept_.back().bytes();
    // So that saving takes a small part of the time of the simulation.
    spacing_ = std::max<Cycle>(spacing_, kept_.back().bytes() / kBytesPerCycle);
    while (kept_.size() > 2 && (kept_.size() > kMostKept || bytes_ > kMostBytes)) thin_out();
    next_ = kept_.back().now() + spacing_;
  }
  /// The cycle at which the next one is due.
  Cycle next() const { return next_; }
  /// The last one at or before the cycle.
  const sim::Snapshot& nearest(Cycle cycle) const {
    auto behind = std::upper_bound(kept_.begin(), kept_.end(), cycle,
                                   [](Cycle c, const sim::Snapshot& snapshot) { return c < snapshot.now(); });
    return *std::prev(behind);
  }
  const std::vector<sim::Snapshot>& kept() const { return kept_; }
  size_t bytes() const { return bytes_; }

 private:
  static constexpr size_t kMostKept = 64, kMostBytes = size_t{512} << 20, kBytesPerCycle = 64;

  void thin_out() {
    std::vector<sim::Snapshot> left;
    bytes_ = 0;
    for (size_t i = 0; i < kept_.size(); i += 2) {
      bytes_ += kept_[i].bytes();
      left.push_back(std::move(kept_[i]));
    }
    kept_ = std::move(left);
    spacing_ *= 2;
  }

  std::vector<sim::Snapshot> kept_;  // in order; the first is the beginning of the launch
  size_t bytes_ = 0;
  Cycle spacing_ = 1 << 15, next_ = 0;
};

}  // namespace warptime::debug
