// What the parameters of every kind of pipe (ptx/isa/unit.h) have in common, and the stall reason of warps that wait
// for one.
#pragma once

#include "sim/model/machine.h"
#include "sim/model/stall.h"

namespace warptime::sim {

/// Memory and Control have no cycles of their own: an access says how long it takes the memory port.
struct PipeTiming {
  uint32_t initiation = 0;
  uint32_t groups = 1;
  PipeReach reach = PipeReach::all_schedulers;
};

/// A copy engine is one.
template <class Config>
constexpr uint32_t groups_of(const Config& config) {
  if constexpr (requires { config.groups; }) return config.groups;
  return 1;
}

template <class Config>
constexpr PipeTiming timing_of(const Config& config) {
  PipeTiming timing{config.initiation, groups_of(config)};
  if constexpr (requires { config.reach; }) timing.reach = config.reach;
  return timing;
}

constexpr PipeTiming pipe_of(const MachineConfig& machine, ptx::Unit unit) {
  switch (unit) {
#define X(unused, name, key, ...) \
  case ptx::Unit::name: return timing_of(machine.key);
    PTX_PIPES(X, )
#undef X
    case ptx::Unit::Memory:
    case ptx::Unit::Control: break;
  }
  return {};
}

/// Why a warp waits that would issue but for this unit.
constexpr Stall busy_stall(ptx::Unit unit) {
  switch (unit) {
#define X(unused, name, ...) \
  case ptx::Unit::name: return Stall::name##Busy;
    PTX_PIPES(X, )
#undef X
    case ptx::Unit::Memory: return Stall::MemoryPortBusy;
    case ptx::Unit::Control: break;
  }
  return Stall::AluDependency;
}

}  // namespace warptime::sim
