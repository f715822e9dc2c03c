// How long loads took, and packets stayed in queues: a histogram whose bins widen with the latency, so that percentiles
// of a few cycles and of a million are equally good, and the sums and extremes that a histogram does not have.
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

/// Times in cycles, of which each is counted in a bin.
struct TimeDistribution {
  /// Bins are a cycle wide up to 32 cycles, then a sixteenth of a power of two: 6.25 % of a time at most. The last has
  /// all from about a million cycles on.
  static constexpr uint32_t kStepBits = 4, kSteps = 1u << kStepBits, kBins = 17 * kSteps;

  std::array<uint64_t, kBins> bins{};
  uint64_t cycles = 0;  // summed
  Least least;
  Most most;

  static uint32_t bin_of(uint64_t time) {
    const auto width = static_cast<uint32_t>(std::bit_width(time));
    const uint32_t shift = width > kStepBits + 1 ? width - kStepBits - 1 : 0;
    return static_cast<uint32_t>(std::min<uint64_t>(uint64_t{shift} * kSteps + (time >> shift), kBins - 1));
  }
  /// The least time of a bin.
  static uint64_t first_of(uint32_t bin) {
    if (bin < 2 * kSteps) return bin;
    const uint32_t shift = bin / kSteps - 1;
    return uint64_t{bin - shift * kSteps} << shift;
  }
  void add(uint64_t time) {
    ++bins[bin_of(time)];
    cycles += time;
    least.add(time);
    most.add(time);
  }

  uint64_t count() const {
    uint64_t all = 0;
    for (uint64_t bin : bins) all += bin;
    return all;
  }
  double mean() const {
    const uint64_t all = count();
    return all == 0 ? 0 : static_cast<double>(cycles) / static_cast<double>(all);
  }
  /// The time that `percent` of them do not exceed: the least one of its bin, or of all.
  uint64_t percentile(uint64_t percent) const {
    const uint64_t all = count();
    if (all == 0) return 0;
    const uint64_t wanted = std::max<uint64_t>(1, (all * percent + 99) / 100);
    uint64_t seen = 0;
    uint32_t bin = 0;
    while (seen += bins[bin], seen < wanted) ++bin;
    return std::clamp(first_of(bin), least.value(), most.value());
  }

  template <class F>
  static void zip(TimeDistribution& a, const TimeDistribution& b, F&& f) {
    f(a.bins, b.bins);
    f(a.cycles, b.cycles);
    f(a.least, b.least);
    f(a.most, b.most);
  }
  bool operator==(const TimeDistribution&) const = default;
};

/// Latencies of loads, from the cycle of issue to the one from which the result can be used.
struct LatencyStats : TimeDistribution {
  uint64_t loads() const { return count(); }
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
};

/// Times of packets in a queue, from one point of their way to another.
struct QueueTime : TimeDistribution {
  void add_all(const QueueTime& other) { add_numbers(*this, other); }
  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor(StatInfo{"packets", "packets", "number of them"}, self.count());
    visitor(StatInfo{"min", "cycles", "their least time"}, self.least.value());
    visitor(StatInfo{"mean", "cycles", "their mean time"}, self.mean());
    visitor(StatInfo{"p50", "cycles", "their median time, rounded down to the bin, as in global_latency"},
            self.percentile(50));
    visitor(StatInfo{"p99", "cycles", "the time that 99 % do not exceed, rounded down to the bin"},
            self.percentile(99));
    visitor(StatInfo{"max", "cycles", "their largest time"}, self.most.value());
  }
};

}  // namespace warptime::sim
