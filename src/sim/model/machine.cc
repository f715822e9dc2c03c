#include "sim/model/machine.h"

#include <algorithm>

namespace warptime::sim {

uint32_t cycles_of(const LatencyConfig& latency, ptx::Latency latency_class) {
  switch (latency_class) {
#define X(unused, name, key, ...) \
  case ptx::Latency::name: return latency.key;
    PTX_LATENCIES(X, )
#undef X
    case ptx::Latency::Memory: break;
  }
  return 0;
}

bool has_feature(const MachineConfig& machine, std::string_view feature) {
  return std::find(machine.features.begin(), machine.features.end(), feature) != machine.features.end();
}

}  // namespace warptime::sim
