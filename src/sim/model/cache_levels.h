// The cache levels of a machine and what counts them, one row each. A read passes the levels of its kind from the SM
// outwards; the first that has the line answers it. Caches, checks, statistics and reports all walk these two tables:
// a new level is a row here and its parameters in machine.h.
//
// Left out: levels that two kinds of reads share. What no row of a partition serves goes to its L2.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sim/model/machine.h"

namespace warptime::sim {

/// What a read is for: decides which caches it looks up. Plain ones look up none within the TPC.
enum class ReadKind : uint8_t { Plain, Data, Constant, Instruction, Texture };
inline constexpr size_t kReadKinds = 5;

/// From the SM outwards.
enum class CachePlace : uint8_t { Sm, Tpc, Partition };

//  reads, from the SM outwards; place; parameters; which of chip.caches_between_launches
#define CACHE_LEVELS(C)                                               \
  C(Constant, Sm, constant.sm_cache, constant)                        \
  C(Constant, Tpc, constant.tpc_cache, constant)                      \
  C(Constant, Partition, constant.partition_cache, constant)          \
  C(Instruction, Sm, instruction.sm_cache, instruction)               \
  C(Instruction, Tpc, instruction.tpc_cache, instruction)             \
  C(Instruction, Partition, instruction.partition_cache, instruction) \
  C(Texture, Tpc, texture.tpc_cache, l1)                              \
  C(Texture, Partition, texture.partition_cache, l2)                  \
  C(Data, Sm, l1.cache, l1)                                           \
  C(Data, Partition, l2.cache, l2)

/// On which side of the crossbar: in SM and TPC, or in the partition.
enum class CacheSide : uint8_t { InTpc, InPartition };

//  name in reports, reads, side; reported of every machine, or where it has such a cache; what profilers call accesses,
//  hits, misses. The levels of one side count as one cache: what its first level lacks is a miss.
#define CACHE_STATISTICS(C)                                                                               \
  C(constant, Constant, InTpc, Always, "idc__requests.sum", "idc__requests_lookup_hit.sum",               \
    "idc__requests_lookup_miss.sum")                                                                      \
  C(texture, Texture, InTpc, Always, "tex_cache_hit + tex_cache_miss", "tex_cache_hit", "tex_cache_miss") \
  C(instruction, Instruction, InTpc, Always, "sm__icc_requests.sum", "sm__icc_requests_lookup_hit.sum",   \
    "sm__icc_requests_lookup_miss.sum")                                                                   \
  C(l1, Data, InTpc, WhereThere, "", "", "")                                                              \
  C(l2, Data, InPartition, WhereThere, "lts__t_tag_requests.sum", "lts__t_tag_requests_hit.sum",          \
    "lts__t_tag_requests_miss.sum")

struct CacheLevel {
  std::string_view path;  // of its parameters
  ReadKind reads;
  CachePlace place;
  const CacheConfig& (*of)(const MachineConfig& machine);
  CacheContents CachesBetweenLaunchesConfig::*between_launches;
  bool is_kept(const MachineConfig& machine) const {
    return of(machine).bytes != 0 && machine.chip.caches_between_launches.*between_launches == CacheContents::keep;
  }
  constexpr CacheSide side() const {
    return place == CachePlace::Partition ? CacheSide::InPartition : CacheSide::InTpc;
  }
};
inline constexpr std::array kCacheLevels{
#define LEVEL(reads, place, member, kept)                                           \
  CacheLevel{#member, ReadKind::reads, CachePlace::place,                           \
             [](const MachineConfig& m) -> const CacheConfig& { return m.member; }, \
             &CachesBetweenLaunchesConfig::kept},
    CACHE_LEVELS(LEVEL)
#undef LEVEL
};

/// Levels of a kind stand together, from the SM outwards.
constexpr bool in_order() {
  for (size_t j = 1; j < kCacheLevels.size(); ++j)
    for (size_t i = 0; i < j; ++i)
      if (kCacheLevels[i].reads == kCacheLevels[j].reads &&
          (kCacheLevels[j - 1].reads != kCacheLevels[j].reads || kCacheLevels[i].place >= kCacheLevels[j].place))
        return false;
  return true;
}
static_assert(in_order());

/// Bytes that a store to a line of an L1 writes at least.
inline constexpr uint32_t kStoredSector = 32;

/// What a level has beside its CacheConfig. An L1 that keeps stores has sectors, whether or not they are fetched alone.
inline CacheShape shape_of(const MachineConfig& machine, ReadKind reads, CachePlace place) {
  if (reads != ReadKind::Data) return {};
  const L1Config& l1 = machine.l1;
  const L2Config& l2 = machine.l2;
  if (place == CachePlace::Partition) return {l2.sector_bytes, l2.replacement, l2.sets};
  const bool keeps_stores = l1.local_stores == WritePolicy::write_back || l1.stored_lines != StoredLines::evict;
  return {keeps_stores ? kStoredSector : l1.sector_bytes, l1.replacement, l1.sets};
}

/// A cache of no bytes, where the tables have no such level.
inline CacheConfig cache_of(const MachineConfig& machine, ReadKind reads, CachePlace place) {
  for (const CacheLevel& level : kCacheLevels)
    if (level.reads == reads && level.place == place) return level.of(machine);
  return {};
}

/// Bytes of a line of the first level, up to `last`, that the machine has; 0: it has none.
inline uint32_t first_line_bytes(const MachineConfig& machine, ReadKind reads, CachePlace last) {
  for (const CacheLevel& level : kCacheLevels)
    if (level.reads == reads && level.place <= last && level.of(machine).bytes != 0)
      return level.of(machine).line_bytes;
  return 0;
}

/// A row of CACHE_STATISTICS.
struct CacheStatistic {
  enum class Reported : uint8_t { Always, WhereThere };
  std::string_view name;
  ReadKind reads;
  CacheSide side;
  Reported reported;
  std::array<std::string_view, 3> profilers;
  constexpr bool counts(const CacheLevel& level) const { return level.reads == reads && level.side() == side; }
  /// Where a warp looks first; all partitions together are the chip's.
  constexpr std::string_view scope() const {
    constexpr std::array<std::string_view, 3> kNames{"SM", "TPC", "chip"};
    for (const CacheLevel& level : kCacheLevels)
      if (counts(level)) return kNames[static_cast<size_t>(level.place)];
    return {};
  }
};
inline constexpr std::array kCacheStatistics{
#define STATISTIC(name, reads, side, reported, ...) \
  CacheStatistic{#name, ReadKind::reads, CacheSide::side, CacheStatistic::Reported::reported, {__VA_ARGS__}},
    CACHE_STATISTICS(STATISTIC)
#undef STATISTIC
};

static_assert(std::all_of(kCacheStatistics.begin(), kCacheStatistics.end(),
                          [](const CacheStatistic& row) { return !row.scope().empty(); }),
              "every statistic counts a level");

/// Which rows of CACHE_STATISTICS a report has. `there(level)`: whether the machine has it.
using ReportedCaches = std::array<bool, kCacheStatistics.size()>;
template <class There>
ReportedCaches reported_caches(There&& there) {
  ReportedCaches out{};
  for (size_t i = 0; i < out.size(); ++i) {
    const CacheStatistic& row = kCacheStatistics[i];
    out[i] = row.reported == CacheStatistic::Reported::Always ||
             std::any_of(kCacheLevels.begin(), kCacheLevels.end(),
                         [&](const CacheLevel& level) { return row.counts(level) && there(level); });
  }
  return out;
}
inline ReportedCaches reported_caches(const MachineConfig& machine) {
  return reported_caches([&](const CacheLevel& level) { return level.of(machine).bytes != 0; });
}

}  // namespace warptime::sim
