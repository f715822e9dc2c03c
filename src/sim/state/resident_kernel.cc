#include "sim/state/resident_kernel.h"

#include <algorithm>
#include <cstring>

#include "base/assert.h"
#include "sim/state/launch_rows.h"

namespace warptime::sim {

namespace {

/// Where the rows of number `index` begin, if each has `count`.
const std::byte* row_of(const std::vector<ConstantRow>& rows, size_t index, uint32_t count) {
  return reinterpret_cast<const std::byte*>(rows.data() + index * count);
}

}  // namespace

ResidentKernel::ResidentKernel(const LaunchContext& launch)
    : launch_(&launch),
      rows_per_warp_(launch.kernel->rows | 1),
      rows_(zeros(row_bytes() + kAlignment)),
      block_rows_(size_t{launch.blocks_per_sm} * launch.kernel->block_rows),
      predicates_(warps() * launch.kernel->predicates),
      shared_(size_t{launch.blocks_per_sm} * launch.shared_bytes),
      started_(launch.clusters_apart || launch.cluster_blocks == 1 ? 0 : launch.blocks_per_sm / launch.cluster_blocks),
      mates_(launch.cluster_blocks > 1 ? launch.blocks_per_sm : 0),
      local_(zeros(local_bytes())) {}

ResidentKernel::Zeros ResidentKernel::zeros(size_t bytes) {
  Zeros out(static_cast<std::byte*>(std::calloc(std::max<size_t>(1, bytes), 1)));
  SIM_ASSERT(out != nullptr, "no room for {} bytes of registers or local memory", bytes);
  return out;
}

WarpValues ResidentKernel::values(uint32_t place, uint32_t index) {
  const size_t warp = size_t{place} * launch_->warps_per_block + index;
  WarpValues values;
  values.predicates = predicates_.data() + warp * kernel().predicates;
  values.areas = {first_row(rows_) + warp * rows_per_warp_ * kRow, row_of(launch_->launch_rows, 0, 0),
                  row_of(launch_->thread_rows, index, kernel().thread_rows),
                  row_of(block_rows_, place, kernel().block_rows)};
  return values;
}

void ResidentKernel::start_in_cluster(uint32_t place, uint64_t index) {
  mates_[place] = {index, cluster_place(*launch_, index).rank, false};
  if (launch_->clusters_apart) return;
  const uint32_t bit = 1u << place % launch_->cluster_blocks;
  uint32_t& started = started_[place / launch_->cluster_blocks];
  started = (started & bit) != 0 ? bit : started | bit;  // all of the cluster before it have ended
}

void ResidentKernel::start_block(uint32_t place, uint64_t index) {
  if (launch_->cluster_blocks > 1) [[unlikely]]
    start_in_cluster(place, index);
  if (launch_->shared_bytes > 0) std::memset(shared(place), 0, launch_->shared_bytes);
  if (kernel().block_rows != 0)
    fill_block_rows(*launch_, index, block_rows_[size_t{place} * kernel().block_rows].bytes.data());
}

}  // namespace warptime::sim
