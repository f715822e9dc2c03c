// What the rules of `explain` know of a launch.
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

/// A count, for ratios.
inline double as_real(uint64_t value) { return static_cast<double>(value); }

constexpr bool is_of_memory(sim::Resource resource) {
  return resource != sim::Resource::Issue && sim::info(resource).group == sim::ResourceClass::Bandwidth;
}

class Facts {
 public:
  /// A timed launch. `machine`: nullptr if only its name is known.
  Facts(const sim::LaunchStatistics& of, const sim::MachineConfig* of_machine);

  const sim::LaunchStatistics& launch;
  const sim::MachineConfig* machine;
  Verdict verdict;

  uint32_t sms() const { return static_cast<uint32_t>(launch.issue_by_sm.size()); }
  /// The part of all issue slots that passed without an issue for this reason.
  double stalled(sim::Stall reason) const;
  /// The part of all issue slots in which an SM had a warp.
  double working() const { return 1 - stalled(sim::Stall::Drained) - stalled(sim::Stall::NoWarp); }
  /// The parts of the cycles that warps were resident in which they waited for this reason, and in which they issued.
  double waited(sim::Stall reason) const;
  double issuing() const;
  /// The part of their time that warps would need if no other warp and no other access were in their way: all but what
  /// they were ready, and of the latency of loads the least.
  double path() const;
  /// The part of a load's latency that is not for other accesses: that of the fastest one.
  double unqueued() const;
  /// The part of the warps' time in which they wait for the results of atomic operations, without the queue that path()
  /// leaves out.
  double atomic_waits() const;
  /// The part of the launch's time in which the SM that has warps for longest has any.
  double active() const;
  /// The share of its time that a DRAM needs to open rows; 0: the machine is not known.
  double row_use() const;
  /// The share of time that the busiest unit of a resource was busy.
  double use(sim::Resource resource) const { return launch.resources[static_cast<size_t>(resource)].busiest_share(); }
  double near(sim::Resource resource) const { return nearness(launch, resource); }
  /// The memory resource nearest to its limit.
  sim::Resource nearest_of_memory() const;
  /// Warps that are resident in an SM, on average over the time in which it has any.
  double resident_warps() const;

  /// Executed instructions of wanted operations ("ld.global.f32").
  std::vector<const InstructionRow*> rows(bool (*wanted)(std::string_view operation)) const;
  /// The instruction that most slots waited for; nullptr without rows.
  const InstructionRow* most_stalled(sim::Stall reason) const;
  /// The load whose value that instruction waits for, if the rows tell.
  const InstructionRow* load_of(const InstructionRow* waiting) const;
};

/// "ld.global.f32": without guard and operands.
std::string_view operation(const InstructionRow& row);
/// "k.cu:7"; empty if the instruction has no line of the CUDA source.
std::string source_text(const InstructionRow& row);
/// "k.cu:7 (`ld.global.f32`, PTX line 41)"; without a CUDA line "Line 41 (`ld.global.f32`)".
std::string place_text(const InstructionRow& row);
/// place_text within a sentence: "line 41 (`ld.global.f32`)".
std::string place_in_sentence(const InstructionRow& row);
/// "62 %".
std::string percent_text(double share);
/// "8 bytes per byte requested".
std::string moved_text(uint64_t moved, uint64_t requested);

}  // namespace warptime::host
