#include "host/report/kernel_class.h"

#include <algorithm>

#include "host/report/verdict.h"

namespace warptime::host {

using sim::Resource;

namespace {

KernelClass class_of(Resource resource) {
  switch (resource) {
    case Resource::MemoryPort:
    case Resource::TpcRequestPort:
    case Resource::TpcResponsePort: return KernelClass::LoadStore;
    case Resource::Partition:
    case Resource::AtomicUnit:
    case Resource::Dram: return KernelClass::Memory;
    case Resource::Issue:
#define X(unused, name, ...) case Resource::name:
      PTX_PIPES(X, )
#undef X
      return KernelClass::Arithmetic;
  }
  return KernelClass::Latency;
}

bool waits_for_constants(const sim::LaunchStatistics& launch) {
  if (!launch.attributed) return false;
  const auto slots_of = [&](sim::Stall stall) { return launch.issue.stalls[static_cast<size_t>(stall)]; };
  const uint64_t idle = slots_of(sim::Stall::NoWarp) + slots_of(sim::Stall::Drained);
  const auto slots = static_cast<double>(launch.issue.slots - std::min(idle, launch.issue.slots));
  return static_cast<double>(slots_of(sim::Stall::ConstantDependency)) >= kConstantsShare * slots && slots > 0;
}

}  // namespace

std::optional<KernelClass> kernel_class(const sim::LaunchStatistics& launch) {
  if (!launch.timed) return std::nullopt;
  if (uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2] <= kSmallLaunchBlocks) return KernelClass::Small;
  if (waits_for_constants(launch)) return KernelClass::Constants;
  Resource busiest{};
  for (size_t i = 1; i < sim::kResourceCount; ++i)
    if (nearness(launch, static_cast<Resource>(i)) > nearness(launch, busiest)) busiest = static_cast<Resource>(i);
  return nearness(launch, busiest) < kBusyShare ? KernelClass::Latency : class_of(busiest);
}

}  // namespace warptime::host
