// Places for the names of a chart's points, so that no name covers a point or another name: gnuplot puts a label beside
// its point, whatever lies there.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warptime::cli {

struct ChartPoint {
  double x = 0, y = 0;  // pixels in the panel, from its lower left corner
  std::string name;
};

struct LabelPlace {
  enum class Align : uint8_t { Left, Center, Right };
  Align align = Align::Left;    // the part of the text that is at x
  double x = 0, y = 0;          // at half its height
  bool leader = false;          // far from its point: a line leads there
  double end_x = 0, end_y = 0;  // of that line
};

inline constexpr double kLabelHeight = 13;  // of letters of 11 pixels
/// The width of a text in letters of 11 pixels, as far as that can be told without their font.
double label_width(std::string_view text);

/// One for each point, in order: the nearest place that is free; where none is, one that covers least.
std::vector<LabelPlace> label_places(const std::vector<ChartPoint>& points, double width, double height);

}  // namespace warptime::cli
