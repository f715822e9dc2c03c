// The statistics of caches: a struct for each row of CACHE_STATISTICS (cache_levels.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/stats_struct.h"
#include "sim/model/cache_levels.h"

namespace warptime::sim {

#define CACHE_STATS(S)                        \
  S(accesses, "accesses", "lookups")          \
  S(hits, "accesses", "tag and data present") \
  S(misses, "accesses", "fetched from the next level")
// An L1 and an L2 have sectors, and hold what was stored: reports have these rows as well.
#define DATA_CACHE_STATS(S)                                                                                \
  CACHE_STATS(S)                                                                                           \
  S(sector_misses, "accesses", "of the misses, those that found the line but not all of their sectors")    \
  S(mshr_merges, "accesses", "of the misses, those that wait for a fetch which was on its way")            \
  S(evictions, "lines", "lines replaced by others")                                                        \
  S(write_backs, "lines", "lines with stored data that were replaced, or flushed at the end of a launch")  \
  S(read_bytes, "bytes", "bytes that reads and atomic operations asked for, in whole sectors of 32 bytes") \
  S(write_bytes, "bytes", "bytes of stores and atomic operations, in whole sectors of 32 bytes")           \
  S(fetched_bytes, "bytes", "bytes that came from the next level")                                         \
  S(written_back_bytes, "bytes", "bytes that went to the next level: of write-backs, and of stores passed on")
STATS_STRUCT(DataCacheStats, DATA_CACHE_STATS)

/// A cache that only reads lines reports the first rows.
struct CacheStats : DataCacheStats {
  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    CACHE_STATS(STATS_VISIT)
  }
};

/// A member for each row of CACHE_STATISTICS.
struct CachesStats {
#define MEMBER(name, reads, ...) StatsOf<ReadKind::reads> name;
  template <ReadKind Reads>
  using StatsOf = std::conditional_t<Reads == ReadKind::Data, DataCacheStats, CacheStats>;
  CACHE_STATISTICS(MEMBER)
#undef MEMBER
  ReportedCaches reported = reported_caches([](const CacheLevel&) { return false; });  // those of every machine

  /// f(row of the table, member).
  template <class Self, class F>
  static void for_each(Self& self, F&& f) {
    const CacheStatistic* row = kCacheStatistics.data();
#define EACH(name, ...) f(*row++, self.name);
    CACHE_STATISTICS(EACH)
#undef EACH
  }
  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    const CacheStatistic* row = kCacheStatistics.data();
#define VISIT(name, ...)                                                                             \
  if (self.reported[static_cast<size_t>(row - kCacheStatistics.data())])                             \
    visitor(StatInfo{#name, "", #name " cache: ", "", "", row->scope(), row->profilers}, self.name); \
  ++row;
    CACHE_STATISTICS(VISIT)
#undef VISIT
  }
  template <class F>
  static void zip(CachesStats& a, const CachesStats& b, F&& f) {
#define ZIP(name, ...) f(a.name, b.name);
    CACHE_STATISTICS(ZIP)
#undef ZIP
    for (size_t i = 0; i < a.reported.size(); ++i) a.reported[i] |= b.reported[i];
  }
};

}  // namespace warptime::sim
