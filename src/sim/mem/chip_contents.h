// What caches and DRAM rows hold between two launches: what the next launch finds there, on machines that keep
// something (chip.caches_between_launches, dram.rows_between_launches). A launch begins at cycle 0 again, so lines are
// kept with their order of use, and dirty where they are, but without times: all are there from the first cycle on.
//
// Left out: translations of addresses (memory.tlb), which each launch begins without.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/mem/cache_tags.h"
#include "sim/model/cache_levels.h"
#include "sim/model/partition_map.h"

namespace warptime::sim {

/// By bank: the row that is open; nullopt: none.
using OpenBankRows = std::vector<std::optional<uint64_t>>;

class ChipContents {
 public:
  explicit ChipContents(const MachineConfig& machine);

  /// Whether the machine keeps anything; and any cache.
  bool keeps_anything() const { return keeps_rows_ || keeps_caches(); }
  bool keeps_caches() const;
  /// Nothing is in it: a launch finds the chip as after it was switched on.
  bool empty() const { return is_empty_; }
  void clear();

  /// What SM, TPC or partition `unit` has of the cache level (an index in kCacheLevels). nullptr: nothing.
  const CacheTags* find(size_t level, uint32_t unit) const {
    if (is_empty_ || caches_[level].empty()) return nullptr;
    const CacheTags& tags = caches_[level][unit];
    return tags.exists() ? &tags : nullptr;
  }
  /// Rows of a partition's banks; empty: none is open.
  std::span<const std::optional<uint64_t>> rows(uint32_t partition) const {
    return keeps_rows_ && !is_empty_ ? std::span<const std::optional<uint64_t>>(rows_[partition])
                                     : std::span<const std::optional<uint64_t>>();
  }

  // The end of a launch: what it leaves. Nothing happens where the machine does not keep it.
  void leave(size_t level, uint32_t unit, const CacheTags& tags);
  void leave(uint32_t partition, OpenBankRows rows);

  /// Bytes that reads of this kind find have been written by others than SMs: what caches that do not see this hold of
  /// them is out of date. An L2 does see it.
  void written(ReadKind reads, Addr begin, uint64_t bytes) {
    if (!is_empty_) evict(reads, begin, begin + bytes);
  }

 private:
  void evict(ReadKind reads, Addr begin, Addr end);

  const MachineConfig* machine_;
  PartitionMap map_;
  bool is_empty_ = true, keeps_rows_;
  std::array<std::vector<CacheTags>, kCacheLevels.size()> caches_;  // by SM, TPC or partition; empty: not kept
  std::vector<OpenBankRows> rows_;                                  // by partition

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    archive(is_empty_);
    archive.expect(is_empty_ || keeps_anything());
    if (is_empty_) return;
    for (size_t level = 0; level < caches_.size(); ++level)
      for (CacheTags& tags : caches_[level]) {
        bool exists = tags.exists();
        archive(exists);
        if (Archive::kRestores)
          tags = exists ? CacheTags(kCacheLevels[level].of(*machine_),
                                    shape_of(*machine_, kCacheLevels[level].reads, kCacheLevels[level].place))
                        : CacheTags();
        if (exists) archive(tags);
      }
    for (OpenBankRows& rows : rows_) {
      archive(rows);
      archive.expect(rows.size() == (keeps_rows_ ? machine_->dram.banks : 0));
    }
  }
};

}  // namespace warptime::sim
