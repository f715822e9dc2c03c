// The caches of one memory partition (model/cache_levels.h lists them): the outer levels for constants, instructions
// and textures, and an L2 for all data, each a slice that holds only this partition's addresses. A read of a line that
// DRAM is reading already is merged with that read (merged_requests.h).
//
// A store allocates its line without reading the rest of it: a sector that it does not write as a whole is read when a
// read needs it, and written to DRAM with a mask.
//
// The bandwidth of its data is that of slice_ports.h. Left out: a limit of the reads of DRAM on their way.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <utility>
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
      : write_back_(machine.l2.write_policy == WritePolicy::write_back),
        passes_stores_(machine.l2.stores == StoreAllocation::pass),
        reserves_at_miss_(machine.l2.reserve == LineReserved::miss),
        fills_(machine.l2.partial_sectors == PartialSectors::filled),
        fetch_bytes_(std::max(machine.l2.fetch_bytes, std::min(machine.l2.sector_bytes, machine.l2.cache.line_bytes))),
        sectors_fetched_(fetch_bytes_ / std::min(machine.l2.sector_bytes, machine.l2.cache.line_bytes)) {
    misses_.reserve(256);
    for (size_t kind = 0; kind < kReadKinds; ++kind) {
      const CacheConfig config = cache_of(machine, static_cast<ReadKind>(kind), CachePlace::Partition);
      caches_[kind] = CacheTags(config, shape_of(machine, static_cast<ReadKind>(kind), CachePlace::Partition));
      latency_[kind] = config.latency;
    }
    is_kept_ = machine.chip.caches_between_launches.l2 == CacheContents::keep;
    in_misses_ = machine.memory.lookups_in_misses;
    for (size_t kind = 0; kind < kReadKinds; ++kind) exists_[kind] = of(static_cast<ReadKind>(kind)).exists();
  }

  /// The cache that requests of this kind look up. Data use the L2 whether or not an L1 sent them; on machines with an
  /// L2, it also replaces the outer caches that do not exist.
  CacheTags& of(ReadKind kind) { return caches_[slot(kind)]; }
  bool exists(ReadKind kind) const { return exists_[static_cast<size_t>(kind)]; }
  uint32_t latency(ReadKind kind) const { return latency_[slot(kind)]; }
  /// Whether a miss takes the time of the lookup as well.
  bool delays_misses() const { return in_misses_; }
  bool writes_back() const { return write_back_; }
  uint32_t fetch_bytes() const { return fetch_bytes_; }
  /// Whether some stores stay in a cache and others go on to DRAM.
  bool may_pass_stores() const { return passes_stores_; }

  // Granules, below, are 32 bytes each of the aligned 128 at `block` (PartitionRequest::granules).

  /// The granules of a request that the cache lacks, in whole sectors; `ready`: from when on it has the others.
  uint32_t look_up(const PartitionRequest& request, Cycle& ready) {
    const size_t level = slot(request.kind);
    CacheTags& cache = caches_[level];
    const Addr block = request.block();
    const uint32_t granules = request.granules();
    uint32_t out = 0;
    bool has_line = false;
    cache.for_each_part(granules, [&](uint32_t first, uint32_t part) {
      uint32_t lacks = cache.sectors_of(part);
      if (const CacheTags::Line* found = cache.find(block + first * Addr{PartitionRequest::kGranule})) {
        lacks &= ~static_cast<uint32_t>(found->valid);
        ready = std::max<Cycle>(ready, found->ready);
        has_line |= (found->valid | found->dirty) != 0;
      }
      if (sectors_fetched_ > 1 && level == static_cast<size_t>(ReadKind::Data) && !request.writes()) [[unlikely]]
        lacks = fetched_with(lacks);
      out |= cache.granules_of(lacks) << first;
    });
    DataCacheStats& statistics = statistics_[level];
    count_lookup(statistics, out == 0);
    statistics.sector_misses += out != 0 && has_line ? 1 : 0;
    (request.writes() ? statistics.write_bytes : statistics.read_bytes) += request.bytes;
    return out;
  }
  /// Whole sectors have come from DRAM. Calls gone(offset, bytes, is it read before?) for what is evicted and must be
  /// written there.
  template <class Gone>
  void fill(ReadKind kind, Addr block, uint32_t granules, Cycle ready, Gone&& gone) {
    CacheTags& cache = of(kind);
    DataCacheStats& statistics = statistics_[slot(kind)];
    statistics.fetched_bytes += bytes_of(granules);
    cache.for_each_part(granules, [&](uint32_t first, uint32_t part) {
      CacheTags::Line& line =
          allocate(cache, statistics, block + first * Addr{PartitionRequest::kGranule}, ready, gone);
      line.valid |= cache.sectors_of(part);
      line.ready = std::max<Cycle>(line.ready, ready);
    });
  }
  /// Where a miss reserves the lines that it fetches: they take the places of others.
  template <class Gone>
  void reserve(ReadKind kind, Addr block, uint32_t granules, Cycle now, Gone&& gone) {
    if (!reserves_at_miss_) return;
    CacheTags& cache = of(kind);
    cache.for_each_part(granules, [&](uint32_t first, uint32_t) {
      allocate(cache, statistics_[slot(kind)], block + first * Addr{PartitionRequest::kGranule}, now, gone);
    });
  }
  /// A store. `whole`: granules of which it writes all bytes.
  template <class Gone>
  void write(ReadKind kind, Addr block, uint32_t granules, uint32_t whole, Cycle ready, Gone&& gone) {
    CacheTags& cache = of(kind);
    DataCacheStats& statistics = statistics_[slot(kind)];
    cache.for_each_part(granules, [&](uint32_t first, uint32_t part) {
      CacheTags::Line& line =
          allocate(cache, statistics, block + first * Addr{PartitionRequest::kGranule}, ready, gone);
      const uint32_t written = cache.sectors_of(part);
      line.dirty |= written;
      for (uint32_t rest = written; rest != 0; rest &= rest - 1) {
        const uint32_t sector = rest & -rest, needed = cache.granules_of(sector);
        if ((whole >> first & needed) == needed) line.valid |= sector;
      }
    });
  }
  /// Whether a store goes on to DRAM, because no line for it is there and it allocates none.
  bool passes_on(ReadKind kind, Addr block, uint32_t granules) {
    if (!passes_stores_) return false;
    CacheTags& cache = of(kind);
    bool any = false;
    cache.for_each_part(granules, [&](uint32_t first, uint32_t) {
      any |= cache.find(block + first * Addr{PartitionRequest::kGranule}) != nullptr;
    });
    return !any;
  }
  /// The L2's bytes that have not been written to DRAM are, if the next launch finds it empty; returns their number.
  uint64_t flush() {
    if (is_kept_) return 0;
    CacheTags& cache = caches_[static_cast<size_t>(ReadKind::Data)];
    uint64_t lines = 0, sectors = 0;
    cache.for_each_line([&](const CacheTags::Line& line) {
      lines += line.dirty != 0 ? 1 : 0;
      sectors += static_cast<uint64_t>(std::popcount(static_cast<uint32_t>(line.dirty)));
    });
    if (sectors != 0) cache.clean();
    DataCacheStats& statistics = statistics_[static_cast<size_t>(ReadKind::Data)];
    statistics.write_backs += lines;
    statistics.written_back_bytes += sectors * cache.sector_bytes();
    return sectors * cache.sector_bytes();
  }

  /// The MSHR of an outstanding DRAM read of all of these granules for this cache; kNoMshr: none.
  uint32_t find_mshr(ReadKind kind, Addr block, uint32_t granules) {
    for (const Miss& miss : misses_) {
      if (miss.cache != slot(kind) || miss.block != block || (granules & ~miss.granules) != 0) continue;
      ++statistics_[slot(kind)].mshr_merges;
      return miss.mshr;
    }
    return kNoMshr;
  }
  void allocate_mshr(ReadKind kind, Addr block, uint32_t granules, uint32_t mshr) {
    misses_.push_back({slot(kind), block, granules, mshr});
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
  const DataCacheStats& statistics(ReadKind kind) const { return statistics_[static_cast<size_t>(kind)]; }
  /// Bytes of a store go on to DRAM.
  void passed_on(ReadKind kind, uint32_t bytes) { statistics_[slot(kind)].written_back_bytes += bytes; }
  /// An atomic operation, which has read these bytes, stores them.
  void stored(ReadKind kind, uint32_t bytes) { statistics_[slot(kind)].write_bytes += bytes; }

 private:
  struct Miss {
    size_t cache = 0;
    Addr block = 0;
    uint32_t granules = 0;
    uint32_t mshr = 0;

    template <class Archive>
    void serialize(Archive& archive) {
      archive.index(cache, kReadKinds);
      archive(block, granules, mshr);
    }
  };

  /// The sectors that are read together with these.
  uint32_t fetched_with(uint32_t sectors) const {
    const uint32_t unit = (1u << sectors_fetched_) - 1;
    uint32_t out = 0;
    for (uint32_t first = 0; sectors >> first != 0; first += sectors_fetched_)
      if ((sectors >> first & unit) != 0) out |= unit << first;
    return out;
  }
  static uint32_t bytes_of(uint32_t granules) {
    return static_cast<uint32_t>(std::popcount(granules)) * PartitionRequest::kGranule;
  }
  /// The line of an offset, perhaps without valid sectors.
  template <class Gone>
  CacheTags::Line& allocate(CacheTags& cache, DataCacheStats& statistics, Addr offset, Cycle ready, Gone&& gone) const {
    if (CacheTags::Line* found = cache.find(offset)) return *found;
    CacheTags::Line& line = cache.replace(offset);
    const CacheTags::Line old = std::exchange(line, {cache.line_of(offset), ready, 0, 0});
    statistics.evictions += old.address != CacheTags::kNowhere ? 1 : 0;
    statistics.write_backs += old.dirty != 0 ? 1 : 0;
    for (uint32_t rest = old.dirty; rest != 0;) {
      const auto first = static_cast<uint32_t>(std::countr_zero(rest)),
                 count = static_cast<uint32_t>(std::countr_one(rest >> first));
      statistics.written_back_bytes += count * cache.sector_bytes();
      const uint32_t run = ((1u << count) - 1) << first;
      gone(old.address + Addr{first} * cache.sector_bytes(), count * cache.sector_bytes(),
           fills_ && (run & ~static_cast<uint32_t>(old.valid)) != 0);
      rest &= ~run;
    }
    return line;
  }

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
  bool write_back_, passes_stores_, reserves_at_miss_, is_kept_, in_misses_, fills_;
  uint32_t fetch_bytes_, sectors_fetched_;  // of a miss of the L2
  std::array<bool, kReadKinds> exists_{};   // of(kind)
  std::array<DataCacheStats, kReadKinds> statistics_;
  std::vector<Miss> misses_;

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    archive(caches_, statistics_, misses_);
  }
};

}  // namespace warptime::sim
