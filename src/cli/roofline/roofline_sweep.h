// The points of a roofline from a sweep's CSV: one for each row that ran.
#pragma once

#include "cli/roofline/roofline_input.h"

namespace warptime::cli {

/// The only word names the CSV. The machine is that of --machine and --set; a row's share is of its own machine, where
/// the sweep changed it. Throws host::InputError.
RooflineInput read_sweep(const Arguments& arguments);

}  // namespace warptime::cli
