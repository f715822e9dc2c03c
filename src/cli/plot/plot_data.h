// The points of a picture, from the rows of a table: a series for each y column and each value of the --by column.
// Rows of a series with the same x are one point, their mean, except in a scatter plot.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/plot/plot_table.h"

namespace warptime::cli {

enum class PlotKind : uint8_t { Line, Bar, Heat, Scatter };

/// What the command line asks for.
struct PlotRequest {
  PlotKind kind = PlotKind::Line;
  size_t x = 0;
  std::vector<size_t> y;
  std::optional<size_t> by;
  bool log_x = false, log_y = false;
  std::optional<double> reference_value;
  std::optional<size_t> reference_column;
  std::string title;
  SourceSpan by_where;  // of its column's name on the command line
};

struct PlotPoint {
  double x = 0;                     // index of its category, where there are categories
  double y = 0, low = 0, high = 0;  // mean, smallest and largest
  uint32_t rows = 0;                // behind this point
};

struct PlotSeries {
  std::string name;
  std::vector<PlotPoint> points;  // by x; of a scatter plot in the order of the rows
};

struct PlotData {
  std::vector<std::string> categories;  // of x; empty: x is a number
  std::vector<std::string> by_values;
  std::vector<PlotSeries> series;  // those with a point; of a heat map one for each of by_values
  PlotSeries reference;            // of the column; without points: none
  size_t left_out = 0;             // rows without a value
  bool has_means = false;          // a point is of several rows
  double low = 0, high = 0;        // of y, the reference included
  double low_x = 0, high_x = 0;
};

/// Colours and dashes tell so many series apart.
inline constexpr size_t kMostSeries = 24;
/// Values that axes can have, but for their sign and 0: gnuplot computes with what lies some way beyond them.
inline constexpr double kLeastDrawn = 1e-300, kMostDrawn = 1e300;
/// Most words on an axis of words.
inline constexpr size_t kMostCategories = 200;

/// Throws host::InputError at the cell that is not a number where one is needed.
PlotData plot_data(const PlotTable& table, const PlotRequest& request);

/// The end of a sentence; "": it can be drawn. `log`: on a logarithmic axis, where it is above 0.
std::string why_not_drawn(double value, bool log);

/// The kind of picture that suits an x column: lines for numbers, bars for words.
PlotKind default_kind(const PlotTable& table, size_t x);

}  // namespace warptime::cli
