// A kernel's place under the roofs of a machine: operations per byte against operations per second.
#pragma once

#include <optional>
#include <string>

#include "sim/model/machine.h"

namespace warptime::host {

/// What a launch did, or all launches of a kernel together.
struct RooflineCounts {
  double flops = 0, flops_f64 = 0, flops_tensor = 0;
  double dram_bytes = 0, requested_bytes = 0;
  double time_us = 0;

  void add(const RooflineCounts& more);
};

/// What executes the operations that a point counts.
enum class RooflineUnit : uint8_t { F32, F64, Tensor };

struct RooflinePoint {
  std::string name;
  RooflineUnit unit = RooflineUnit::F32;  // the one with most operations
  std::optional<double> by_dram;          // flops per byte of DRAM traffic; nullopt: there is none
  std::optional<double> by_request;
  double gflops = 0;
  double roof = 0;         // the lower of peak rate and DRAM's bandwidth at its intensity
  bool by_memory = false;  // the latter
  double share() const { return gflops / roof; }
};

/// nullopt: there is none, for `why` ("it executes no floating-point operation").
std::optional<RooflinePoint> roofline_point(std::string name, const RooflineCounts& counts,
                                            const sim::MachineConfig& machine, std::string& why);

}  // namespace warptime::host
