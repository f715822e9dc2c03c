// The stochastic memory hierarchy model (Baghsorkhi 2012; the book, 4.2.3): hit ratios as distributions over random
// orders of the requests that a functional run recorded.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/memory/memory_level.h"
#include "sim/model/machine.h"
#include "sim/model/request_record.h"

namespace warptime::analysis {

/// A level's hit ratio over the trials.
struct HitDistribution {
  std::vector<double> ratios;  // by trial
  double mean = 0;
  double low = 0, high = 0;  // the 95 % interval: mean +- 1.96 standard deviations, within 0 and 1
  double accesses = 0;       // mean over the trials
};
/// By MemoryLevel; nothing: no access reaches the level.
using HitDistributions = std::array<std::optional<HitDistribution>, kMemoryLevels>;

struct MemoryEstimate {
  struct Line {
    uint32_t line = 0;  // of the PTX
    HitDistributions levels = {};
  };
  uint32_t trials = 0;
  uint64_t recorded_blocks = 0, blocks = 0;
  HitDistributions levels = {};
  std::vector<Line> lines = {};  // with at least one access, by line
};

/// `trials`, at least 2, each with an order of its own that follows from `seed`. `uses`: first_uses_in_text of the
/// kernel.
MemoryEstimate estimate_memory(const sim::MachineConfig& machine, const sim::RequestRecord& log,
                               const std::vector<uint32_t>& uses, uint32_t trials, uint64_t seed);

}  // namespace warptime::analysis
