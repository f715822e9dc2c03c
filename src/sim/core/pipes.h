// The pipes of an SM: how long each is busy, and which warps want which. A kind of pipe may come in several groups; an
// issue port uses the group that is free first among those it reaches: all of them, or those of its own
// (`sp.reach: own_port`: group g belongs to port g mod ports).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "ptx/isa/card.h"
#include "sim/core/ready_set.h"
#include "sim/model/machine.h"

namespace warptime::sim {

inline constexpr uint32_t kMaxPorts = 8;

class Pipes {
 public:
  explicit Pipes(const MachineConfig& machine) : ports_(machine.issue.ports) {
    unit_of_.fill(ptx::Unit::Sp);
    warps_[index(ptx::Unit::Sp)] = ~uint64_t{0};  // nobody is anywhere else yet
    set_groups(ptx::Unit::Sp, machine.sp.groups);
    set_groups(ptx::Unit::Sfu, machine.sfu.groups);
    set_groups(ptx::Unit::Dp, machine.dp.groups);
    own_sp_ = machine.sp.reach == PipeReach::own_port && ports_ > 1;
  }

  /// First cycle at which the port finds a group of this kind free.
  Cycle free(ptx::Unit unit, uint32_t port) const { return free_[port][index(unit)]; }
  /// The group that is free first is busy until `cycle`.
  void take(ptx::Unit unit, uint32_t port, Cycle cycle) {
    if (unit == ptx::Unit::Control) return;  // the issue port alone
    if (!simple_) return take_group(unit, port, cycle);
    free_[0][index(unit)] = cycle;
    all_free_[0] = std::max(all_free_[0], cycle);
  }
  /// No port finds any group free before `cycle`, whatever the groups do (release() ends it).
  void block(ptx::Unit unit, Cycle cycle) {
    for (uint32_t port = 0; port < ports_; ++port) {
      free_[port][index(unit)] = cycle;
      all_free_[port] = std::max(all_free_[port], cycle);
    }
  }
  /// Only the groups say again when they are free.
  void release(ptx::Unit unit) {
    size_t u = index(unit);
    for (uint32_t port = 0; port < ports_; ++port) {
      Cycle soonest = kNever;
      for (uint32_t g = 0; g < groups_[u]; ++g)
        if (reaches(unit, port, g)) soonest = std::min(soonest, group_free_[u][g]);
      free_[port][u] = soonest;
      all_free_[port] = std::max(all_free_[port], soonest);
    }
  }

  /// The warp's next instruction goes to this kind.
  void wants(uint32_t warp, ptx::Unit unit) {
    if (unit_of_[warp] == unit) return;
    uint64_t bit = uint64_t{1} << warp;
    warps_[index(unit_of_[warp])] &= ~bit;
    warps_[index(unit)] |= bit;
    unit_of_[warp] = unit;
  }
  uint64_t warps(ptx::Unit unit) const { return warps_[index(unit)]; }
  /// Warps whose pipe is busy at `now`.
  uint64_t blocked(uint32_t port, Cycle now) {
    if (all_free_[port] <= now) return 0;
    uint64_t blocked = 0;
    Cycle last = 0;
    for (size_t unit = 0; unit < kUnits; ++unit) {
      if (free_[port][unit] > now) blocked |= warps_[unit];
      last = std::max(last, free_[port][unit]);
    }
    all_free_[port] = last;
    return blocked;
  }
  /// First cycle after `now` at which a pipe that one of `ready` wants is free; kNever if none of them is busy.
  Cycle next_free(uint64_t ready, uint32_t port, Cycle now) const {
    Cycle soonest = kNever;
    for (size_t unit = 0; unit < kUnits; ++unit)
      if ((ready & warps_[unit]) != 0 && free_[port][unit] > now) soonest = std::min(soonest, free_[port][unit]);
    return soonest;
  }

 private:
  static constexpr size_t kUnits = 5;
  static constexpr uint32_t kMaxGroups = 16;

  static constexpr size_t index(ptx::Unit unit) { return static_cast<size_t>(unit); }
  void set_groups(ptx::Unit unit, uint32_t groups) {
    groups_[index(unit)] = groups;
    simple_ &= groups == 1 && ports_ == 1;
  }
  [[gnu::noinline]] void take_group(ptx::Unit unit, uint32_t port, Cycle cycle) {
    size_t u = index(unit);
    Cycle* first = nullptr;
    for (uint32_t g = 0; g < groups_[u]; ++g)
      if (reaches(unit, port, g) && (first == nullptr || group_free_[u][g] < *first)) first = &group_free_[u][g];
    *first = cycle;
    release(unit);
  }
  bool reaches(ptx::Unit unit, uint32_t port, uint32_t group) const {
    return unit != ptx::Unit::Sp || !own_sp_ || group % ports_ == port;
  }

  uint32_t ports_;
  bool own_sp_ = false;
  bool simple_ = true;  // one port, one group of each kind
  std::array<uint32_t, kUnits> groups_{1, 1, 1, 1, 1};
  std::array<std::array<Cycle, kMaxGroups>, kUnits> group_free_{};
  std::array<std::array<Cycle, kUnits>, kMaxPorts> free_{};
  std::array<Cycle, kMaxPorts> all_free_{};  // no pipe is busy from then on, perhaps from earlier on
  std::array<uint64_t, kUnits> warps_{};     // whose next instruction goes there
  std::array<ptx::Unit, ReadySet::kMaxWarps> unit_of_;
};

}  // namespace warptime::sim
