// How long loads took: a histogram whose bins widen with the latency, so that percentiles of a few cycles and of a
// million are equally good, and the sums and extremes that a histogram does not have.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "base/stats_struct.h"

namespace warptime::sim {

/// The least or the most of positive numbers: of several, the sum is the least or the most of all; there is nothing to
/// subtract. Zeroed memory is that of none.
class Least {
 public:
  void add(uint64_t value) { kept_ = std::max(kept_, ~value); }
  /// 0: of none.
  uint64_t value() const { return kept_ == 0 ? 0 : ~kept_; }
  Least& operator+=(const Least& other) {
    kept_ = std::max(kept_, other.kept_);
    return *this;
  }
  Least& operator-=(const Least&) { return *this; }
  bool operator==(const Least&) const = default;
  using IsExtreme = void;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(kept_);
  }

 private:
  uint64_t kept_ = 0;
};
class Most {
 public:
  void add(uint64_t value) { kept_ = std::max(kept_, value); }
  uint64_t value() const { return kept_; }
  Most& operator+=(const Most& other) {
    kept_ = std::max(kept_, other.kept_);
    return *this;
  }
  Most& operator-=(const Most&) { return *this; }
  bool operator==(const Most&) const = default;
  using IsExtreme = void;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(kept_);
  }

 private:
  uint64_t kept_ = 0;
};

/// Latencies of loads, from the cycle of issue to the one from which the result can be used.
struct LatencyStats {
  /// Bins are a cycle wide up to 32 cycles, then a sixteenth of a power of two: 6.25 % of a latency at most. The last
  /// has all from about a million cycles on.
  static constexpr uint32_t kStepBits = 4, kSteps = 1u << kStepBits, kBins = 17 * kSteps;

  std::array<uint64_t, kBins> bins{};
  uint64_t cycles = 0;  // summed over loads
  Least least;
  Most most;

  static uint32_t bin_of(uint64_t latency) {
    const auto width = static_cast<uint32_t>(std::bit_width(latency));
    const uint32_t shift = width > kStepBits + 1 ? width - kStepBits - 1 : 0;
    return static_cast<uint32_t>(std::min<uint64_t>(uint64_t{shift} * kSteps + (latency >> shift), kBins - 1));
  }
  /// The least latency of a bin.
  static uint64_t first_of(uint32_t bin) {
    if (bin < 2 * kSteps) return bin;
    const uint32_t shift = bin / kSteps - 1;
    return uint64_t{bin - shift * kSteps} << shift;
  }
  void add(uint64_t latency) {
    ++bins[bin_of(latency)];
    cycles += latency;
    least.add(latency);
    most.add(latency);
  }

  uint64_t loads() const {
    uint64_t all = 0;
    for (uint64_t bin : bins) all += bin;
    return all;
  }
  double mean() const {
    const uint64_t all = loads();
    return all == 0 ? 0 : static_cast<double>(cycles) / static_cast<double>(all);
  }
  /// The latency that `percent` of the loads do not exceed: the least one of its bin, or of all.
  uint64_t percentile(uint64_t percent) const {
    const uint64_t all = loads();
    if (all == 0) return 0;
    const uint64_t wanted = std::max<uint64_t>(1, (all * percent + 99) / 100);
    uint64_t seen = 0;
    uint32_t bin = 0;
    while (seen += bins[bin], seen < wanted) ++bin;
    return std::clamp(first_of(bin), least.value(), most.value());
  }

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor(StatInfo{"loads", "instructions", "global and local loads that have ended"}, self.loads());
    visitor(StatInfo{"min", "cycles", "their least latency, from issue to the result"}, self.least.value());
    visitor(StatInfo{"mean", "cycles", "their mean latency"}, self.mean());
    visitor(StatInfo{"p50", "cycles",
                     "their median latency, rounded down to the bin: bins are a sixteenth of a power of two wide"},
            self.percentile(50));
    visitor(StatInfo{"p99", "cycles", "the latency that 99 % do not exceed, rounded down to the bin"},
            self.percentile(99));
    visitor(StatInfo{"max", "cycles", "their largest latency"}, self.most.value());
  }
  template <class F>
  static void zip(LatencyStats& a, const LatencyStats& b, F&& f) {
    f(a.bins, b.bins);
    f(a.cycles, b.cycles);
    f(a.least, b.least);
    f(a.most, b.most);
  }
  bool operator==(const LatencyStats&) const = default;
};

}  // namespace warptime::sim
