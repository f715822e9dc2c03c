// A figure of measured launches other than their time, such as a profiler's counter: what it is in the statistics of a
// simulated launch.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "sim/model/yaml_reader.h"

namespace warptime::host {

struct MeasuredFigure {
  std::string value;     // expression over figures of the launch: "dram.read_bytes / 1e6"
  std::string quantity;  // of it, and of what was published
  double at_least = 0;   // what is published; less, or 0, is left out
};

/// From the map `figure` of measured launches; nullopt: errors are in the diagnostics.
std::optional<MeasuredFigure> read_figure(const yaml::Node& node, Diagnostics& diagnostics);

/// An expression with `prefix` before each of its names.
std::string with_prefix(std::string_view expression, std::string_view prefix);

}  // namespace warptime::host
