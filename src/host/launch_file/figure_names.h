// The figures that `expect_figures` knows by a short name: one row each, from which `warptime list figures`, the checks
// of units, and the reports of `warptime grade` follow. Any number of `total` of the statistics can be named, too, by
// its dotted name, and any of the file's own `figures`.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "sim/model/statistics.h"

namespace warptime::host {

struct FigureName {
  /// What the figure of several launches is: that of their sum, or the least or the greatest.
  enum class Several : uint8_t { Sum, Least, Most };
  std::string_view name;
  std::string_view unit;  // "%": a share from 0 to 1, written as a percentage
  std::string_view what;
  std::string_view remedy;  // what to change where it misses its limit
  bool timed = false;       // not of a functional run
  Several several = Several::Sum;
  double (*value)(const sim::LaunchStatistics&) = nullptr;
  /// What an instruction has of it: the line with the most is named. nullptr: no line is.
  uint64_t (*of_line)(const sim::InstructionRow&) = nullptr;

  bool is_share() const { return unit == "%"; }
};

/// `findings` is the first: it has no value in the statistics.
std::span<const FigureName> figure_names();
/// nullptr: the table has no row of this name.
const FigureName* find_figure_name(std::string_view name);
inline constexpr std::string_view kFindingsFigure = "findings";

}  // namespace warptime::host
