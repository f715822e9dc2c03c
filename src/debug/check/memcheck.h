// memcheck: whether every lane of an access is aligned and within what is allocated, in every state space, and within
// the variable that it means (variables.h); and the calls of free in device code. Lanes that are not are reported and
// do not perform their access, so that the launch goes on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "debug/check/finding.h"
#include "debug/check/heap_blocks.h"
#include "debug/check/outside_elements.h"
#include "debug/check/space_access.h"
#include "debug/check/variables.h"

namespace warptime::debug {

class Memcheck {
 public:
  /// `reports` false: it only tells the lanes apart, for the other checkers.
  Memcheck(Findings& findings, const HeapBlocks& heap, bool reports)
      : findings_(findings), heap_(heap), reports_(reports) {}

  void begins(const sim::LaunchContext& launch);
  /// The lanes whose access is right.
  uint32_t check(const SpaceAccess& access);
  /// The lanes of a texture fetch whose handle has a texture. Integer coordinates outside of it are reported, too.
  uint32_t fetch(const sim::WarpEvent& event);
  /// Before the heap's blocks change.
  void frees(const sim::LaunchContext& launch, const sim::HeapEvent& event);
  /// The run has ended.
  void finish() { outside_.finish(findings_); }
  /// After they have changed.
  void forget_heap() { ranges_.assign(ranges_.size(), {}); }

 private:
  struct Range {
    Addr begin = 1, end = 0;
    bool holds(Addr address, uint32_t bytes) const {
      return address >= begin && address < end && end - address >= bytes;
    }
  };

  void report_fetch(const sim::WarpEvent& event, uint32_t lane, std::string message, std::string hint, Addr base);
  /// What the instruction may access of a space that has a size.
  Range limit_of(const SpaceAccess& access) const;
  bool report_beyond(const SpaceAccess& access, uint32_t lane);
  bool is_right(const SpaceAccess& access, uint32_t lane, uint64_t limit);
  bool is_allocated(const SpaceAccess& access, uint32_t lane, Range& range);
  bool is_in_block(const SpaceAccess& access, uint32_t lane, Range& range);
  /// The variable or buffer that a wrong access means.
  std::optional<Variable> meant_by(const SpaceAccess& access, uint32_t lane) const;
  /// Always false.
  bool report(Kind kind, const SpaceAccess& access, uint32_t lane, sim::Fault::Kind fault, uint64_t limit);

  Findings& findings_;
  const HeapBlocks& heap_;
  bool reports_;
  std::vector<Range> ranges_;            // by instruction: the allocation of its last access
  std::optional<MeantVariables> meant_;  // of the launch's kernel
  OutsideElements outside_;
};

/// The allocation that an address belongs to or is nearest to; nullptr: there is none.
const sim::DeviceMemory::Allocation* nearest_allocation(const sim::DeviceMemory& memory, Addr address);

}  // namespace warptime::debug
