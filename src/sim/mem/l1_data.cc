// The L1 data cache of an SM: lines in sectors, MSHRs, stores.
#include <algorithm>
#include <bit>

#include "sim/mem/tpc_caches.h"

namespace warptime::sim {

Cycle TpcCaches::read_data(uint32_t sm_in_tpc, Addr address, uint32_t granules, uint32_t waiter, Cycle now,
                           uint32_t launch) {
  Levels& levels = of(ReadKind::Data);
  CacheTags& cache = levels.sms[sm_in_tpc];
  CacheTags::Line* const line = cache.find(address);
  const uint32_t lacks = lacking(cache, line, granules);
  Cycle ready = kNever;
  share_data(launch, [&] {
    DataCacheStats& statistics = levels.statistics;
    count_lookup(statistics, lacks == 0);
    statistics.read_bytes +=
        granules == 0 ? cache.line_bytes() : static_cast<uint32_t>(std::popcount(granules)) * kGranule;
    if (lacks == 0) {
      found_in_ = CachePlace::Sm;
      ready = std::max<Cycle>(now, line->ready) + levels.sm_latency;
      return;
    }
    statistics.sector_misses += line != nullptr && (line->valid | line->dirty) != 0 ? 1 : 0;
    policies_[sm_in_tpc].missed(cache.line_of(address));
    found_in_ = CachePlace::Partition;
    fetch_data(sm_in_tpc, line, address, lacks, waiter, now, launch);
  });
  return ready;
}

uint32_t TpcCaches::lacking(const CacheTags& cache, const CacheTags::Line* line, uint32_t granules) const {
  const uint32_t all = (1u << cache.line_bytes() / kGranule) - 1;
  uint32_t needed = granules == 0 ? all : granules;
  if (line != nullptr) needed &= ~cache.granules_of(static_cast<uint32_t>(line->valid));
  if (needed == 0) return 0;
  const uint32_t together = (1u << l1_fetch_granules_) - 1;
  uint32_t out = 0;
  for (uint32_t unit = together; (unit & all) != 0; unit <<= l1_fetch_granules_)
    if ((needed & unit) != 0) out |= unit;
  return out;
}

void TpcCaches::fetch_data(uint32_t sm_in_tpc, CacheTags::Line* line, Addr address, uint32_t granules, uint32_t waiter,
                           Cycle now, uint32_t launch) {
  Levels& levels = of(ReadKind::Data);
  const Addr at = levels.sms[sm_in_tpc].line_of(address);
  const uint32_t found = find_mshr(ReadKind::Data, sm_in_tpc, at, granules);
  const uint32_t node = waiters_.take();
  waiters_[node] = {sm_in_tpc, waiter, address, kNone};
  if (found != kNone) {
    ++levels.statistics.mshr_merges;
    return wait_for(mshrs_[found], node);
  }
  if (reserves_at_miss_ && line == nullptr) allocate_data(sm_in_tpc, at, now, launch);
  const auto first = static_cast<uint32_t>(std::countr_zero(granules));
  const uint32_t from_first = granules >> first;
  Request request;
  request.cycle = now;
  request.address = request.word = at + Addr{first} * kGranule;
  request.tag = take_mshr({ReadKind::Data, at, granules, sm_in_tpc, node, node, 1, launch});
  request.bytes = static_cast<uint16_t>(static_cast<uint32_t>(std::popcount(granules)) * kGranule);
  request.granules = static_cast<uint8_t>((from_first & (from_first + 1)) == 0 ? 0 : from_first);
  request.sm = static_cast<uint16_t>(first_sm_ + sm_in_tpc);
  request.launch = launch;
  request.kind = ReadKind::Data;
  levels.statistics.fetched_bytes += request.bytes;
  memory_->send(sm_in_tpc, request);
}

bool TpcCaches::find_room(uint32_t sm_in_tpc, Addr address, uint32_t granules) {
  Levels& levels = of(ReadKind::Data);
  CacheTags& cache = levels.sms[sm_in_tpc];
  const uint32_t lacks = lacking(cache, cache.find(address), granules);
  if (lacks == 0) return true;
  const uint32_t mshr = find_mshr(ReadKind::Data, sm_in_tpc, cache.line_of(address), lacks);
  return mshr == kNone ? levels.pending[sm_in_tpc] < l1_mshrs_ : mshrs_[mshr].reads < l1_mshr_reads_;
}

/// What an MSHR waited for is there at `ready`, and goes into the cache if its policy keeps the line.
void TpcCaches::arrived_data(const Mshr& mshr, Cycle ready) {
  share_data(mshr.launch, [&] {
    CacheTags& cache = of(ReadKind::Data).sms[mshr.sm];
    CacheTags::Line* line = cache.find(mshr.line);
    if (line == nullptr) {
      if (!policies_[mshr.sm].keeps(mshr.line)) return;
      line = &allocate_data(mshr.sm, mshr.line, ready, mshr.launch);
    }
    line->valid |= cache.sectors_of(mshr.granules);
    line->ready = std::max<Cycle>(line->ready, ready);
  });
}

CacheTags::Line& TpcCaches::allocate_data(uint32_t sm_in_tpc, Addr address, Cycle now, uint32_t launch) {
  Levels& levels = of(ReadKind::Data);
  CacheTags& cache = levels.sms[sm_in_tpc];
  if (CacheTags::Line* found = cache.find(address)) return *found;
  CacheTags::Line& line = cache.replace(address);
  const CacheTags::Line old = std::exchange(line, {cache.line_of(address), now, 0, 0});
  if (old.address != CacheTags::kNowhere) ++levels.statistics.evictions;
  if (old.dirty != 0) {
    ++levels.statistics.write_backs;
    levels.statistics.written_back_bytes +=
        static_cast<uint32_t>(std::popcount(static_cast<uint32_t>(old.dirty))) * kStoredSector;
    evicted_.push_back({old.address, static_cast<uint32_t>(old.dirty), launch});
  }
  return line;
}

void TpcCaches::store_local(uint32_t sm_in_tpc, const Stored& stored, uint32_t launch, Cycle now) {
  share_data(launch, [&] {
    Levels& levels = of(ReadKind::Data);
    CacheTags& cache = levels.sms[sm_in_tpc];
    levels.statistics.write_bytes += static_cast<uint32_t>(std::popcount(stored.granules)) * kGranule;
    cache.for_each_part(stored.granules, [&](uint32_t first, uint32_t part) {
      CacheTags::Line& line = allocate_data(sm_in_tpc, stored.block + Addr{first} * kGranule, now, launch);
      line.dirty |= cache.sectors_of(part);
      line.valid |= cache.sectors_of(part & stored.whole >> first);
    });
  });
}

/// A sector of which only some bytes are stored is valid if it was before: the L1 merges the bytes.
void TpcCaches::store_through(uint32_t sm_in_tpc, const Stored& stored, uint32_t launch, Cycle now) {
  share_data(launch, [&] {
    Levels& levels = of(ReadKind::Data);
    CacheTags& cache = levels.sms[sm_in_tpc];
    cache.for_each_part(stored.granules, [&](uint32_t first, uint32_t part) {
      const Addr address = stored.block + Addr{first} * kGranule;
      CacheTags::Line* line = cache.find(address);
      if (line == nullptr && !allocates_stores_) return;
      levels.statistics.write_bytes += static_cast<uint32_t>(std::popcount(part)) * kGranule;
      if (line == nullptr) line = &allocate_data(sm_in_tpc, address, now, launch);
      line->valid |= cache.sectors_of(part & stored.whole >> first);
    });
  });
}

}  // namespace warptime::sim
