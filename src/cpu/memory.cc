#include "cpu/memory.h"

#include <algorithm>
#include <cmath>

namespace warptime::cpu {

namespace {

sim::CacheTags tags(const CpuCacheConfig& cache, uint32_t line_bytes) {
  return sim::CacheTags({.bytes = cache.bytes, .line_bytes = line_bytes, .ways = cache.ways, .latency = 0});
}

}  // namespace

CpuMemory::CpuMemory(const CpuConfig& config, uint32_t lines)
    : line_bytes_(config.memory.line_bytes),
      prefetch_(config.memory.prefetch),
      latency_(static_cast<Cycle>(std::lround(config.memory.latency_ns * config.clock_mhz / 1e3)) * lines),
      line_cycles_(static_cast<Cycle>(
          std::lround(lines * config.memory.line_bytes * config.clock_mhz / (config.memory.gb_s * 1e3)))),
      l2_latency_(config.memory.l2_latency * lines),
      l2_line_cycles_(config.memory.l2_line_cycles * lines),
      l1_(tags(config.memory.l1, config.memory.line_bytes)),
      l2_(tags(config.memory.l2, config.memory.line_bytes)),
      outstanding_(config.memory.outstanding) {}

Cycle CpuMemory::access(uint64_t address, Cycle start, bool is_store) {
  ++stats_.accesses;
  if (sim::CacheTags::Line* line = l1_.find(address)) {
    line->dirty |= is_store;
    return std::max(start, line->ready);
  }
  ++stats_.l1_misses;
  Cycle there = 0;
  bool dirty = is_store;
  if (sim::CacheTags::Line* line = l2_.find(address)) {
    Cycle begin = std::max({start, Cycle{line->ready}, l2_free_});
    l2_free_ = begin + l2_line_cycles_;
    there = begin + l2_latency_;
    dirty |= line->dirty;
    l2_.evict(address);
  } else {
    ++stats_.l2_misses;
    there = fetch(start);
  }
  sim::CacheTags::Line gone = l1_.fill(address, there, dirty);
  if (gone.address != sim::CacheTags::kNowhere) put(gone.address, gone.ready, gone.dirty, start);
  fetch_ahead(l1_.line_of(address), start);
  return there;
}

Cycle CpuMemory::fetch(Cycle start) {
  Cycle& place = outstanding_[oldest_];
  oldest_ = (oldest_ + 1) % outstanding_.size();
  Cycle begin = std::max({start, place, bus_free_});
  bus_free_ = begin + line_cycles_;
  return arrived_ = place = begin + latency_;
}

void CpuMemory::fetch_ahead(uint64_t line, Cycle start) {
  auto cached = [&](uint64_t address) { return l1_.find(address) != nullptr || l2_.find(address) != nullptr; };
  if (prefetch_ == 0 || !cached(line - line_bytes_)) return;
  for (uint64_t next = line + line_bytes_; next <= line + prefetch_ * line_bytes_; next += line_bytes_) {
    if (cached(next)) continue;
    ++stats_.prefetched;
    put(next, fetch(start), false, start);
  }
}

void CpuMemory::put(uint64_t line, Cycle ready, bool dirty, Cycle start) {
  if (!l2_.fill(line, ready, dirty).dirty) return;
  ++stats_.written_back;
  bus_free_ = std::max(bus_free_, start) + line_cycles_;
}

}  // namespace warptime::cpu
