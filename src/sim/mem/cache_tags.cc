#include "sim/mem/cache_tags.h"

#include <algorithm>

#include "base/assert.h"
#include "base/random.h"

namespace warptime::sim {

CacheTags::CacheTags(const CacheConfig& config, const CacheShape& shape)
    : line_shift_(static_cast<uint32_t>(std::countr_zero(config.line_bytes))),
      sector_shift_(static_cast<uint32_t>(std::countr_zero(std::min(shape.sector_bytes, config.line_bytes)))),
      replacement_(shape.replacement),
      set_index_(shape.sets),
      ways_(config.ways),
      words_((config.ways + kMarks - 1) / kMarks) {
  if (config.bytes == 0) return;
  SIM_ASSERT(sector_shift_ <= line_shift_ && sector_shift_ + 2 >= line_shift_, "lines of {} bytes in sectors of {}",
             line_bytes(), 1u << sector_shift_);
  SIM_ASSERT(ways_ <= 256, "the number of one of {} ways in a byte", ways_);
  sets_ = Divider(std::max(1u, config.bytes / (config.line_bytes * config.ways)));
  if (std::has_single_bit(sets_.divisor()) && set_index_ == SetIndex::low_bits) sets_mask_ = sets_.divisor() - 1;
  of_set_.resize(sets_.divisor() * words_);
  lines_.resize(of_set_.size() * kMarks);
  for (size_t word = 0; word < of_set_.size(); ++word)
    for (uint32_t i = 0; i < kMarks; ++i) of_set_[word].order |= uint64_t{word % words_ * kMarks + i} << i * 8;
}

/// Hashed: bits of the number that the low bits lack are folded onto them by exclusive or, as far as they go: strides
/// of a power of two, which would use few sets, use all.
size_t CacheTags::other_set_of(Addr number) const {
  const uint32_t sets = static_cast<uint32_t>(sets_.divisor());
  if (set_index_ == SetIndex::low_bits || sets == 1) return sets_.remainder(number);
  const auto bits = static_cast<uint32_t>(std::bit_width(sets - 1));
  for (Addr rest = number >> bits; rest != 0; rest >>= bits) number ^= rest & ((Addr{1} << bits) - 1);
  return sets_.remainder(number);
}

uint32_t CacheTags::other_to_go(const Ways* set) {
  if (replacement_ == Replacement::random) return static_cast<uint32_t>(SplitMix64(replaced_++).below(ways_));
  // From the root of the tree, away from the half that was used last.
  uint32_t first = 0, count = std::bit_ceil(ways_);
  while (count > 1) {
    count /= 2;
    if (first + count >= ways_) continue;  // there is one half only
    for (uint32_t position = 0;; ++position) {
      const auto way = static_cast<uint32_t>(set[position / kMarks].order >> position % kMarks * 8 & 0xff);
      if (way < first || way >= first + 2 * count || way >= ways_) continue;
      if (way < first + count) first += count;
      break;
    }
  }
  return first;
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
