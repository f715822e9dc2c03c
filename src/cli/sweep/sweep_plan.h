// The points of a sweep: an axis for --machine (if it names several), and for each --set and --param, in this order, as
// given, and their combinations. All checks of values that do not require a run are made here.
#pragma once

#include <string>
#include <vector>

#include "cli/plan/run_plan.h"
#include "cli/sweep/sweep_axes.h"
#include "sim/model/machine.h"

namespace warptime::cli {

class SweepPlan : public RunPlan {
 public:
  /// Throws host::InputError with all errors in all values.
  explicit SweepPlan(const Arguments& arguments);

  const std::vector<SweepAxis>& axes() const { return axes_; }
  size_t points() const override { return points_.size(); }
  /// The point's value on each axis.
  std::vector<std::string> values(size_t point) const override;
  std::vector<std::string> settings(size_t point) const override { return texts(point, SweepAxis::Kind::Set); }
  std::vector<std::string> parameters(size_t point) const override { return texts(point, SweepAxis::Kind::Param); }
  std::optional<ArgumentText> machine_of(size_t point) const override;
  /// The machines, before any axis changes them: one, or those of --machine.
  const std::vector<sim::Machine>& machines() const { return machines_; }
  /// Quantities that the target computes from its statistics.
  const std::vector<std::string>& figure_names() const { return figure_names_; }

 private:
  /// The point's "NAME=VALUE" texts on the axes of a kind.
  std::vector<std::string> texts(size_t point, SweepAxis::Kind kind) const;
  /// What `run` would say of each value by itself; `notes` if it would run. Whether values fit each other is for the
  /// point to find out.
  std::string mistakes_of(const Arguments& arguments, size_t axis, std::string& notes) const;
  /// The axes and how they are combined, as the plan's identity has them.
  std::vector<std::string> words(const Arguments& arguments) const;

  std::vector<SweepAxis> axes_;
  std::vector<std::vector<uint32_t>> points_;  // for each axis the index of the point's value
  std::vector<sim::Machine> machines_;
  std::vector<std::string> figure_names_;
};

}  // namespace warptime::cli
