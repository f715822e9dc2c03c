// Translation of addresses on their way out of a TPC, in one or two levels. The simulated address space is physical, so
// a translation is only time: a transaction whose page no level holds waits until the page tables have been walked.
//
// A page that is being fetched counts as present: later transactions to it wait for the same walk. Walks overlap, but
// start `walk_interval` cycles apart. Left out: the memory accesses of a walk, and levels that TPCs share.
#pragma once

#include "sim/mem/cache_tags.h"
#include "sim/model/machine.h"
#include "sim/model/statistics.h"

namespace warptime::sim {

class Tlb {
 public:
  explicit Tlb(const TlbConfig& config);

  /// False: addresses need no translation.
  bool exists() const { return l1_.pages.exists(); }
  /// `count` transactions to one address are ready for translation at `now`; returns when they may leave, not before
  /// `now`.
  Cycle translate(Addr address, Cycle now, uint32_t count);
  const TranslationStats& statistics() const { return statistics_; }

 private:
  struct Level {
    explicit Level(const TlbLevelConfig& config);
    /// The line of `pages` that stands for the page of an address.
    Addr page_of(Addr address) const { return (address >> page_shift) * pages.line_bytes(); }

    CacheTags pages;
    uint32_t page_shift;
    uint32_t miss_cycles;
  };
  Cycle look_up(Addr address, Cycle now, uint32_t count);
  Cycle look_up_l2(Addr address, Cycle now, uint32_t count);
  Cycle walk(Cycle now, uint32_t cycles, uint32_t count);

  Level l1_, l2_;
  uint32_t walk_interval_;
  Cycle next_walk_ = 0;  // first cycle at which another walk may start
  TranslationStats statistics_;

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    archive(l1_.pages, l2_.pages, next_walk_, statistics_);
  }
};

}  // namespace warptime::sim
