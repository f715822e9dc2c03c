// Sampled launches (docs/sampling.md): times part of a launch in detail and estimates the time of the whole, with a 95
// % interval. With values, every block is executed functionally, and the writes of the samples are discarded; without,
// only the timed blocks are executed.
//
// Similar launches (kernel, grid, block, resources) are also sampled: after the first ten, one of every ten is timed,
// and the others are assigned the mean rate.
#pragma once

#include <memory>
#include <optional>

#include "sim/gpu/run.h"

namespace warptime::sim {

class Sampler {
 public:
  Sampler(DeviceMemory& memory, MemorySystem& system);
  ~Sampler();
  /// Runs one launch as options.sampling says; a launch that is too small is run in full detail.
  std::optional<Fault> run(const LaunchContext& context, const Launch& launch, const RunOptions& options,
                           ThreadTeam& team, LaunchStatistics& statistics);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace warptime::sim
