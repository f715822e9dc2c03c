// What a debugger reads of caches and partitions between two steps.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/mem/cache_tags.h"
#include "sim/model/cache_levels.h"

namespace warptime::sim {

struct CacheView {
  const CacheLevel* level = nullptr;
  uint32_t lines = 0, used = 0, dirty = 0;
  std::optional<Cycle> ready = {};  // cycle the requested line becomes available; nullopt if absent
};

struct PartitionView {
  uint64_t requests = 0;                           // from its input port to its output port
  std::vector<std::optional<uint64_t>> open_rows;  // by DRAM bank
  std::vector<CacheView> caches;
  struct Place {
    uint32_t bank = 0;
    uint64_t row = 0;
  };
  std::optional<Place> place = {};  // of the address that was asked for, if it is in this partition
};

/// `address`: in the terms of the cache, of the line that is asked for.
inline CacheView view_of(const CacheLevel& level, const MachineConfig& machine, const CacheTags& tags,
                         std::optional<Addr> address) {
  const CacheConfig& config = level.of(machine);
  CacheView out{&level, static_cast<uint32_t>(config.bytes / config.line_bytes)};
  tags.for_each_line([&](const CacheTags::Line& line) {
    ++out.used;
    out.dirty += line.dirty != 0 ? 1 : 0;
    if (address && line.address == tags.line_of(*address)) out.ready = line.ready;
  });
  return out;
}

}  // namespace warptime::sim
