// The class of a launch by what it spends its time on: launches of one class are off by similar amounts
// (docs/hopper.md). The rule reads the statistics of the launch and nothing else, so every kernel has a class.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "sim/model/statistics.h"

namespace warptime::host {

enum class KernelClass : uint8_t { Small, Constants, Memory, LoadStore, Arithmetic, Latency };

struct KernelClassInfo {
  std::string_view name;  // in files
  std::string_view what;
};
inline constexpr std::array<KernelClassInfo, 6> kKernelClasses{{
    {"small", "at most 64 blocks"},
    {"constants", "the SMs with warps wait for constants in at least 15 % of their issue slots"},
    {"memory", "busiest is DRAM, a partition's port or its atomic unit"},
    {"load_store", "busiest is an SM's memory port or its port to the partitions: shared memory, L1, many addresses"},
    {"arithmetic", "busiest is a warp scheduler, a pipe of an SM or its copy engine"},
    {"latency", "nothing is busy for 30 % of the time that it can be"},
}};
constexpr std::string_view class_name(KernelClass c) { return kKernelClasses[static_cast<size_t>(c)].name; }

/// Blocks of the largest small launch.
inline constexpr uint64_t kSmallLaunchBlocks = 64;
/// The share of issue slots from which on a launch waits for constants. Slots of SMs without a warp are left out.
inline constexpr double kConstantsShare = 0.15;
/// The nearness (verdict.h) from which on the busiest resource is what limits a launch; below it is latency.
inline constexpr double kBusyShare = 0.3;

/// The first class of the list that the launch fits; of the last four, that of the resource nearest to its limit, of
/// equals the first one of sim::kResources. nullopt without timing. Without stall reasons (--attribution off) no
/// launch waits for constants.
std::optional<KernelClass> kernel_class(const sim::LaunchStatistics& launch);

}  // namespace warptime::host
