// Tags of one set-associative cache, replacing the least recently used line of a set. It holds no data: values are the
// memory's, a cache only decides when they are there. A line is usable from the cycle its data arrive.
#pragma once

#include <bit>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/divider.h"
#include "sim/model/machine.h"

namespace warptime::sim {

class CacheTags {
 public:
  struct Line {
    Addr address = kNowhere;
    Cycle ready : 63 = 0;  // its data are there
    bool dirty : 1 = false;
  };
  static_assert(sizeof(Line) == 16);

  /// One that is not there, as a `config` of no bytes makes.
  CacheTags() : CacheTags(CacheConfig{}) {}
  explicit CacheTags(const CacheConfig& config);

  bool exists() const { return !lines_.empty(); }
  uint32_t line_bytes() const { return 1u << line_shift_; }
  Addr line_of(Addr address) const { return address >> line_shift_ << line_shift_; }

  /// The line that holds `address`, now the most recently used of its set; nullptr: a miss.
  Line* find(Addr address) {
    if (!exists()) return nullptr;
    const size_t set = set_of(address);
    const Addr line = line_of(address);
    const uint64_t mark = kEachByte * mark_of(line);
    Ways* const ways = &of_set_[set * words_];
    Line* const lines = &lines_[set * words_ * kMarks];
    for (uint32_t word = 0; word < words_; ++word) {
      for (uint64_t found = zero_bytes(ways[word].marks ^ mark); found != 0; found &= found - 1) {
        const uint32_t way = word * kMarks + static_cast<uint32_t>(std::countr_zero(found)) / 8;
        if (lines[way].address != line) continue;
        use(ways, way);
        return &lines[way];
      }
    }
    return nullptr;
  }
  /// Puts in the line of `address`, which must not be there; returns the line that had to go (kNowhere: none).
  /// The host has long forgotten that line: inline, so that it is not read for callers that do not use it.
  Line fill(Addr address, Cycle ready, bool dirty = false) {
    if (!exists()) return {};
    const size_t set = set_of(address);
    Ways* const ways = &of_set_[set * words_];
    const uint32_t way = next_to_go(ways);
    use(ways, way);
    uint64_t& marks = ways[way / kMarks].marks;
    const uint32_t in_word = way % kMarks * 8;
    marks = (marks & ~(uint64_t{0xff} << in_word)) | uint64_t{mark_of(line_of(address))} << in_word;
    return std::exchange(lines_[set * words_ * kMarks + way], {line_of(address), ready, dirty});
  }
  /// Throws the line out, if it is there.
  void evict(Addr address);

  static constexpr Addr kNowhere = ~Addr{0};

 private:
  static constexpr uint64_t kEachByte = 0x0101010101010101;
  static constexpr uint32_t kMarks = 8;  // in a word

  /// What a lookup reads of eight ways of a set, a byte each: which of them may hold a line is seen at once. All words
  /// of a set lie side by side, so a lookup reads two lines of the host's cache: this one, and that of the line it
  /// finds.
  struct Ways {
    uint64_t marks = 0;  // by way: a byte of its line's address
    uint64_t order = 0;  // all ways of the set, the one used last first
  };

  /// A byte that lines of one set rarely share.
  static uint8_t mark_of(Addr line) { return static_cast<uint8_t>(line * 0x9e3779b97f4a7c15 >> 56); }
  /// The top bit of each byte that is zero; perhaps of others above one that is.
  static uint64_t zero_bytes(uint64_t word) { return (word - kEachByte) & ~word & (kEachByte << 7); }

  size_t set_of(Addr address) const {
    const Addr number = address >> line_shift_;
    return sets_mask_ + 1 == sets_.divisor() ? number & sets_mask_ : sets_.remainder(number);
  }
  /// The way moves to the front of its set's order; those before it move back by a place.
  static void use(Ways* set, uint32_t way) {
    const uint64_t number = kEachByte * way;
    uint64_t in_front = way;
    for (;; ++set) {
      const uint64_t order = set->order, found = zero_bytes(order ^ number);
      if (found != 0) [[likely]] {
        const uint64_t before = ((found & -found) >> 7) - 1;  // bits of the places before its own
        set->order = (order & ~(before << 8 | 0xff)) | (order & before) << 8 | in_front;
        return;
      }
      set->order = order << 8 | in_front;
      in_front = order >> 56;
    }
  }
  /// The way that was used longest ago, or holds nothing.
  uint32_t next_to_go(const Ways* set) const {
    const uint32_t last = ways_ - 1;
    return static_cast<uint32_t>(set[last / kMarks].order >> last % kMarks * 8 & 0xff);
  }

  uint32_t line_shift_ = 0;
  Divider sets_;
  Addr sets_mask_ = 0;  // their number less one, if it is a power of two
  uint32_t ways_ = 1;
  uint32_t words_ = 1;        // for a set
  std::vector<Line> lines_;   // [set][way]; as many ways as fill the words
  std::vector<Ways> of_set_;  // [set][word]
};

}  // namespace warptime::sim
