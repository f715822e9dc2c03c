// Parts of a machine that a program does not use, from the machine and the statistics of one run: no time depends on
// their parameters, so `warptime whatif` does not run their values. A new parameter of a part follows its part; one
// that no rule knows is run.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/model/machine.h"

namespace warptime::host {

struct UnusedPart {
  std::string begin;   // of the paths of its parameters: "texture."
  std::string except;  // the path that switches the part on: "l1.cache.bytes"; empty: none
  std::string why;

  bool has(std::string_view path) const { return path.starts_with(begin) && path != except; }
};

/// `total`: the numbers of a report's `total`, by dotted name.
std::vector<UnusedPart> unused_parts(const sim::MachineConfig& machine,
                                     const std::map<std::string, std::string>& total);

/// The part with the parameter; nullptr: it may matter.
const UnusedPart* find_unused(const std::vector<UnusedPart>& parts, std::string_view path);

}  // namespace warptime::host
