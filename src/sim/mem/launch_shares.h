// What each launch of a run has counted in the parts of the chip that launches share. A unit (a TPC, a partition)
// charges what it does for a request to the launch that issued it: a line to the launch whose miss fetches it, a
// write-back to the launch whose access evicted the line. Shares are kept only where they, or times in queues, are
// asked for: a run of one launch without them has only the units' own counters, which count all launches together.
//
// A request does not carry its launch: it has the number of its run (request_run.h), which the TPC gives it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "sim/model/cache_levels.h"
#include "sim/model/statistics.h"

namespace warptime::sim {

/// The launches of a TPC's runs, by number. The TPC notes a run's before it sends the run; the partitions read it from
/// the next step on, perhaps while the TPC notes others, so what is there never moves.
class RunLaunches {
 public:
  void note(uint32_t run, uint32_t launch) {
    std::unique_ptr<uint32_t[]>& piece = pieces_[piece_of(run)];
    if (piece == nullptr) piece = std::make_unique<uint32_t[]>(size_t{kFirst} << piece_of(run));
    piece[run] = launch;
  }
  uint32_t operator[](uint32_t run) const {
    const std::unique_ptr<uint32_t[]>& piece = pieces_[piece_of(run)];
    return piece == nullptr ? 0 : piece[run];  // in a restored state, of one launch
  }

 private:
  static constexpr uint32_t kFirst = 256;
  /// Numbers below 256, below 512, below 1024, ...: each piece is of half as many more as it has room for.
  static size_t piece_of(uint32_t run) { return static_cast<size_t>(std::bit_width(run / kFirst)); }

  std::array<std::unique_ptr<uint32_t[]>, 25> pieces_;
};

/// The shares of one unit, by LaunchContext::number.
template <class Share>
class LaunchShares {
 public:
  Share& operator[](uint32_t launch) {
    if (launch >= shares_.size()) shares_.resize(launch + 1);
    std::unique_ptr<Share>& share = shares_[launch];
    if (share == nullptr) share = std::make_unique<Share>();
    return *share;
  }
  /// The launch has ended.
  Share take(uint32_t launch) {
    Share share = (*this)[launch];
    shares_[launch].reset();
    return share;
  }
  bool empty() const {
    return std::all_of(shares_.begin(), shares_.end(), [](const auto& share) { return share == nullptr; });
  }
  template <class F>
  void for_each(const F& f) const {
    for (const auto& share : shares_)
      if (share != nullptr) f(*share);
  }

 private:
  std::vector<std::unique_ptr<Share>> shares_;

 public:
  /// Saves or restores those of a run of one launch (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    archive((*this)[0]);
  }
};

inline void count_lookup(DataCacheStats& stats, bool hit) {
  ++stats.accesses;
  ++(hit ? stats.hits : stats.misses);
}
using CacheCounts = std::array<DataCacheStats, kReadKinds>;

/// What a launch did in a TPC's queues and ports. `most` and `times_full` are of the queue, whoever filled it: 0 here.
struct TpcShare {
  QueueUse queue;
  QueueTime queue_time, response_time;
  LatencyStages stages;  // those in the TPC
  TpcBusy busy;
  TranslationStats translation;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(queue, queue_time, response_time, stages, busy, translation);
  }
};

struct PartitionShare {
  uint64_t held = 0;  // requests in it
  QueueUse use;       // each entry is subtracted when it comes and added when it goes
  QueueTime service, port;
  LatencyStages stages;  // those in the partition
  PartitionBusy busy;
  DramStats dram;  // of all requests that were passed to DRAM; whether a row was open is known later
  CacheCounts caches{};

  template <class Archive>
  void serialize(Archive& archive) {
    archive(held, use, service, port, stages, busy, dram, caches);
  }
};

}  // namespace warptime::sim
