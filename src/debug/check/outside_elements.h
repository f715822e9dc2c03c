// Which elements beyond a variable the accesses of a line reach, for what mends them: one element too many is another
// mistake than rows and columns exchanged.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "debug/check/finding.h"
#include "debug/check/space_access.h"
#include "debug/check/variables.h"

namespace warptime::debug {

class OutsideElements {
 public:
  /// An access of a lane beyond the variable.
  void note(Kind kind, const SpaceAccess& access, uint32_t lane, const Variable& variable);
  /// The access that was noted last is that of the finding added last.
  void added(const Findings& findings) { last_->finding = findings.all().size() - 1; }
  /// The run has ended: adds to remedies what all accesses of a finding have in common.
  void finish(Findings& findings) const;

 private:
  struct Outside {
    Variable variable;
    uint32_t bytes = 1;  // of an element
    Addr low = 0, high = 0;
    uint64_t apart =
        0;  // elements from a thread to the next along x, in the first access; 0: they have no such distance
    bool is_flat = true;  // the grid and its blocks have one dimension
    std::optional<size_t> finding = {};
  };
  static std::string remedy(const Outside& outside);

  std::map<std::tuple<Kind, LineKey, std::string>, Outside> outside_;
  Outside* last_ = nullptr;
};

}  // namespace warptime::debug
