// The pipes of an SM (ptx/isa/unit.h): how long each is busy, and which pipe each warp's next instruction needs. A kind
// of pipe may have several groups; a sub-core uses the group that is free first among all groups or, with
// `sp.reach: own_scheduler`, among its own (group g belongs to sub-core g mod their number).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "ptx/isa/card.h"
#include "sim/core/ready_set.h"
#include "sim/model/native_code.h"
#include "sim/model/pipe.h"

namespace warptime::sim {

inline constexpr uint32_t kMaxSubCores = 8;

class Pipes {
 public:
  explicit Pipes(const MachineConfig& machine) : sub_cores_(machine.issue.ports) {
    unit_of_.fill(ptx::Unit::Sp);
    warps_[index(ptx::Unit::Sp)] = ~uint64_t{0};  // every slot begins at the SP
    for (Feature feature : {Feature::F64, Feature::Tensor, Feature::TensorFp8, Feature::Wgmma})
      has_rare_ |= has_feature(machine, feature);
    has_rare_ |= issues_later(machine);
    has_rare_ |= machine.copy_engine.queue_entries != 0;
    for (size_t u = 0; u < kUnits; ++u) {
      PipeTiming pipe = pipe_of(machine, static_cast<ptx::Unit>(u));
      groups_[u] = pipe.groups;
      own_[u] = pipe.reach == PipeReach::own_scheduler && sub_cores_ > 1;
      simple_ &= pipe.groups == 1 && sub_cores_ == 1;
    }
  }

  /// First cycle at which a group of this kind is free for the sub-core.
  Cycle free(ptx::Unit unit, uint32_t sub_core) const { return free_[sub_core][index(unit)]; }
  /// The group that is free first is busy until `cycle`.
  void take(ptx::Unit unit, uint32_t sub_core, Cycle cycle) {
    if (unit == ptx::Unit::Control) return;  // uses only the sub-core
    if (!simple_) return take_group(unit, sub_core, cycle);
    free_[0][index(unit)] = cycle;
    all_free_[0] = std::max(all_free_[0], cycle);
  }
  /// All groups count as busy for every sub-core until `cycle`, or until release().
  void block(ptx::Unit unit, Cycle cycle) {
    for (uint32_t sub_core = 0; sub_core < sub_cores_; ++sub_core) {
      free_[sub_core][index(unit)] = cycle;
      all_free_[sub_core] = std::max(all_free_[sub_core], cycle);
    }
  }
  /// Ends block(): from now on the groups' own times count.
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

  /// The warp's next instruction uses this kind.
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
    auto consider = [&](size_t unit) {
      if (free_[sub_core][unit] > now) blocked |= warps_[unit];
      last = std::max(last, free_[sub_core][unit]);
    };
    for (size_t unit = 0; unit < ptx::kUsualUnits; ++unit) consider(unit);
    if (has_rare_) [[unlikely]]
      for (size_t unit = ptx::kUsualUnits; unit < ptx::kBusyUnits; ++unit) consider(unit);
    all_free_[sub_core] = last;
    return blocked;
  }
  /// First cycle after `now` at which a pipe that one of `ready` needs becomes free; kNever if none of them is busy.
  Cycle next_free(uint64_t ready, uint32_t sub_core, Cycle now) const {
    Cycle soonest = kNever;
    auto consider = [&](size_t unit) {
      if ((ready & warps_[unit]) != 0 && free_[sub_core][unit] > now)
        soonest = std::min(soonest, free_[sub_core][unit]);
    };
    for (size_t unit = 0; unit < ptx::kUsualUnits; ++unit) consider(unit);
    if (has_rare_) [[unlikely]]
      for (size_t unit = ptx::kUsualUnits; unit < ptx::kBusyUnits; ++unit) consider(unit);
    return soonest;
  }

 private:
  static constexpr size_t kUnits = ptx::kUnits.size();
  static constexpr uint32_t kMaxGroups = 16;

  static constexpr size_t index(ptx::Unit unit) { return static_cast<size_t>(unit); }
  [[gnu::noinline]] void take_group(ptx::Unit unit, uint32_t sub_core, Cycle cycle) {
    size_t u = index(unit);
    Cycle* first = nullptr;
    for (uint32_t g = 0; g < groups_[u]; ++g)
      if (reaches(unit, sub_core, g) && (first == nullptr || group_free_[u][g] < *first)) first = &group_free_[u][g];
    *first = cycle;
    release(unit);
  }
  bool reaches(ptx::Unit unit, uint32_t sub_core, uint32_t group) const {
    return !own_[index(unit)] || group % sub_cores_ == sub_core;
  }

  uint32_t sub_cores_;
  bool simple_ = true;              // one sub-core, one group of each kind
  bool has_rare_ = false;           // units behind the usual ones
  std::array<bool, kUnits> own_{};  // a sub-core reaches its own groups alone
  std::array<uint32_t, kUnits> groups_{};
  std::array<std::array<Cycle, kMaxGroups>, kUnits> group_free_{};
  std::array<std::array<Cycle, kUnits>, kMaxSubCores> free_{};
  std::array<Cycle, kMaxSubCores> all_free_{};  // an upper bound: no pipe is busy from then on
  std::array<uint64_t, kUnits> warps_{};        // whose next instruction needs this kind
  std::array<ptx::Unit, ReadySet::kMaxWarps> unit_of_;

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    archive(group_free_, free_, all_free_, warps_, unit_of_);
  }
};

}  // namespace warptime::sim
