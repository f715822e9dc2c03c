// The levels of the memory hierarchy whose hits are estimated.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace warptime::analysis {

/// From the SM outwards. The caches are those of the same name in the statistics (sim/model/cache_levels.h); a hit of
/// DramRows is a column access to the row that is already open.
enum class MemoryLevel : uint8_t { Constant, Texture, L1, L2, DramRows };
inline constexpr size_t kMemoryLevels = 5;
inline constexpr std::array<std::string_view, kMemoryLevels> kMemoryLevelNames{"constant", "texture", "l1", "l2",
                                                                               "dram_rows"};

struct HitCount {
  uint64_t accesses = 0, hits = 0;
  void add(bool hit) {
    ++accesses;
    hits += hit ? 1 : 0;
  }
  double ratio() const { return accesses == 0 ? 0 : static_cast<double>(hits) / static_cast<double>(accesses); }
};
using HitCounts = std::array<HitCount, kMemoryLevels>;

}  // namespace warptime::analysis
