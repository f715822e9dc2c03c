// A random program on a simulated machine.
#pragma once

#include <optional>

#include "host/device/device.h"
#include "program.h"

namespace warptime::sim {

struct Outcome {
  std::vector<uint64_t> output;
  std::string error;  // why there is no output: refused, or a fault
};

/// Values alone (`functional`), or timed.
Outcome simulated(const Program& program, const Machine& machine, bool functional);

}  // namespace warptime::sim
