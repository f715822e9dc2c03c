// What a sweep runs: an axis for each --set and --param (in this order, as given), and every combination of their
// values, the last axis varying fastest. Everything about a value that can be known without running is checked here.
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
  /// Throws host::InputError with every mistake in every value.
  explicit SweepPlan(const Arguments& arguments);

  const std::vector<SweepAxis>& axes() const { return axes_; }
  size_t points() const { return points_; }
  /// The point's value on each axis.
  std::vector<std::string> values(size_t point) const;
  /// The point's "NAME=VALUE" texts on the axes of a kind.
  std::vector<std::string> texts(size_t point, SweepAxis::Kind kind) const;
  /// The machine, before any axis changes it.
  const sim::Machine& machine() const { return machine_; }
  /// 16 digits that two sweeps share only if they give the same rows.
  const std::string& identity() const { return identity_; }

 private:
  std::vector<SweepAxis> axes_;
  size_t points_ = 1;
  sim::Machine machine_;
  std::string identity_;
};

/// "a,b,[c,d]" at its commas; those in brackets (a list is one value) do not count.
std::vector<std::string> split_values(const std::string& text);

}  // namespace warptime::cli
