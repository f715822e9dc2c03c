// The points of a sweep: an axis for each --set and --param (in this order, as given), and every combination of their
// values; the last axis varies fastest. All checks of values that do not require a run are made here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "sim/model/machine.h"

namespace warptime::cli {

struct SweepAxis {
  enum class Kind : uint8_t { Set, Param };
  Kind kind = Kind::Set;
  std::string name;
  std::vector<std::string> values;  // as given
};

class SweepPlan {
 public:
  /// Throws host::InputError with all errors in all values.
  explicit SweepPlan(const Arguments& arguments);

  const std::vector<SweepAxis>& axes() const { return axes_; }
  size_t points() const { return points_; }
  /// The point's value on each axis.
  std::vector<std::string> values(size_t point) const;
  /// The point's "NAME=VALUE" texts on the axes of a kind.
  std::vector<std::string> texts(size_t point, SweepAxis::Kind kind) const;
  /// The machine, before any axis changes it.
  const sim::Machine& machine() const { return machine_; }
  /// A hash of 16 digits that is equal for two sweeps only if their rows are the same.
  const std::string& identity() const { return identity_; }

 private:
  std::vector<SweepAxis> axes_;
  size_t points_ = 1;
  sim::Machine machine_;
  std::string identity_;
};

/// Splits "a,b,[c,d]" at its commas, except within brackets (a list is one value).
std::vector<std::string> split_values(const std::string& text);

}  // namespace warptime::cli
