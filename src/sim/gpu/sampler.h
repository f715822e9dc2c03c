// Sampled launches (docs/sampling.md): times part of a launch in detail and says how long all of it takes, with a 95 %
// interval. With values, every block is executed functionally and what the samples write is thrown away; without, only
// the blocks that are timed are executed at all.
//
// Launches that are alike (kernel, grid, block, resources) are sampled, too: after the first ten, one in ten is timed,
// and the others take its rate.
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
