// Similar launches (same kernel, grid, block and resources; where the first are to be timed, also the values of
// scalars) of a sampled run: selects the launches to time, and estimates the time of the others from theirs.
#pragma once

#include <array>
#include <cmath>
#include <tuple>
#include <vector>

#include "base/random.h"
#include "sim/gpu/chip_counters.h"
#include "sim/gpu/gpu.h"
#include "sim/gpu/sample_estimate.h"
#include "sim/gpu/sample_plan.h"

namespace warptime::sim {

class AlikeLaunches {
 public:
  using Key = std::tuple<const CompiledKernel*, std::array<uint32_t, 3>, std::array<uint32_t, 3>, uint32_t, uint32_t,
                         std::vector<uint64_t>, std::vector<std::byte>>;
  static Key key_of(const Launch& launch) {
    return {launch.kernel, launch.grid,   launch.block, launch.dynamic_shared_bytes, launch.registers_per_thread,
            launch.blocks, launch.scalars};
  }

  /// The number of launches that are timed first; then one of every so many is timed.
  static constexpr uint32_t kTimed = 10;

  uint64_t number() const { return launches_; }
  void next() { ++launches_; }
  /// Whether this launch should be timed.
  bool wanted(uint64_t seed) const {
    uint64_t row = launches_ / kTimed;
    return timed_.size() < kTimed || launches_ % kTimed == SplitMix64(seed + row).below(kTimed);
  }
  bool has_like(double instructions) const {
    return std::abs(instructions / mean_instructions() - 1) <= kSameInstructions;
  }
  void add_timed(const ChipCounters& counters, Cycle cycles) {
    auto instructions = static_cast<double>(counters.warp_instructions());
    timed_.push_back({static_cast<double>(cycles), instructions});
    sum_.cycles += static_cast<double>(cycles);
    sum_.instructions += instructions;
    if (counters_.sms.empty()) counters_ = counters;
    else counters_.add(counters);
  }

  size_t timed() const { return timed_.size(); }
  double mean_instructions() const { return sum_.instructions / static_cast<double>(timed_.size()); }
  /// The estimated time of a further launch, with the interval of a single one: of a single timed launch none.
  Estimate cycles(double instructions) const {
    if (timed_.size() == 1) return {sum_.cycles / sum_.instructions * instructions, 0};
    double ratio = sum_.cycles / sum_.instructions, squares = 0;
    for (const Measured& launch : timed_) {
      double deviation = launch.cycles - ratio * launch.instructions;
      squares += deviation * deviation;
    }
    auto count = static_cast<double>(timed_.size());
    double variance = squares / (count - 1) * (1 + 1 / count);
    return {ratio * instructions, student_t(static_cast<uint32_t>(timed_.size()) - 1) * std::sqrt(variance)};
  }
  ChipCounters counters(double instructions) const {
    ChipCounters one = counters_;
    one.scale(instructions / sum_.instructions);
    return one;
  }

 private:
  uint64_t launches_ = 0;
  std::vector<Measured> timed_;
  Measured sum_;           // of timed_
  ChipCounters counters_;  // of timed_
};

}  // namespace warptime::sim
