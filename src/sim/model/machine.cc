#include "sim/model/machine.h"

#include <algorithm>

namespace warptime::sim {

namespace {

// One name for each latency class: `memory` has no parameter, every other key is a member of LatencyConfig or this does
// not compile.
struct LatencyTable : LatencyConfig {
  uint32_t memory = 0;
};

#define COUNT_PARAM(type, name, init, check, doc) +1
#define COUNT_CLASS(name, key, what) +1
static_assert(0 LATENCY_PARAMS(COUNT_PARAM) + 1 == 0 PTX_LATENCIES(COUNT_CLASS),
              "every latency parameter is the latency of a class");
#undef COUNT_PARAM
#undef COUNT_CLASS

}  // namespace

uint32_t cycles_of(const LatencyConfig& latency, ptx::Latency latency_class) {
  LatencyTable table{latency};
  switch (latency_class) {
#define X(name, key, what) \
  case ptx::Latency::name: return table.key;
    PTX_LATENCIES(X)
#undef X
  }
  return 0;
}

bool has_feature(const MachineConfig& machine, std::string_view feature) {
  return std::find(machine.features.begin(), machine.features.end(), feature) != machine.features.end();
}

}  // namespace warptime::sim
