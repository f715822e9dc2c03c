// Where the blocks of a cluster are whose blocks are on several SMs (LaunchContext::clusters_apart), as each SM that
// has one of them has it; and the barrier of the cluster. A block counts its own warps. When all of them have arrived,
// or it ends, it says so to every block of the cluster, itself included; a block whose all have said so goes on.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "sim/model/address_space.h"

namespace warptime::sim {

/// A block of a cluster.
struct ClusterBlock {
  static constexpr uint16_t kNowhere = 0xffff;
  uint64_t index = 0;  // in its grid
  uint16_t sm = kNowhere;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(index);
    archive.index(sm, archive.limits.sms, kNowhere);
  }
};

/// The cluster of the block in a slot.
class ClusterSeat {
 public:
  ClusterSeat() = default;
  ClusterSeat(uint32_t rank, uint32_t blocks) : rank_(rank), blocks_(blocks) {}

  void set(uint32_t rank, ClusterBlock block) { all_[rank] = block; }
  /// The seat of another block of the cluster.
  ClusterSeat of(uint32_t rank) const {
    ClusterSeat out = *this;
    out.rank_ = rank;
    return out;
  }
  uint32_t rank() const { return rank_; }
  uint32_t blocks() const { return blocks_; }
  const ClusterBlock& operator[](uint32_t rank) const { return all_[rank]; }

  // Its barrier, by phase.
  static constexpr uint32_t kForever = ~uint32_t{0};  // of a block that has ended
  /// The block itself has come to the end of its phase; false: that is known.
  bool arrive() {
    if (said_ > phase_) return false;
    said_ = phase_ + 1;
    return true;
  }
  uint32_t said() const { return said_; }
  /// A block has said that it has arrived in so many phases. True: with it, all have in this one, which ends.
  bool hear(uint32_t rank, uint32_t phases) {
    heard_[rank] = std::max(heard_[rank], phases);
    if (std::any_of(heard_.begin(), heard_.begin() + blocks_, [this](uint32_t each) { return each <= phase_; }))
      return false;
    ++phase_;
    return true;
  }

 private:
  uint32_t rank_ = 0, blocks_ = 0;
  uint32_t phase_ = 0;  // that are over
  uint32_t said_ = 0;   // in which the block has arrived, and has said so
  std::array<ClusterBlock, kMostClusterBlocks> all_{};
  std::array<uint32_t, kMostClusterBlocks> heard_{};

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    archive(rank_, blocks_, phase_, said_, all_, heard_);
    archive.expect(blocks_ <= kMostClusterBlocks && rank_ <= blocks_);
  }
};

}  // namespace warptime::sim
