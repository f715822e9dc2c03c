// The way of an SM to the other SMs of its GPC: what it sends leaves one after the other, by its bytes. Left out: the
// network between them (every SM is as far as any other), and what an SM gets from several others at once.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "sim/core/cluster_message.h"
#include "sim/model/machine.h"

namespace warptime::sim {

class ClusterLink {
 public:
  explicit ClusterLink(const MachineConfig& machine)
      : config_(machine.cluster),
        per_byte_(static_cast<uint64_t>(std::round((uint64_t{1} << kTickBits) / config_.bytes_per_cycle))) {}

  const ClusterConfig& config() const { return config_; }

  /// Bytes that are there at `now` leave behind those before them: when the last has left.
  Cycle leave(Cycle now, uint32_t bytes) {
    free_ = std::max(free_, now << kTickBits) + bytes * per_byte_;
    return free();
  }
  /// Until then it sends.
  Cycle free() const { return (free_ + (uint64_t{1} << kTickBits) - 1) >> kTickBits; }

  uint64_t next_number() { return ++number_; }
  /// A message that arrives at `cycle`, to be filled in.
  ClusterMessage& send(ClusterMessage::Kind kind, Cycle cycle, uint64_t number) {
    ClusterMessage& message = sent_.emplace_back();
    message.kind = kind;
    message.cycle = cycle;
    message.number = number;
    if (kind == ClusterMessage::Kind::Access) last_access_ = std::max(last_access_, cycle);
    return message;
  }
  ClusterMessage& send(ClusterMessage::Kind kind, Cycle cycle) { return send(kind, cycle, next_number()); }
  /// Those of this step.
  std::vector<ClusterMessage>& sent() { return sent_; }
  /// When the last access of the SM is performed.
  Cycle last_access() const { return last_access_; }

  /// A warp arrives at the barrier of its cluster: when the SM has taken that.
  Cycle arrives(Cycle now) { return barrier_free_ = std::max(barrier_free_, now) + config_.barrier_arrival_cycles; }

  // Warps whose access is of several kinds of memory at once: they go on when other blocks have answered.
  void hold(uint32_t slot) { held_ |= uint64_t{1} << slot; }
  bool release(uint32_t slot) {
    const bool was = (held_ >> slot & 1) != 0;
    held_ &= ~(uint64_t{1} << slot);
    return was;
  }

 private:
  static constexpr uint32_t kTickBits = 16;  // ticks of a cycle

  const ClusterConfig& config_;
  uint64_t per_byte_;
  uint64_t free_ = 0;  // in ticks
  uint64_t number_ = 0;
  Cycle last_access_ = 0, barrier_free_ = 0;
  uint64_t held_ = 0;  // mask of warp slots
  std::vector<ClusterMessage> sent_;

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    archive(free_, number_, last_access_, barrier_free_);
    archive.mask(held_, archive.limits.warps);
  }
};

}  // namespace warptime::sim
