// The pipes of an SM: how long each is busy, and which one each warp's next instruction needs. A kind of pipe may come
// in several groups; a sub-core uses the group that is free first among those it reaches: all of them, or its own
// (`sp.reach: own_scheduler`: group g belongs to sub-core g mod their number).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "ptx/isa/card.h"
#include "sim/core/ready_set.h"
#include "sim/model/machine.h"

namespace warptime::sim {

inline constexpr uint32_t kMaxSubCores = 8;

class Pipes {
 public:
  explicit Pipes(const MachineConfig& machine) : sub_cores_(machine.issue.ports) {
    unit_of_.fill(ptx::Unit::Sp);
    warps_[index(ptx::Unit::Sp)] = ~uint64_t{0};  // no warp is anywhere else yet
    set_groups(ptx::Unit::Sp, machine.sp.groups);
    set_groups(ptx::Unit::Sfu, machine.sfu.groups);
    set_groups(ptx::Unit::Dp, machine.dp.groups);
    own_sp_ = machine.sp.reach == PipeReach::own_scheduler && sub_cores_ > 1;
  }

  /// First cycle at which the sub-core finds a group of this kind free.
  Cycle free(ptx::Unit unit, uint32_t sub_core) const { return free_[sub_core][index(unit)]; }
  /// The group that is free first is busy until `cycle`.
  void take(ptx::Unit unit, uint32_t sub_core, Cycle cycle) {
    if (unit == ptx::Unit::Control) return;  // the sub-core alone
    if (!simple_) return take_group(unit, sub_core, cycle);
    free_[0][index(unit)] = cycle;
    all_free_[0] = std::max(all_free_[0], cycle);
  }
  /// No sub-core finds any group free before `cycle`, whatever the groups do (release() ends it).
  void block(ptx::Unit unit, Cycle cycle) {
    for (uint32_t sub_core = 0; sub_core < sub_cores_; ++sub_core) {
      free_[sub_core][index(unit)] = cycle;
      all_free_[sub_core] = std::max(all_free_[sub_core], cycle);
    }
  }
  /// From now on only the groups decide when they are free.
  void release(ptx::Unit unit) {
    size_t u = index(unit);
    for (uint32_t sub_core = 0; sub_core < sub_cores_; ++sub_core) {
      Cycle soonest = kNever;
      for (uint32_t g = 0; g < groups_[u]; ++g)
        if (reaches(unit, sub_core, g)) soonest = std::min(soonest, group_free_[u][g]);
      free_[sub_core][u] = soonest;
      all_free_[sub_core] = std::max(all_free_[sub_core], soonest);
    }
  }

  /// The warp's next instruction goes to this kind.
  void needs(uint32_t warp, ptx::Unit unit) {
    if (unit_of_[warp] == unit) return;
    uint64_t bit = uint64_t{1} << warp;
    warps_[index(unit_of_[warp])] &= ~bit;
    warps_[index(unit)] |= bit;
    unit_of_[warp] = unit;
  }
  uint64_t warps(ptx::Unit unit) const { return warps_[index(unit)]; }
  /// Warps whose pipe is busy at `now`.
  uint64_t blocked(uint32_t sub_core, Cycle now) {
    if (all_free_[sub_core] <= now) return 0;
    uint64_t blocked = 0;
    Cycle last = 0;
    for (size_t unit = 0; unit < kUnits; ++unit) {
      if (free_[sub_core][unit] > now) blocked |= warps_[unit];
      last = std::max(last, free_[sub_core][unit]);
    }
    all_free_[sub_core] = last;
    return blocked;
  }
  /// First cycle after `now` at which a pipe that one of `ready` needs is free; kNever if none of them is busy.
  Cycle next_free(uint64_t ready, uint32_t sub_core, Cycle now) const {
    Cycle soonest = kNever;
    for (size_t unit = 0; unit < kUnits; ++unit)
      if ((ready & warps_[unit]) != 0 && free_[sub_core][unit] > now)
        soonest = std::min(soonest, free_[sub_core][unit]);
    return soonest;
  }

 private:
  static constexpr size_t kUnits = 5;
  static constexpr uint32_t kMaxGroups = 16;

  static constexpr size_t index(ptx::Unit unit) { return static_cast<size_t>(unit); }
  void set_groups(ptx::Unit unit, uint32_t groups) {
    groups_[index(unit)] = groups;
    simple_ &= groups == 1 && sub_cores_ == 1;
  }
  [[gnu::noinline]] void take_group(ptx::Unit unit, uint32_t sub_core, Cycle cycle) {
    size_t u = index(unit);
    Cycle* first = nullptr;
    for (uint32_t g = 0; g < groups_[u]; ++g)
      if (reaches(unit, sub_core, g) && (first == nullptr || group_free_[u][g] < *first)) first = &group_free_[u][g];
    *first = cycle;
    release(unit);
  }
  bool reaches(ptx::Unit unit, uint32_t sub_core, uint32_t group) const {
    return unit != ptx::Unit::Sp || !own_sp_ || group % sub_cores_ == sub_core;
  }

  uint32_t sub_cores_;
  bool own_sp_ = false;
  bool simple_ = true;  // one sub-core, one group of each kind
  std::array<uint32_t, kUnits> groups_{1, 1, 1, 1, 1};
  std::array<std::array<Cycle, kMaxGroups>, kUnits> group_free_{};
  std::array<std::array<Cycle, kUnits>, kMaxSubCores> free_{};
  std::array<Cycle, kMaxSubCores> all_free_{};  // no pipe is busy from then on, perhaps from earlier on
  std::array<uint64_t, kUnits> warps_{};        // whose next instruction goes there
  std::array<ptx::Unit, ReadySet::kMaxWarps> unit_of_;
};

}  // namespace warptime::sim
