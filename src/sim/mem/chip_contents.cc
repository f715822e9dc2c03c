#include "sim/mem/chip_contents.h"

#include <algorithm>
#include <utility>

namespace warptime::sim {

namespace {

uint32_t units(const MachineConfig& machine, CachePlace place) {
  switch (place) {
    case CachePlace::Sm: return sm_count(machine);
    case CachePlace::Tpc: return machine.chip.tpcs;
    case CachePlace::Partition: return machine.memory.partitions;
  }
  return 0;
}

}  // namespace

ChipContents::ChipContents(const MachineConfig& machine)
    : machine_(&machine), map_(machine.memory), keeps_rows_(machine.dram.rows_between_launches == OpenRows::keep) {
  for (size_t level = 0; level < caches_.size(); ++level)
    if (kCacheLevels[level].is_kept(machine)) caches_[level].resize(units(machine, kCacheLevels[level].place));
  rows_.resize(machine.memory.partitions);
  clear();
}

bool ChipContents::keeps_caches() const {
  return std::any_of(caches_.begin(), caches_.end(), [](const auto& caches) { return !caches.empty(); });
}

void ChipContents::clear() {
  is_empty_ = true;
  for (std::vector<CacheTags>& caches : caches_) std::fill(caches.begin(), caches.end(), CacheTags());
  for (OpenBankRows& rows : rows_) rows.assign(keeps_rows_ ? machine_->dram.banks : 0, std::nullopt);
}

void ChipContents::leave(size_t level, uint32_t unit, const CacheTags& tags) {
  if (caches_[level].empty()) return;
  is_empty_ = false;
  caches_[level][unit] = tags;
  caches_[level][unit].settle();
  if (kCacheLevels[level].place == CachePlace::Sm) caches_[level][unit].clean();  // local memory ends with its launch
}

void ChipContents::leave(uint32_t partition, OpenBankRows rows) {
  if (!keeps_rows_) return;
  is_empty_ = false;
  rows_[partition] = std::move(rows);
}

void ChipContents::evict(ReadKind reads, Addr begin, Addr end) {
  for (size_t level = 0; level < caches_.size(); ++level) {
    const CacheLevel& row = kCacheLevels[level];
    if (row.reads != reads || caches_[level].empty()) continue;
    if (row.side() == CacheSide::InTpc) {
      for (CacheTags& tags : caches_[level]) tags.evict_range(begin, end);
      continue;
    }
    if (reads == ReadKind::Data) continue;  // the L2, through which copies go
    const Addr block = machine_->memory.interleave_bytes;
    for (Addr at = begin; at < end;) {
      const Addr next = std::min(end, (at / block + 1) * block);
      const PartitionAddress place = map_.locate(at);
      caches_[level][place.partition].evict_range(place.offset, place.offset + (next - at));
      at = next;
    }
  }
}

}  // namespace warptime::sim
