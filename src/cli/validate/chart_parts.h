// What the charts of a validation page have in common: gnuplot's settings, and the colour and point of each role.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "cli/gnuplot.h"
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

inline std::string chart_head(double width, double height) {
  return fmt::format(
      "set terminal svg size {:.0f},{:.0f} font \"sans-serif,12\" background \"#ffffff\"\n"
      "set encoding utf8\n"
      "set border lw 0.75 lc rgb \"#606060\"\n",
      width, height);
}

/// The legend in one line, in the middle, `above` pixels above the lower edge.
inline std::string chart_key(double height, double above) {
  return fmt::format("set key at screen 0.5,{:.5f} center center horizontal maxrows 1 Left reverse samplen 2\n",
                     above / height);
}

/// The place of the axes, in pixels from the left, right, lower and upper edge of the whole.
inline std::string chart_margins(double left, double right, double bottom, double top, double width, double height) {
  return fmt::format(
      "set lmargin at screen {:.5f}\nset rmargin at screen {:.5f}\nset bmargin at screen {:.5f}\n"
      "set tmargin at screen {:.5f}\n",
      left / width, 1 - right / width, bottom / height, 1 - top / height);
}

inline std::string data_block(std::string_view name, std::string_view lines) {
  return fmt::format("${} << EOD\n{}EOD\n", name, lines);
}

}  // namespace warptime::cli
