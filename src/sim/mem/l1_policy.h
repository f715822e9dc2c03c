// The policy of one SM's L1 data cache: it sees the lines that reads miss, and says which of them are kept when they
// arrive. A choice of `l1.allocate` is a word there (machine.h) and its cases in these functions.
//
// `reused`: a history of lines, direct mapped, remembers those that were missed; a line is kept when it is missed again
// while the history has it. What is read once then evicts nothing (the reuse cache of Albericio et al., MICRO-46, 2013,
// for a last-level cache; here the history has no data and no state besides). Lines that are not kept serve the reads
// that wait for them.
#pragma once

#include <vector>

#include "base/clock.h"
#include "sim/model/machine.h"

namespace warptime::sim {

class L1Policy {
 public:
  explicit L1Policy(const L1Config& l1)
      : allocation_(l1.cache.bytes == 0 ? LineAllocation::every_miss : l1.allocate),
        line_bytes_(l1.cache.line_bytes),
        history_(allocation_ == LineAllocation::reused ? l1.history : 0) {}

  /// A read did not find this line; reads of a line on its way are misses as well.
  void missed(Addr line) {
    if (allocation_ != LineAllocation::reused) return;
    Seen& seen = history_[place_of(line)];
    seen = {line, seen.line == line};
  }
  /// Whether the line, which has arrived, goes into the cache.
  bool keeps(Addr line) const {
    if (allocation_ != LineAllocation::reused) return true;
    const Seen& seen = history_[place_of(line)];
    return seen.line == line && seen.again;
  }

 private:
  struct Seen {
    Addr line = ~Addr{0};
    bool again = false;  // missed more than once

    template <class Archive>
    void serialize(Archive& archive) {
      archive(line, again);
    }
  };
  size_t place_of(Addr line) const { return line / line_bytes_ % history_.size(); }

  LineAllocation allocation_;
  uint32_t line_bytes_;
  std::vector<Seen> history_;

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    archive.table(history_);
  }
};

}  // namespace warptime::sim
