// Random orders of a launch's requests that its warps could have made: of one warp in its own order, of resident blocks
// only, and across no barrier that others of the block have not reached (the book, 4.2.3, step 1a).
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/memory/hierarchy.h"
#include "base/random.h"
#include "sim/model/request_record.h"

namespace warptime::analysis {

/// Drives the log through the hierarchy in one order, which `random` draws. Blocks go to SMs in turn, and a later block
/// replaces one that has ended. A warp that goes on makes its accesses up to the first that needs the result of another
/// (`uses`: first_uses_in_text; empty: one access), unless its SM waits for as many lines as the L1 has MSHRs.
void drive(const sim::RequestRecord& log, const std::vector<uint32_t>& uses, const sim::MachineConfig& machine,
           Hierarchy& hierarchy, SplitMix64& random);

}  // namespace warptime::analysis
