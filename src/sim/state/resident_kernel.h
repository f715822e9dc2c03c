// A launch on one SM: where the registers, the shared and the local memory of its blocks are. Blocks and warps point to
// it, so an SM can hold blocks of several launches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include "sim/exec/warp_values.h"
#include "sim/state/launch_context.h"

namespace warptime::sim {

class ResidentKernel {
 public:
  explicit ResidentKernel(const LaunchContext& launch);

  const LaunchContext& launch() const { return *launch_; }
  const CompiledKernel& kernel() const { return *launch_->kernel; }

  // By place: the number of a block among those of the launch that the SM can hold, below `blocks_per_sm`.
  /// Where the values of warp `index` of the block are.
  WarpValues values(uint32_t place, uint32_t index);
  std::byte* shared(uint32_t place) { return shared_.data() + size_t{place} * launch_->shared_bytes; }
  // Where the blocks of a cluster are on one SM:
  /// The shared memory of block `rank` in the cluster of the block whose `own` is; nullptr: it has not as many blocks,
  /// or that has ended.
  std::byte* shared_of(const std::byte* own, uint32_t rank) const {
    if (rank >= launch_->cluster_blocks || launch_->shared_bytes == 0) return nullptr;
    const size_t place = place_of(own, rank);
    if (!mates_.empty() && mates_[place].ended) return nullptr;
    return const_cast<std::byte*>(shared_.data()) + place * launch_->shared_bytes;
  }
  /// Its index in the grid.
  uint64_t index_of(const std::byte* own, uint32_t rank) const { return mates_[place_of(own, rank)].index; }
  /// The number in its cluster of the block whose `own` is.
  uint32_t rank_of(const std::byte* own) const {
    if (launch_->shared_bytes == 0 || mates_.empty()) return 0;
    return mates_[static_cast<size_t>(own - shared_.data()) / launch_->shared_bytes].rank;
  }
  /// Whether all blocks of the cluster that has this place have started.
  bool has_started(uint32_t place) const {
    if (launch_->cluster_blocks == 1) return true;
    return started_[place / launch_->cluster_blocks] == (1u << launch_->cluster_blocks) - 1;
  }
  /// Local memory of the warp's first thread; those of the others follow.
  std::byte* local(uint32_t place, uint32_t index) const {
    return local_.get() + (size_t{place} * launch_->warps_per_block + index) * kWarpSize * launch_->local_bytes;
  }
  /// A new block, `index` in its grid: clears its shared memory and sets the special registers that depend on it.
  void start_block(uint32_t place, uint64_t index);
  void end_block(uint32_t place) {
    if (!mates_.empty()) [[unlikely]]
      mates_[place].ended = true;
  }

 private:
  /// A block of a cluster.
  struct Mate {
    uint64_t index = 0;  // in its grid
    uint32_t rank = 0;
    bool ended = false;
  };
  size_t place_of(const std::byte* own, uint32_t rank) const {
    const auto place = static_cast<size_t>(own - shared_.data()) / launch_->shared_bytes;
    return place / launch_->cluster_blocks * launch_->cluster_blocks + rank;
  }
  void start_in_cluster(uint32_t place, uint64_t index);
  size_t warps() const { return size_t{launch_->blocks_per_sm} * launch_->warps_per_block; }
  size_t local_bytes() const { return warps() * kWarpSize * launch_->local_bytes; }

  struct Free {
    void operator()(std::byte* bytes) const { std::free(bytes); }
  };
  /// Zeros that cost nothing before they are used: an SM rarely uses all of its registers, and little of the local
  /// memory that recursion may need.
  using Zeros = std::unique_ptr<std::byte, Free>;
  static Zeros zeros(size_t bytes);
  static constexpr size_t kRow = sizeof(ConstantRow), kAlignment = alignof(ConstantRow);
  size_t row_bytes() const { return warps() * rows_per_warp_ * kRow; }
  /// Where the first row in it can be.
  static std::byte* first_row(const Zeros& zeros) {
    const auto begin = reinterpret_cast<uintptr_t>(zeros.get());
    return zeros.get() + (kAlignment - begin % kAlignment) % kAlignment;
  }

  const LaunchContext* launch_;
  // An odd number of rows keeps the same register of different warps out of one set of the host's caches.
  uint32_t rows_per_warp_;
  Zeros rows_;
  std::vector<ConstantRow> block_rows_;
  std::vector<uint32_t> predicates_;
  std::vector<std::byte> shared_;
  std::vector<uint32_t> started_;  // of each cluster on this SM alone: a mask of its blocks
  std::vector<Mate> mates_;        // by place
  Zeros local_;

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    archive.bytes(first_row(rows_), row_bytes());
    archive.bytes(std::as_writable_bytes(std::span(block_rows_)));
    archive.bytes(shared_);
    archive.table(started_);
    for (Mate& mate : mates_) archive(mate.index, mate.rank, mate.ended);
    archive.table(predicates_);
    archive.bytes(local_.get(), local_bytes());
  }
};

}  // namespace warptime::sim
