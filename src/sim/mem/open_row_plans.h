// Planned reads of open rows: a fast path of a partition and its DRAM.
//
// While a DRAM's queue has only reads of open rows, the cycles of the next such read's column accesses are known when
// it arrives: later requests are younger and not ready earlier, so they follow it; only row commands may issue between
// the column accesses. Such a read is planned: it bypasses the scheduler, and its answer goes directly to the output
// port. A planned read is not in the scheduler's data structures, but occupies an entry of the modelled queue until its
// last column access.
//
// Where writes are drained in batches, reads are also planned behind a change of the direction: a write that comes
// later waits, since a batch begins only behind the reads of open rows that are older than all writes (dram_later.cc).
//
// It saves 36 % of the host's instructions in matmul:naive (3866 instead of 6048 per warp instruction), 4 % in saxpy.
//
// Plain path: Dram::admit and Dram::issue, one command after the other. Cycles and statistics are the same with both:
// on random traffic, dram_shortcuts_test.cc compares a DRAM with a simple scheduler, and open_row_plans_test.cc
// compares whole memory systems with and without plans.
#pragma once

#include <array>
#include <cstdint>

#include "base/clock.h"

namespace warptime::sim {

/// The planned column accesses of one DRAM.
class OpenRowPlans {
 public:
  /// Memory cycles between two column accesses of reads.
  void set_spacing(uint32_t spacing) { spacing_ = spacing; }

  /// One request's column accesses, in the cycles `first`, `first` + spacing, ... `last`, after all planned before.
  void add(uint64_t first, uint64_t last) {
    if (first + 1 != end_ + spacing_) begin_ = first;
    end_ = ends_[count_++ % ends_.size()] = last + 1;
  }
  /// Memory cycle after the last planned access.
  uint64_t end() const { return end_; }
  /// Memory cycle after the last access of the request planned `ago` requests ago (1: the last); 0: there is none.
  uint64_t end_of(uint32_t ago) const { return ends_[(count_ - ago) % ends_.size()]; }
  /// First cycle from `time`, which is before end(), without an access.
  [[gnu::noinline]] uint64_t gap_from(uint64_t time) const;
  /// Number of accesses from `cycle` on. `cycle` is not before that of the last command.
  uint64_t still_to_come(uint64_t cycle) const;

  static constexpr uint32_t kMostRequests = 256;  // capacity of the modelled queue

 private:
  uint32_t spacing_ = 1;
  // Accesses from `begin_` on follow each other at the spacing, without a gap; earlier ones are in the past.
  uint64_t begin_ = 0, end_ = 0;
  uint64_t count_ = 0;
  std::array<uint64_t, kMostRequests> ends_{};  // by request, the latest ones

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    archive(begin_, end_, count_, ends_);
  }
};

}  // namespace warptime::sim
