#include "sim/state/launch_rows.h"

#include <array>
#include <cstring>

#include "sim/exec/lanes_of_mask.h"

namespace warptime::sim {

namespace {

using ptx::Special;

void fill(std::byte* row, ptx::Type type, uint32_t lane, uint64_t value) {
  switch (ptx::bytes(type)) {
    case 2: return set_lane(row, lane, static_cast<uint16_t>(value));
    case 8: return set_lane(row, lane, value);
    default: return set_lane(row, lane, static_cast<uint32_t>(value));
  }
}

/// value(special, lane) for each special register that is_meant(special).
template <class IsMeant, class Value>
void fill(const LaunchContext& launch, std::byte* rows, const IsMeant& is_meant, const Value& value) {
  for (const SpecialRow& special : launch.kernel->specials) {
    if (!is_meant(special.special)) continue;
    for (uint32_t lane = 0; lane < kWarpSize; ++lane)
      fill(rows + special.row.offset(), special.type, lane, value(special.special, lane));
  }
}

}  // namespace

uint64_t special_value(const LaunchContext& launch, Special special, uint32_t warp, uint32_t lane) {
  const auto& grid = launch.grid;
  const auto& shape = launch.block;
  const uint32_t thread = warp * kWarpSize + lane;
  switch (special) {
    case Special::TidX: return thread % shape[0];
    case Special::TidY: return thread / shape[0] % shape[1];
    case Special::TidZ: return thread / shape[0] / shape[1];
    case Special::NtidX: return shape[0];
    case Special::NtidY: return shape[1];
    case Special::NtidZ: return shape[2];
    case Special::NctaidX: return grid[0];
    case Special::NctaidY: return grid[1];
    case Special::NctaidZ: return grid[2];
    case Special::LaneId: return lane;
    case Special::NWarpId: return launch.machine->sm.max_warps;
    case Special::NSmId: return sm_count(*launch.machine);
    case Special::LanemaskEq: return uint64_t{1} << lane;
    case Special::LanemaskLe: return (uint64_t{2} << lane) - 1;
    case Special::LanemaskLt: return (uint64_t{1} << lane) - 1;
    case Special::LanemaskGe: return kFullMask & ~((uint64_t{1} << lane) - 1);
    case Special::LanemaskGt: return kFullMask & ~((uint64_t{2} << lane) - 1);
    case Special::TotalSmem:
    case Special::AggrSmem: return launch.shared_bytes;
    case Special::DynamicSmem: return launch.shared_bytes - launch.kernel->kernel->static_shared_bytes;
    case Special::NClusterIdX: return grid[0] / launch.cluster[0];
    case Special::NClusterIdY: return grid[1] / launch.cluster[1];
    case Special::NClusterIdZ: return grid[2] / launch.cluster[2];
    case Special::ClusterNctaidX: return launch.cluster[0];
    case Special::ClusterNctaidY: return launch.cluster[1];
    case Special::ClusterNctaidZ: return launch.cluster[2];
    case Special::ClusterNctarank: return launch.cluster_blocks;
    case Special::ExplicitCluster: return launch.explicit_cluster ? 1 : 0;
    case Special::EnvReg1: return launch.grid_workspace >> 32;
    case Special::EnvReg2: return launch.grid_workspace;
    case Special::GridId:
    case Special::GraphExec:
    case Special::CtaidX:  // the others fill them
    case Special::CtaidY:
    case Special::CtaidZ:
    case Special::ClusterIdX:
    case Special::ClusterIdY:
    case Special::ClusterIdZ:
    case Special::ClusterCtaidX:
    case Special::ClusterCtaidY:
    case Special::ClusterCtaidZ:
    case Special::ClusterCtarank:
    case Special::WarpId:
    case Special::SmId:
    case Special::Clock:
    case Special::ClockHi:
    case Special::Clock64:
    case Special::GlobalTimer:
    case Special::GlobalTimerLo:
    case Special::GlobalTimerHi:
    case Special::Count: break;
  }
  return 0;
}

void fill_rows(LaunchContext& launch) {
  auto fill_area = [&](RowArea area, std::vector<ConstantRow>& rows, size_t first, uint32_t warp) {
    if (first >= rows.size()) return;
    fill(
        launch, rows[first].bytes.data(), [&](Special special) { return area_of(special) == area; },
        [&](Special special, uint32_t lane) { return special_value(launch, special, warp, lane); });
  };
  launch.launch_rows = launch.kernel->launch_rows;
  fill_area(RowArea::Launch, launch.launch_rows, 0, 0);
  for (const KernelParameterRow& parameter : launch.kernel->parameters) {
    // A load from beyond them is a fault of its own.
    if (size_t{parameter.offset} + parameter.bytes > launch.parameters.size()) continue;
    std::byte* row = launch.launch_rows[0].bytes.data() + parameter.row.offset();
    for (uint32_t lane = 0; lane < kWarpSize; ++lane)
      std::memcpy(row + lane * parameter.bytes, launch.parameters.data() + parameter.offset, parameter.bytes);
  }
  const size_t rows = launch.kernel->thread_rows;
  launch.thread_rows.assign(launch.warps_per_block * rows, {});
  for (uint32_t warp = 0; warp < launch.warps_per_block; ++warp)
    fill_area(RowArea::Threads, launch.thread_rows, warp * rows, warp);
}

ClusterPlace cluster_place(const LaunchContext& launch, uint64_t block) {
  const std::array<uint32_t, 3> at = position_of(block, launch.grid);
  ClusterPlace out;
  for (size_t axis = 0; axis < at.size(); ++axis) {
    out.cluster[axis] = at[axis] / launch.cluster[axis];
    out.in_cluster[axis] = at[axis] % launch.cluster[axis];
  }
  out.rank = out.in_cluster[0] + launch.cluster[0] * (out.in_cluster[1] + launch.cluster[1] * out.in_cluster[2]);
  return out;
}

void fill_block_rows(const LaunchContext& launch, uint64_t index, std::byte* rows) {
  const auto& grid = launch.grid;
  const std::array<uint64_t, 3> ctaid{index % grid[0], index / grid[0] % grid[1], index / grid[0] / grid[1]};
  fill(
      launch, rows, [](Special special) { return area_of(special) == RowArea::Block; },
      [&](Special special, uint32_t) -> uint64_t {
        if (special <= Special::CtaidZ)
          return ctaid[static_cast<size_t>(special) - static_cast<size_t>(Special::CtaidX)];
        const ClusterPlace place = cluster_place(launch, index);
        if (special == Special::ClusterCtarank) return place.rank;
        if (special <= Special::ClusterIdZ)
          return place.cluster[static_cast<size_t>(special) - static_cast<size_t>(Special::ClusterIdX)];
        return place.in_cluster[static_cast<size_t>(special) - static_cast<size_t>(Special::ClusterCtaidX)];
      });
}

void fill_slot_rows(const LaunchContext& launch, uint32_t sm, uint32_t slot, std::byte* rows) {
  fill(
      launch, rows, [](Special special) { return area_of(special) == RowArea::Registers && !is_clock(special); },
      [&](Special special, uint32_t) { return special == Special::SmId ? sm : slot; });
}

void fill_clock_rows(const LaunchContext& launch, uint64_t cycle, std::byte* rows) {
  const auto nanoseconds = static_cast<uint64_t>(static_cast<double>(cycle) * 1000 / launch.machine->clocks.shader_mhz);
  fill(
      launch, rows, [](Special special) { return is_clock(special); },
      [&](Special special, uint32_t) {
        const bool timer = special >= Special::GlobalTimer;
        const bool high = special == Special::ClockHi || special == Special::GlobalTimerHi;
        return (timer ? nanoseconds : cycle) >> (high ? 32 : 0);
      });
}

}  // namespace warptime::sim
