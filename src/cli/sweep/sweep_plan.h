// The points of a sweep: an axis for each --set and --param (in this order, as given), and every combination of their
// values; the last axis varies fastest. All checks of values that do not require a run are made here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/plan/run_plan.h"
#include "sim/model/machine.h"

namespace warptime::cli {

struct SweepAxis {
  enum class Kind : uint8_t { Set, Param };
  Kind kind = Kind::Set;
  std::string name;
  std::vector<std::string> values;  // as given
};

class SweepPlan : public RunPlan {
 public:
  /// Throws host::InputError with all errors in all values.
  explicit SweepPlan(const Arguments& arguments);

  const std::vector<SweepAxis>& axes() const { return axes_; }
  size_t points() const override { return points_; }
  /// The point's value on each axis.
  std::vector<std::string> values(size_t point) const override;
  std::vector<std::string> settings(size_t point) const override { return texts(point, SweepAxis::Kind::Set); }
  std::vector<std::string> parameters(size_t point) const override { return texts(point, SweepAxis::Kind::Param); }
  /// The machine, before any axis changes it.
  const sim::Machine& machine() const { return machine_; }
  /// Quantities that the target computes from its statistics.
  const std::vector<std::string>& figure_names() const { return figure_names_; }

 private:
  /// The point's "NAME=VALUE" texts on the axes of a kind.
  std::vector<std::string> texts(size_t point, SweepAxis::Kind kind) const;

  std::vector<SweepAxis> axes_;
  size_t points_ = 1;
  sim::Machine machine_;
  std::vector<std::string> figure_names_;
};

/// Splits "a,b,[c,d]" at its commas, except within brackets (a list is one value).
std::vector<std::string> split_values(const std::string& text);

}  // namespace warptime::cli
