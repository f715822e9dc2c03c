// What would mend a race: where a barrier is missing, or that an atomic operation is needed. From the instructions of
// its accesses and the paths of the kernel between them.
#pragma once

#include <vector>

#include "debug/check/finding.h"

namespace warptime::debug {

/// Fills in `remedy` of all races. Races that one barrier mends become one finding; reads of shared memory that only a
/// race leaves unwritten are part of the race.
void merge_races(std::vector<Finding>& findings);

}  // namespace warptime::debug
