#include "sim/mem/cache_tags.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/assert.h"

namespace warptime::sim {

namespace {

constexpr uint64_t kEachByte = 0x0101010101010101;
constexpr uint32_t kMarks = 8;  // in a word

/// A byte that lines of one set rarely share.
uint8_t mark_of(Addr line) { return static_cast<uint8_t>(line * 0x9e3779b97f4a7c15 >> 56); }

/// The top bit of each byte that is zero; perhaps of others above one that is.
uint64_t zero_bytes(uint64_t word) { return (word - kEachByte) & ~word & (kEachByte << 7); }

}  // namespace

CacheTags::CacheTags(const CacheConfig& config)
    : line_shift_(static_cast<uint32_t>(std::countr_zero(config.line_bytes))),
      ways_(config.ways),
      words_((config.ways + kMarks - 1) / kMarks) {
  if (config.bytes == 0) return;
  SIM_ASSERT(ways_ <= 256, "the number of one of {} ways in a byte", ways_);
  sets_ = Divider(std::max(1u, config.bytes / (config.line_bytes * config.ways)));
  lines_.resize(sets_.divisor() * ways_);
  of_set_.resize(sets_.divisor() * words_);
  for (size_t word = 0; word < of_set_.size(); ++word)
    for (uint32_t i = 0; i < kMarks; ++i) of_set_[word].order |= uint64_t{word % words_ * kMarks + i} << i * 8;
}

CacheTags::Line* CacheTags::find(Addr address) {
  if (!exists()) return nullptr;
  const size_t set = set_of(address);
  const Addr line = line_of(address);
  const uint64_t wanted = kEachByte * mark_of(line);
  Ways* const ways = &of_set_[set * words_];
  for (uint32_t word = 0; word < words_; ++word) {
    for (uint64_t found = zero_bytes(ways[word].marks ^ wanted); found != 0; found &= found - 1) {
      uint32_t way = word * kMarks + static_cast<uint32_t>(std::countr_zero(found)) / 8;
      if (way >= ways_) break;
      Line& in_way = lines_[set * ways_ + way];
      if (in_way.address != line) continue;
      use(ways, way);
      return &in_way;
    }
  }
  return nullptr;
}

/// The way moves to the front of its set's order; those before it move back by a place.
inline void CacheTags::use(Ways* set, uint32_t way) {
  const uint64_t wanted = kEachByte * way;
  uint64_t in_front = way;
  for (;; ++set) {
    const uint64_t order = set->order, found = zero_bytes(order ^ wanted);
    if (found == 0) {
      set->order = order << 8 | in_front;
      in_front = order >> 56;
      continue;
    }
    const uint64_t before = ((found & -found) >> 7) - 1;  // bits of the places before its own
    set->order = (order & ~(before << 8 | 0xff)) | (order & before) << 8 | in_front;
    return;
  }
}

inline uint32_t CacheTags::next_to_go(const Ways* set) const {
  const uint32_t last = ways_ - 1;
  return static_cast<uint32_t>(set[last / kMarks].order >> last % kMarks * 8 & 0xff);
}

CacheTags::Line CacheTags::fill(Addr address, Cycle ready, bool dirty) {
  if (!exists()) return {};
  const size_t set = set_of(address);
  Ways* const ways = &of_set_[set * words_];
  const uint32_t way = next_to_go(ways);
  use(ways, way);
  uint64_t& marks = ways[way / kMarks].marks;
  const uint32_t in_word = way % kMarks * 8;
  marks = (marks & ~(uint64_t{0xff} << in_word)) | uint64_t{mark_of(line_of(address))} << in_word;
  return std::exchange(lines_[set * ways_ + way], {line_of(address), ready, dirty});
}

void CacheTags::evict(Addr address) {
  Line* line = find(address);
  if (line == nullptr) return;
  *line = Line{};
  // It is the one to go next: all others are used once more, in their order.
  Ways* const ways = &of_set_[set_of(address) * words_];
  for (uint32_t others = ways_ - 1; others != 0; --others) use(ways, next_to_go(ways));
}

}  // namespace warptime::sim
