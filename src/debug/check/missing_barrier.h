// The barriers that a race lacks: from which access to which a path has none, and where one would end all such paths.
// Two races that a barrier at one place mends lack the same one.
#pragma once

#include <vector>

#include "debug/check/code_paths.h"
#include "debug/check/finding.h"

namespace warptime::debug {

struct MissingBarrier {
  RacePair::Side before, behind;  // the accesses next to it
  bool ends_pass = false;         // `behind` is of the next pass of a loop
  bool in_loop = false;           // does for one at the end of a pass, too: in the loop only
  std::vector<CodePaths::Places> places;
};

/// Those between the accesses of a race of `finding`'s kernel: none, one, or, in a loop, also one at the end of a pass.
/// A loop that the compiler has unrolled is one: its passes are copies of the same lines.
std::vector<MissingBarrier> missing_barriers(const ptx::Module& module, const ptx::Kernel& kernel,
                                             const RacePair::Side& low, const RacePair::Side& high,
                                             CodePaths::Until until);

/// Whether one barrier does for both: then `to` is that one.
bool unite(MissingBarrier& to, const MissingBarrier& other);

}  // namespace warptime::debug
