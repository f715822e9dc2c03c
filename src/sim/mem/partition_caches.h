// The caches of one memory partition (model/cache_levels.h lists them): the outer levels for constants, instructions
// and textures, and an L2 for all data, each a slice that holds only this partition's addresses. A read of a line that
// DRAM is reading already is merged with that read (merged_requests.h).
//
// A store allocates its line without reading the rest of it: a sector that it does not write as a whole is read when a
// read needs it, and written to DRAM with a mask.
//
// Left out: the bandwidth of a cache.
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
      : write_back_(machine.l2.write_policy == WritePolicy::write_back) {
    misses_.reserve(256);
    for (size_t kind = 0; kind < kReadKinds; ++kind) {
      const CacheConfig config = cache_of(machine, static_cast<ReadKind>(kind), CachePlace::Partition);
      caches_[kind] =
          CacheTags(config, static_cast<ReadKind>(kind) == ReadKind::Data ? machine.l2.sector_bytes : ~uint32_t{0});
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

  /// A part of the partition's memory.
  struct Span {
    Addr begin = 0, end = 0;
    bool empty() const { return begin == end; }
  };
  /// What the cache lacks of [offset, offset + bytes), in whole sectors, from the first to the last; `ready`: from when
  /// on it has the others.
  Span missing(ReadKind kind, Addr offset, uint32_t bytes, Cycle& ready) {
    CacheTags& cache = of(kind);
    Span out;
    for_each_part(cache, offset, bytes, [&](Addr begin, Addr end) {
      uint32_t lacks = cache.sectors(begin, end);
      if (const CacheTags::Line* found = cache.find(begin)) {
        lacks &= ~static_cast<uint32_t>(found->valid);
        ready = std::max<Cycle>(ready, found->ready);
      }
      if (lacks == 0) return;
      const Addr line = cache.line_of(begin);
      if (out.empty()) out.begin = line + Addr{cache.sector_bytes()} * std::countr_zero(lacks);
      out.end = line + Addr{cache.sector_bytes()} * std::bit_width(lacks);
    });
    count_lookup(statistics_[slot(kind)], out.empty());
    return out;
  }
  /// Whole sectors have come from DRAM. Calls gone(offset, bytes) for what is evicted and must be written there.
  template <class Gone>
  void fill(ReadKind kind, Addr offset, uint32_t bytes, Cycle ready, Gone&& gone) {
    CacheTags& cache = of(kind);
    for_each_part(cache, offset, bytes, [&](Addr begin, Addr end) {
      CacheTags::Line& line = allocate(cache, begin, ready, gone);
      line.valid |= cache.sectors(begin, end);
      line.ready = std::max<Cycle>(line.ready, ready);
    });
  }
  /// A store. `whole`: by granule of the aligned 128 bytes around it: all bytes are written.
  template <class Gone>
  void write(ReadKind kind, Addr offset, uint32_t bytes, uint32_t whole, Cycle ready, Gone&& gone) {
    CacheTags& cache = of(kind);
    for_each_part(cache, offset, bytes, [&](Addr begin, Addr end) {
      CacheTags::Line& line = allocate(cache, begin, ready, gone);
      for (uint32_t rest = cache.sectors(begin, end); rest != 0; rest &= rest - 1) {
        const uint32_t sector = static_cast<uint32_t>(std::countr_zero(rest));
        const uint32_t granules = cache.sector_bytes() / PartitionRequest::kGranule;
        const Addr at = cache.line_of(begin) + Addr{sector} * cache.sector_bytes();
        const uint32_t needed = ((1u << granules) - 1) << at % Arrival::kBlock / PartitionRequest::kGranule;
        line.dirty |= 1u << sector;
        if ((whole & needed) == needed) line.valid |= 1u << sector;
      }
    });
  }
  /// The L2's bytes that have not been written to DRAM are, if the next launch finds it empty; returns their number.
  uint64_t flush() {
    if (is_kept_) return 0;
    CacheTags& cache = caches_[static_cast<size_t>(ReadKind::Data)];
    uint64_t sectors = 0;
    cache.for_each_line([&](const CacheTags::Line& line) {
      sectors += static_cast<uint64_t>(std::popcount(static_cast<uint32_t>(line.dirty)));
    });
    if (sectors != 0) cache.clean();
    return sectors * cache.sector_bytes();
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

  /// f(begin, end) for the part of each line.
  template <class F>
  [[gnu::always_inline]] static void for_each_part(const CacheTags& cache, Addr offset, uint32_t bytes, const F& f) {
    const Addr end = offset + bytes;
    for (Addr begin = offset; begin < end;) {
      const Addr next = std::min(end, cache.line_of(begin) + cache.line_bytes());
      f(begin, next);
      begin = next;
    }
  }
  /// The line of an offset, perhaps without valid sectors.
  template <class Gone>
  static CacheTags::Line& allocate(CacheTags& cache, Addr offset, Cycle ready, Gone&& gone) {
    if (CacheTags::Line* found = cache.find(offset)) return *found;
    CacheTags::Line& line = cache.replace(offset);
    const CacheTags::Line old = std::exchange(line, {cache.line_of(offset), ready, 0, 0});
    for (uint32_t rest = old.dirty; rest != 0;) {
      const auto first = static_cast<uint32_t>(std::countr_zero(rest)),
                 count = static_cast<uint32_t>(std::countr_one(rest >> first));
      gone(old.address + Addr{first} * cache.sector_bytes(), count * cache.sector_bytes());
      rest &= ~(((1u << count) - 1) << first);
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
  bool write_back_, is_kept_, in_misses_;
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
