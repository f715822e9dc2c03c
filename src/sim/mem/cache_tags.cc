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
  sets_ = Divider(std::max(1u, config.bytes / (config.line_bytes * config.ways)));
  lines_.resize(sets_.divisor() * ways_);
  used_.resize(lines_.size());
  marks_.resize(sets_.divisor() * words_);
}

CacheTags::Line* CacheTags::find(Addr address) {
  if (!exists()) return nullptr;
  const size_t set = set_of(address);
  const Addr line = line_of(address);
  const uint64_t wanted = kEachByte * mark_of(line);
  for (uint32_t word = 0; word < words_; ++word) {
    for (uint64_t found = zero_bytes(marks_[set * words_ + word] ^ wanted); found != 0; found &= found - 1) {
      uint32_t way = word * kMarks + static_cast<uint32_t>(std::countr_zero(found)) / 8;
      if (way >= ways_) break;
      size_t at = set * ways_ + way;
      if (lines_[at].address != line) continue;
      used_[at] = ++uses_;
      return &lines_[at];
    }
  }
  return nullptr;
}

CacheTags::Line CacheTags::fill(Addr address, Cycle ready, bool dirty) {
  if (!exists()) return {};
  const size_t set = set_of(address);
  auto first = used_.begin() + static_cast<std::ptrdiff_t>(set * ways_);
  auto oldest = std::min_element(first, first + ways_);
  const auto way = static_cast<uint32_t>(oldest - first), in_word = way % kMarks * 8;
  *oldest = ++uses_;
  uint64_t& marks = marks_[set * words_ + way / kMarks];
  marks = (marks & ~(uint64_t{0xff} << in_word)) | uint64_t{mark_of(line_of(address))} << in_word;
  return std::exchange(lines_[set * ways_ + way], {line_of(address), ready, dirty});
}

void CacheTags::evict(Addr address) {
  Line* line = find(address);
  if (line == nullptr) return;
  used_[static_cast<size_t>(line - lines_.data())] = 0;
  *line = Line{};
}

}  // namespace warptime::sim
