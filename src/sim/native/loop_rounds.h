// Several rounds of a loop in a row.
#pragma once

#include "sim/native/counted_loops.h"
#include "sim/native/rewritten_code.h"

namespace warptime::sim {

/// Adds so many rounds of a loop, the instructions [begin, end) before, one behind the other and without its tests.
void add_rounds(RewrittenCode& code, const CountedLoop& loop, uint32_t begin, uint32_t end, uint32_t rounds);

}  // namespace warptime::sim
