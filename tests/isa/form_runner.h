// Runs one instruction form on many values: lets the front end and the decoder make instructions of every spelling, and
// runs their handlers warp by warp on every host instruction set, with full and with partial masks. What the handler
// leaves behind must be the whole state expected: the destination's lanes of the mask as the reference says, every
// other byte as it was.
#pragma once

#include <string_view>
#include <vector>

#include "cases.h"
#include "sim/decode/compiled_kernel.h"

namespace warptime::sim {

/// Runs a form's cases with all values; fails the current test on the first difference of each case. `density` thins
/// the tuples of values: 1 takes all. Returns how many warps were run.
size_t run_cases(const std::vector<Case>& cases, bool legacy, uint32_t density);

/// What the lanes of one case computed: the bits of its results, one after the other, for each lane.
struct CaseLanes {
  std::vector<uint64_t> first, second;  // d, and the q of d|q
};

/// Runs the handlers of a host instruction set on given operands: `operands[case]` holds those of every lane.
std::vector<CaseLanes> lanes_of(const std::vector<Case>& cases, std::string_view isa,
                                const std::vector<std::vector<uint64_t>>& operands);

}  // namespace warptime::sim
