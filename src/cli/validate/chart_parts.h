// What the charts of a validation page have in common: the colour and point of each role.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "cli/chart.h"
#include "cli/validate/validate_report.h"

namespace warptime::cli {

using Outcomes = std::vector<const host::ValidationOutcome*>;

// Colours that colour-blind readers can distinguish; gnuplot's numbers of the points.
inline constexpr std::array<std::string_view, host::kRoles.size()> kRoleColours{"#8a8a8a", "#e69f00", "#0072b2",
                                                                                "#cc79a7", "#56b4e9", "#009e73"};
inline constexpr std::array<int, host::kRoles.size()> kRolePoints{4, 5, 7, 9, 11, 13};

/// The roles of these rows, in the order of the roles.
inline std::vector<host::Role> roles_of(const Outcomes& rows) {
  std::vector<host::Role> out;
  for (size_t i = 0; i < host::kRoles.size(); ++i) {
    auto role = static_cast<host::Role>(i);
    if (std::any_of(rows.begin(), rows.end(), [&](const auto* row) { return row->role == role; })) out.push_back(role);
  }
  return out;
}

}  // namespace warptime::cli
