#include "sim/mem/cache_tags.h"

#include <algorithm>
#include <bit>

#include "base/assert.h"

namespace warptime::sim {

CacheTags::CacheTags(const CacheConfig& config)
    : line_shift_(static_cast<uint32_t>(std::countr_zero(config.line_bytes))), ways_(config.ways) {
  if (config.bytes == 0) return;
  sets_ = Divider(std::max(1u, config.bytes / (config.line_bytes * config.ways)));
  lines_.resize(sets_.divisor() * ways_);
}

CacheTags::Line* CacheTags::find(Addr address) {
  if (!exists()) return nullptr;
  Line* set = set_of(address);
  Addr line = line_of(address);
  for (uint32_t way = 0; way < ways_; ++way) {
    if (set[way].address != line) continue;
    set[way].used = ++uses_;
    return &set[way];
  }
  return nullptr;
}

CacheTags::Line CacheTags::fill(Addr address, Cycle ready, bool dirty) {
  if (!exists()) return {};
  Line* set = set_of(address);
  // Lines that hold nothing have never been used.
  Line* oldest = std::min_element(set, set + ways_, [](const Line& a, const Line& b) { return a.used < b.used; });
  Line gone = *oldest;
  *oldest = {line_of(address), ready, ++uses_, dirty};
  return gone;
}

void CacheTags::evict(Addr address) {
  if (Line* line = find(address)) *line = Line{};
}

}  // namespace warptime::sim
