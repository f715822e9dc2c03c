#include "sim/mem/cache_tags.h"

#include <algorithm>

#include "base/assert.h"

namespace warptime::sim {

CacheTags::CacheTags(const CacheConfig& config, uint32_t sector_bytes)
    : line_shift_(static_cast<uint32_t>(std::countr_zero(config.line_bytes))),
      sector_shift_(sector_bytes >= config.line_bytes ? line_shift_
                                                      : static_cast<uint32_t>(std::countr_zero(sector_bytes))),
      ways_(config.ways),
      words_((config.ways + kMarks - 1) / kMarks) {
  if (config.bytes == 0) return;
  SIM_ASSERT(sector_shift_ <= line_shift_ && sector_shift_ + 2 >= line_shift_, "lines of {} bytes in sectors of {}",
             line_bytes(), 1u << sector_shift_);
  SIM_ASSERT(ways_ <= 256, "the number of one of {} ways in a byte", ways_);
  sets_ = Divider(std::max(1u, config.bytes / (config.line_bytes * config.ways)));
  if (std::has_single_bit(sets_.divisor())) sets_mask_ = sets_.divisor() - 1;
  of_set_.resize(sets_.divisor() * words_);
  lines_.resize(of_set_.size() * kMarks);
  for (size_t word = 0; word < of_set_.size(); ++word)
    for (uint32_t i = 0; i < kMarks; ++i) of_set_[word].order |= uint64_t{word % words_ * kMarks + i} << i * 8;
}

void CacheTags::evict(Addr address) {
  Line* line = find(address);
  if (line == nullptr) return;
  *line = Line{};
  // It is the one to go next: all others are used once more, in their order.
  Ways* const ways = &of_set_[set_of(address) * words_];
  for (uint32_t others = ways_ - 1; others != 0; --others) use(ways, next_to_go(ways));
}

void CacheTags::evict_range(Addr begin, Addr end) {
  if (!exists() || begin >= end) return;
  if ((end - line_of(begin)) / line_bytes() < lines_.size()) {
    for (Addr line = line_of(begin); line < end; line += line_bytes()) evict(line);
    return;
  }
  for (const Line& line : lines_)
    if (const Addr at = line.address; at != kNowhere && at < end && at + line_bytes() > begin) evict(at);
}

bool CacheTags::orders_have_all_ways() const {
  std::vector<size_t> named(size_t{words_} * kMarks);  // by way: the sets that have named it
  for (size_t word = 0; word < of_set_.size(); ++word)
    for (uint32_t i = 0; i < kMarks; ++i) {
      const size_t way = of_set_[word].order >> i * 8 & 0xff;
      if (way >= named.size() || named[way]++ != word / words_) return false;
    }
  return true;
}

}  // namespace warptime::sim
