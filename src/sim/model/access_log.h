// What a report shows of one launch besides the states of warps: accesses lane by lane, the memory requests and SIMT
// stacks of the traced SM, and over time the use of buffers, banks and partitions. All of it is bounded: of accesses a
// sample, of requests and stacks the first, of times slices that grow with the launch.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "ptx/isa/types.h"
#include "ptx/isa/unit.h"
#include "sim/model/statistics.h"

namespace warptime::sim {

/// Amounts by item and slice of time. The slices become longer when the time does not fit.
class SlicedCounts {
 public:
  static constexpr uint32_t kSlices = 64;
  static constexpr uint32_t kFirstShift = 6;  // log2 of the cycles of a slice at first

  explicit SlicedCounts(size_t items = 0) : counts_(items * kSlices) {}
  void add(size_t item, Cycle cycle, uint64_t amount) {
    while (cycle >> shift_ >= kSlices) lengthen();
    counts_[item * kSlices + (cycle >> shift_)] += amount;
  }
  /// Adds the counts of another SM, which has the same items.
  void add(const SlicedCounts& other);
  Cycle slice_cycles() const { return Cycle{1} << shift_; }
  size_t items() const { return counts_.size() / kSlices; }
  std::span<const uint64_t> of(size_t item) const { return {counts_.data() + item * kSlices, kSlices}; }

 private:
  void lengthen();
  uint32_t shift_ = kFirstShift;
  std::vector<uint64_t> counts_;

 public:
  template <class Archive>
  void serialize(Archive& archive) {
    archive(shift_, counts_);
  }
};

/// The part of a transaction that is drawn.
struct LoggedTransaction {
  Addr address = 0;
  uint32_t lanes = 0;
  uint16_t bytes = 0;  // 0: a line of a cache
};

/// One execution of a load, store or atomic operation.
struct AccessSample {
  uint32_t sm = 0, pc = 0;
  uint64_t execution = 0;  // of this instruction on this SM, from 1 on
  Cycle cycle = 0;
  uint64_t block = 0;
  uint32_t index_in_block = 0;
  uint32_t lanes = 0;
  ptx::Space space = ptx::Space::None;  // None: generic
  bool is_load = false;
  uint32_t bytes = 0;  // of a lane
  std::array<Addr, 32> addresses{};
  std::vector<LoggedTransaction> transactions = {};  // as they were sent
};

/// The transactions of an access of the traced SM, on their way.
struct LoggedRequest {
  uint32_t warp = 0;  // in TraceLog::warps
  uint32_t pc = 0;
  Cycle begin = 0;
  uint32_t first = 0, count = 0;  // in AccessLog::transactions
};

/// One entry of a SIMT stack; of independently scheduled lanes, a group.
struct LoggedEntry {
  uint32_t pc = 0;
  uint32_t reconvergence = 0;  // ptx::kNoIndex: none
  uint32_t lanes = 0;
  bool operator==(const LoggedEntry&) const = default;
};

/// From `cycle` on a warp's stack has these entries below the top one.
struct LoggedStack {
  uint32_t warp = 0;
  Cycle cycle = 0;
  uint32_t reconvergence = 0, active = 0;  // of the top entry
  uint32_t first = 0, count = 0;           // in AccessLog::entries, lowest first
};

struct AccessLog {
  static constexpr size_t kMostBuffers = 16, kMostBins = 128;  // of a buffer
  static constexpr size_t kMostSamples = 2'000, kSamplesOfLine = 10;
  static constexpr size_t kMostTransactions = 200'000, kMostEntries = 300'000;
  static constexpr size_t kMostMoments = 512;  // of partitions

  struct Buffer {
    std::string name;
    Addr begin = 0;
    uint64_t bytes = 0;
    uint32_t bin_shift = 0;
    size_t first_bin = 0;
    uint32_t bins = 0;
    bool has(Addr address) const { return address >= begin && address - begin < bytes; }
    size_t bin_of(Addr address) const { return first_bin + ((address - begin) >> bin_shift); }
  };
  /// Counted by each SM for itself, as they may run on several threads.
  struct OfSm {
    SlicedCounts lanes;                // accesses of lanes, by bin
    SlicedCounts bank_bytes;           // bytes of transactions, by partition and bank
    uint64_t others = 0;               // accesses of lanes to global memory outside the buffers
    std::vector<uint64_t> executions;  // by instruction
    std::vector<AccessSample> samples;
  };
  struct Moment {
    Cycle cycle = 0;
    std::vector<DramStats> partitions;  // from the launch's start on
  };

  // What concerns the chip.
  std::vector<Buffer> buffers;
  size_t buffers_left_out = 0;
  uint32_t partitions = 0, banks = 0;
  std::vector<ptx::Unit> units;  // by instruction
  std::vector<OfSm> sms;
  std::vector<Moment> moments;
  Cycle between_moments = 256;

  // What concerns the traced SM.
  std::vector<LoggedRequest> requests;
  std::vector<LoggedTransaction> transactions;
  struct Answer {
    uint32_t request = 0;
    Cycle cycle = 0;
  };
  std::vector<Answer> answers;
  std::vector<LoggedStack> stacks;
  std::vector<LoggedEntry> entries;
  Cycle requests_end = kNever, stacks_end = kNever;  // from here on they are left out

  // At the start of the launch.
  void add_buffer(std::string_view name, Addr begin, uint64_t bytes);
  void prepare(uint32_t sm_count, size_t instructions, uint32_t partition_count, uint32_t bank_count);
  const Buffer* find(Addr address, const Buffer* first_guess) const;

  bool moment_due(Cycle now) const { return moments.empty() || now >= moments.back().cycle + between_moments; }
  /// At the end of a step. When there are too many moments, every second one goes.
  void add_moment(Cycle now, std::vector<DramStats> partitions_now);
  /// The last one, at the end of the launch.
  void end_moments(Cycle end, std::vector<DramStats> partitions_then);
};

}  // namespace warptime::sim
