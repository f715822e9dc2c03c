// The caches of one memory partition (model/cache_levels.h lists them): the outer levels for constants, instructions
// and textures, and an L2 for all data, each a slice that holds only this partition's addresses. A read of a line that
// DRAM is reading already is merged with that read (merged_requests.h).
//
// Left out: the bandwidth of a cache, and partial lines: a store allocates its line without reading the rest of it.
#pragma once

#include <array>
#include <vector>

#include "sim/mem/arrival.h"
#include "sim/mem/cache_tags.h"
#include "sim/mem/chip_contents.h"
#include "sim/mem/launch_shares.h"
#include "sim/mem/memory_view.h"
#include "sim/mem/request.h"
#include "sim/model/statistics.h"

namespace warptime::sim {

class PartitionCaches {
 public:
  explicit PartitionCaches(const MachineConfig& machine)
      : write_back_(machine.l2.write_policy == WritePolicy::write_back) {
    misses_.reserve(256);
    for (size_t kind = 0; kind < kReadKinds; ++kind) {
      const CacheConfig config = cache_of(machine, static_cast<ReadKind>(kind), CachePlace::Partition);
      caches_[kind] = CacheTags(config);
      latency_[kind] = config.latency;
    }
    for (size_t kind = 0; kind < kReadKinds; ++kind) exists_[kind] = of(static_cast<ReadKind>(kind)).exists();
  }

  /// The cache that requests of this kind look up. Data use the L2 whether or not an L1 sent them; on machines with an
  /// L2, it also replaces the outer caches that do not exist.
  CacheTags& of(ReadKind kind) { return caches_[slot(kind)]; }
  bool exists(ReadKind kind) const { return exists_[static_cast<size_t>(kind)]; }
  uint32_t latency(ReadKind kind) const { return latency_[slot(kind)]; }
  bool writes_back() const { return write_back_; }

  /// Whether the cache has all lines of [offset, offset + bytes); `ready`: from when on.
  bool hit(ReadKind kind, Addr offset, uint32_t bytes, Cycle& ready) {
    CacheTags& cache = of(kind);
    bool all = true;
    for (Addr line = cache.line_of(offset); line < offset + bytes; line += cache.line_bytes()) {
      const CacheTags::Line* found = cache.find(line);
      all &= found != nullptr;
      if (found != nullptr) ready = std::max(ready, found->ready);
    }
    count_lookup(statistics_[slot(kind)], all);
    return all;
  }
  /// Allocates all lines; calls gone(offset) for each dirty line that is evicted.
  template <class Gone>
  void put(ReadKind kind, Addr offset, uint32_t bytes, Cycle ready, bool dirty, Gone&& gone) {
    CacheTags& cache = of(kind);
    for (Addr line = cache.line_of(offset); line < offset + bytes; line += cache.line_bytes()) {
      if (CacheTags::Line* found = cache.find(line)) {
        found->dirty |= dirty;
        continue;
      }
      CacheTags::Line old = cache.fill(line, ready, dirty);
      if (slot(kind) == static_cast<size_t>(ReadKind::Data) && old.dirty) gone(old.address);
    }
  }

  /// The MSHR of an outstanding DRAM read of [offset, offset + bytes) for this cache; kNoMshr: none.
  uint32_t find_mshr(ReadKind kind, Addr offset, uint32_t bytes) const {
    for (const Miss& miss : misses_)
      if (miss.cache == slot(kind) && miss.offset <= offset && offset + bytes <= miss.offset + miss.bytes)
        return miss.mshr;
    return kNoMshr;
  }
  void allocate_mshr(ReadKind kind, Addr offset, uint32_t bytes, uint32_t mshr) {
    misses_.push_back({slot(kind), offset, bytes, mshr});
  }
  void release_mshr(uint32_t mshr) {
    std::erase_if(misses_, [mshr](const Miss& miss) { return miss.mshr == mshr; });
  }

  /// A launch finds what the one before left in partition `index`.
  void find(const ChipContents& contents, uint32_t index) {
    for_each_level([&](size_t level, size_t kind) {
      if (const CacheTags* left = contents.find(level, index)) caches_[kind] = *left;
    });
  }
  void leave(ChipContents& contents, uint32_t index) const {
    for_each_level([&](size_t level, size_t kind) { contents.leave(level, index, caches_[kind]); });
  }

  /// The caches that the machine has, and the line of an offset.
  std::vector<CacheView> view(const MachineConfig& machine, std::optional<Addr> offset) const {
    std::vector<CacheView> out;
    for (const CacheLevel& level : kCacheLevels)
      if (level.side() == CacheSide::InPartition && level.of(machine).bytes != 0)
        out.push_back(view_of(level, machine, caches_[static_cast<size_t>(level.reads)], offset));
    return out;
  }

  /// The kind for which lookups of this one are counted.
  size_t counted_as(ReadKind kind) const { return slot(kind); }
  /// Statistics of the cache for this kind alone; what goes to the L2 for want of one is counted there.
  const CacheStats& statistics(ReadKind kind) const { return statistics_[static_cast<size_t>(kind)]; }

 private:
  struct Miss {
    size_t cache = 0;
    Addr offset = 0;
    uint32_t bytes = 0;
    uint32_t mshr = 0;

    template <class Archive>
    void serialize(Archive& archive) {
      archive.index(cache, kReadKinds);
      archive(offset, bytes, mshr);
    }
  };

  template <class F>
  static void for_each_level(const F& f) {
    for (size_t level = 0; level < kCacheLevels.size(); ++level)
      if (kCacheLevels[level].side() == CacheSide::InPartition)
        f(level, static_cast<size_t>(kCacheLevels[level].reads));
  }
  size_t slot(ReadKind kind) const {
    auto own = static_cast<size_t>(kind);
    return caches_[own].exists() ? own : static_cast<size_t>(ReadKind::Data);
  }

  std::array<CacheTags, kReadKinds> caches_;  // by ReadKind
  std::array<uint32_t, kReadKinds> latency_{};
  bool write_back_;
  std::array<bool, kReadKinds> exists_{};  // of(kind)
  std::array<CacheStats, kReadKinds> statistics_;
  std::vector<Miss> misses_;

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    archive(caches_, statistics_, misses_);
  }
};

}  // namespace warptime::sim
