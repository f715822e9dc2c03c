// What all charts have in common: gnuplot's settings of the terminal, the legend and the margins, and blocks of data.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "cli/gnuplot.h"

namespace warptime::cli {

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

/// The power of ten at or below a positive value.
inline int decade_of(double value) {
  return static_cast<int>(std::floor(std::log10(std::clamp(value, 1e-307, 1e307))));
}

inline std::string data_block(std::string_view name, std::string_view lines) {
  return fmt::format("${} << EOD\n{}EOD\n", name, lines);
}

}  // namespace warptime::cli
