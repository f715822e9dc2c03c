#include "sim/mem/tlb.h"

#include <algorithm>
#include <bit>

namespace warptime::sim {

namespace {

constexpr uint32_t kLine = 32;  // bytes; the shortest line of CacheTags

}  // namespace

Tlb::Level::Level(const TlbLevelConfig& config)
    : pages(CacheConfig{config.entries * kLine, kLine, config.ways, 0}),
      page_shift(static_cast<uint32_t>(std::countr_zero(config.page_bytes))),
      miss_cycles(config.miss_cycles) {}

Tlb::Tlb(const TlbConfig& config) : l1_(config.l1), l2_(config.l2), walk_interval_(config.walk_interval) {}

Cycle Tlb::translate(Addr address, Cycle now, uint32_t count) {
  const Cycle ready = look_up(address, now, count);
  statistics_.lookups += count;
  statistics_.waiting += (ready - now) * count;
  return ready;
}

Cycle Tlb::look_up(Addr address, Cycle now, uint32_t count) {
  const Addr page = l1_.page_of(address);
  if (const CacheTags::Line* line = l1_.pages.find(page)) {
    statistics_.l1_hits += count;
    return std::max<Cycle>(now, line->ready);
  }
  const Cycle ready =
      l2_.pages.exists() ? look_up_l2(address, now + l1_.miss_cycles, count) : walk(now, l1_.miss_cycles, count);
  l1_.pages.fill(page, ready);
  return ready;
}

Cycle Tlb::look_up_l2(Addr address, Cycle now, uint32_t count) {
  const Addr page = l2_.page_of(address);
  if (const CacheTags::Line* line = l2_.pages.find(page)) {
    statistics_.l2_hits += count;
    return std::max<Cycle>(now, line->ready);
  }
  const Cycle ready = walk(now, l2_.miss_cycles, count);
  l2_.pages.fill(page, ready);
  return ready;
}

Cycle Tlb::walk(Cycle now, uint32_t cycles, uint32_t count) {
  statistics_.walks += count;
  const Cycle start = std::max(now, next_walk_);
  next_walk_ = start + walk_interval_;
  return start + cycles;
}

}  // namespace warptime::sim
