// What connects a workload's counted reference with the CPU baseline.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace warptime::cpu {

class CpuCore;

/// What a counted reference is given, and says of itself.
struct CpuContext {
  std::string variant;                        // "": all
  std::map<std::string, int64_t> parameters;  // every parameter of the workload, defaults filled in
  CpuCore& core;
  double scale = 1;  // the whole work over the counted part's
  std::string part;  // what was counted where it is not all: "8 of 4096 rows"

  int64_t operator[](const std::string& name) const { return parameters.at(name); }
};

}  // namespace warptime::cpu
