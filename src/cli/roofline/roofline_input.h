// What `warptime roofline` draws, from statistics files or from a sweep's CSV: a machine, and the points of its
// kernels.
#pragma once

#include <string>
#include <vector>

#include "cli/command_line.h"
#include "host/roofline/roofline_point.h"
#include "sim/model/machine.h"

namespace warptime::cli {

struct RooflineInput {
  sim::Machine machine;
  std::vector<host::RooflinePoint> points;
  std::vector<std::string> notes;  // what has no point, and why
};

/// Throws host::InputError.
RooflineInput read_roofline(const Arguments& arguments);

}  // namespace warptime::cli
