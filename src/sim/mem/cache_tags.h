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
    Cycle ready = 0;  // its data are there
    bool dirty = false;
  };

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
  size_t set_of(Addr address) const { return sets_.remainder(address >> line_shift_); }

  uint32_t line_shift_ = 0;
  Divider sets_;
  uint32_t ways_ = 1;
  uint64_t uses_ = 0;
  std::vector<Line> lines_;     // [set][way]
  std::vector<uint64_t> used_;  // [set][way]: order of the last use; 0: the way holds nothing
  // A byte of each line's address: which ways of a set may hold a line is seen eight at a time.
  uint32_t words_ = 1;           // for a set
  std::vector<uint64_t> marks_;  // [set][word of eight ways]
};

}  // namespace warptime::sim
