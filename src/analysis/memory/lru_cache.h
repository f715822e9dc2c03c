// The tags of a set-associative cache with LRU replacement, without time.
#pragma once

#include <algorithm>
#include <vector>

#include "base/clock.h"
#include "sim/model/machine.h"

namespace warptime::analysis {

class LruCache {
 public:
  explicit LruCache(const sim::CacheConfig& config)
      : line_bytes_(std::max(1u, config.line_bytes)), ways_(std::max(1u, config.ways)) {
    if (config.bytes != 0) sets_.resize(std::max<size_t>(1, config.bytes / line_bytes_ / ways_));
  }

  bool exists() const { return !sets_.empty(); }
  Addr line_bytes() const { return line_bytes_; }
  Addr line_of(Addr address) const { return address / line_bytes_ * line_bytes_; }

  /// Whether the cache has the line of `address`, which becomes the most recently used of its set.
  bool find(Addr address) {
    if (!exists()) return false;
    std::vector<Line>& set = set_of(address);
    auto found = at(set, address);
    if (found == set.end()) return false;
    std::rotate(set.begin(), found, found + 1);
    return true;
  }
  /// Allocates the line, or marks the one that is there; returns whether a dirty line was evicted, and `evicted` which.
  bool fill(Addr address, bool dirty, Addr& evicted) {
    if (!exists()) return false;
    if (find(address)) {
      set_of(address).front().dirty |= dirty;
      return false;
    }
    std::vector<Line>& set = set_of(address);
    const bool full = set.size() == ways_, writes = full && set.back().dirty;
    if (writes) evicted = set.back().address;
    if (full) set.pop_back();
    set.insert(set.begin(), {line_of(address), dirty});
    return writes;
  }
  void evict(Addr address) {
    if (!exists()) return;
    std::vector<Line>& set = set_of(address);
    if (auto found = at(set, address); found != set.end()) set.erase(found);
  }

 private:
  struct Line {
    Addr address;
    bool dirty;
  };
  using Set = std::vector<Line>;  // the most recently used first

  Set& set_of(Addr address) { return sets_[address / line_bytes_ % sets_.size()]; }
  Set::iterator at(Set& set, Addr address) const {
    return std::find_if(set.begin(), set.end(), [line = line_of(address)](const Line& l) { return l.address == line; });
  }

  Addr line_bytes_;
  uint32_t ways_;
  std::vector<Set> sets_;
};

}  // namespace warptime::analysis
