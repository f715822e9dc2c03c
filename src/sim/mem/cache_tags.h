// Tags of one set-associative cache, replacing the least recently used line of a set. It holds no data: values are the
// memory's, a cache only decides when they are there. A line is usable from the cycle its data arrive.
#pragma once

#include <vector>

#include "base/clock.h"
#include "base/divider.h"
#include "sim/model/machine.h"

namespace warptime::sim {

/// Bytes of a line of the cache that is asked first: the inner one, or, where there is none, the outer; 0: neither.
inline uint32_t innermost_line(const CacheConfig& inner, const CacheConfig& outer) {
  return inner.bytes != 0 ? inner.line_bytes : outer.bytes != 0 ? outer.line_bytes : 0;
}

class CacheTags {
 public:
  struct Line {
    Addr address = kNowhere;
    Cycle ready : 63 = 0;  // its data are there
    bool dirty : 1 = false;
  };
  static_assert(sizeof(Line) == 16);

  /// A `config` of no bytes makes a cache that is not there.
  explicit CacheTags(const CacheConfig& config);

  bool exists() const { return !lines_.empty(); }
  uint32_t line_bytes() const { return 1u << line_shift_; }
  Addr line_of(Addr address) const { return address >> line_shift_ << line_shift_; }

  /// The line that holds `address`, now the most recently used of its set; nullptr: a miss.
  Line* find(Addr address);
  /// Puts in the line of `address`, which must not be there; returns the line that had to go (kNowhere: none).
  Line fill(Addr address, Cycle ready, bool dirty = false);
  /// Throws the line out, if it is there.
  void evict(Addr address);

  static constexpr Addr kNowhere = ~Addr{0};

 private:
  /// What is to be known of eight ways of a set, a byte each: which of them may hold a line is seen at once. All words
  /// of a set lie side by side, so a look-up meets two lines of the host's cache: this one, and that of the line it
  /// finds.
  struct Ways {
    uint64_t marks = 0;  // by way: a byte of its line's address
    uint64_t order = 0;  // all ways of the set, the one used last first
  };

  size_t set_of(Addr address) const { return sets_.remainder(address >> line_shift_); }
  void use(Ways* set, uint32_t way);
  /// The way that was used longest ago, or holds nothing.
  uint32_t next_to_go(const Ways* set) const;

  uint32_t line_shift_ = 0;
  Divider sets_;
  uint32_t ways_ = 1;
  uint32_t words_ = 1;        // for a set
  std::vector<Line> lines_;   // [set][way]
  std::vector<Ways> of_set_;  // [set][word of eight ways]
};

}  // namespace warptime::sim
