// The figures of a run by the names that a validation table gives them, RUN.FIGURE: a figure of the program, a number
// of the report's `total`, or any other path of the report (`warptime list statistics`).
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "host/validation/validation.h"

namespace warptime::cli {

/// "RUN.FIGURE" in its parts.
struct RunFigure {
  explicit RunFigure(std::string_view text);
  std::string run, name;
};

/// A number or text of a report by its dotted name.
std::optional<host::FigureValue> find_figure(const nlohmann::ordered_json& report, const std::string& name);

/// An error at the name in the row's value, with the nearest name that the report has.
void report_unknown_figure(const host::ValidationRow& row, const host::Evaluated& value,
                           const nlohmann::ordered_json& report, Diagnostics& mistakes);

}  // namespace warptime::cli
