// What the rules of `explain` know of a launch, and the estimate of what a change would save.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "host/report/verdict.h"
#include "sim/model/machine.h"
#include "sim/model/statistics.h"

namespace warptime::host {

using sim::InstructionRow;

/// What a finding would change: of each resource's use the part that remains, and the share of all issue slots that
/// would no longer pass without an issue.
struct Change {
  std::array<double, sim::kResourceCount> remains;
  double slots = 0;
  Change() { remains.fill(1); }
  double& of(sim::Resource resource) { return remains[static_cast<size_t>(resource)]; }
};

class Facts {
 public:
  /// A timed launch. `machine`: nullptr if only its name is known.
  Facts(const sim::LaunchStatistics& of, const sim::MachineConfig* of_machine);

  const sim::LaunchStatistics& launch;
  const sim::MachineConfig* machine;
  Verdict verdict;

  uint32_t sms() const { return static_cast<uint32_t>(launch.issue_by_sm.size()); }
  /// Of all issue slots, those that passed without an issue for this reason.
  double stalled(sim::Stall reason) const;
  /// Of all issue slots, those in which an SM had a warp.
  double working() const { return 1 - stalled(sim::Stall::Drained) - stalled(sim::Stall::NoWarp); }
  /// Slots that wait for data of global and local memory, for the way there, or for a texture.
  double waits_for_memory() const;
  /// Other waits of warps, which more warps would hide. While memory is saturated, too few warps are ready to do so.
  double waits_to_hide() const;
  double near(sim::Resource resource) const { return nearness(launch, resource); }
  /// The memory resource nearest to its limit.
  sim::Resource nearest_of_memory() const;
  /// Warps that are resident in an SM, on average over the time in which it has any.
  double resident_warps() const;

  /// The share of the launch's time that the change saves. The launch cannot end before its busiest resource has done
  /// what remains of its work, and not before the slots have passed that the change does not touch; whichever takes
  /// longer is the new time. Slots before the first and after the last warp of an SM shrink in proportion.
  double saved(const Change& change) const;

  /// Executed instructions of wanted operations ("ld.global.f32").
  std::vector<const InstructionRow*> rows(bool (*wanted)(std::string_view operation)) const;
  /// The instruction that most slots waited for; nullptr without rows.
  const InstructionRow* most_stalled(sim::Stall reason) const;
  /// The load whose value that instruction waits for, if the rows tell.
  const InstructionRow* load_of(const InstructionRow* waiting) const;
};

/// "ld.global.f32": without guard and operands.
std::string_view operation(const InstructionRow& row);
/// "Line 41 (`ld.global.f32`)".
std::string place_text(const InstructionRow& row);
/// "62 %".
std::string percent_text(double share);

}  // namespace warptime::host
