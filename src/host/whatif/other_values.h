// The values that `warptime whatif` tries instead of a parameter's own: 20 % less and more of a number, the neighbours
// of a power of two, each other word. They follow from the row of the parameter alone.
#pragma once

#include <string>
#include <vector>

#include "sim/model/parameters.h"

namespace warptime::host {

/// One change, in the order of preference: half and twice stand in where the machine's checks refuse 20 %.
using Alternatives = std::vector<std::string>;

/// The changes of a parameter; none if no time of a launch depends on it, or if it is free text or a list.
std::vector<Alternatives> other_values(const sim::Parameter& parameter);

}  // namespace warptime::host
