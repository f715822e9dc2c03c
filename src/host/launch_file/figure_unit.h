// The unit of a figure that `expect_figures` names: of a short name (figure_names.h), of one of the file's own figures,
// or of a number of `total` of the statistics by its dotted name.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "host/launch_file/launch_plan.h"

namespace warptime::host {

struct FigureUnit {
  std::string unit;  // "us"; empty: a number without one
  bool is_share = false;
  bool of_run_only = false;  // it has no value for one launch: one of the file's own figures
  std::string words() const { return unit.empty() ? "a number" : "in " + unit; }
};

/// nullopt: it is not the name of a figure.
std::optional<FigureUnit> unit_of_figure(std::string_view name, const LaunchPlan& plan);

/// "52.3 us", "87.5 %", "1,024 replays".
std::string figure_text(double value, const FigureUnit& unit);

}  // namespace warptime::host
