// The pictures of `warptime plot`: gnuplot's scripts, with all that they draw. Sizes are in pixels of the SVG; a PNG
// has twice as many.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "cli/chart.h"
#include "cli/plot/plot_data.h"
#include "cli/plot/plot_units.h"
#include "cli/validate/label_places.h"

namespace warptime::cli {

/// A script, but for its first line, which sets the terminal.
struct PlotScript {
  double width = 0, height = 0;
  std::string text;
};

PlotScript xy_chart(const PlotTable& table, const PlotRequest& request, const PlotData& data);
PlotScript bar_chart(const PlotTable& table, const PlotRequest& request, const PlotData& data);
PlotScript heat_chart(const PlotTable& table, const PlotRequest& request, const PlotData& data);

// Colours that colour-blind readers can distinguish (Okabe and Ito); beyond eight series dashes or outlines tell them
// apart.
inline constexpr std::array<std::string_view, 8> kPlotColours{"#0072b2", "#e69f00", "#009e73", "#d55e00",
                                                              "#56b4e9", "#cc79a7", "#000000", "#b8a800"};
inline std::string_view plot_colour(size_t series) { return kPlotColours[series % kPlotColours.size()]; }

/// The width of a text in letters of 12 pixels.
inline double text_width(std::string_view text) { return label_width(text) * 12 / 11; }

/// The columns that -y names.
std::vector<std::string> y_names(const PlotTable& table, const PlotRequest& request);
/// The y axis: its label and scale. On a logarithmic axis values stay as they are.
PlotAxis y_axis(const PlotTable& table, const PlotRequest& request, const PlotData& data);
/// The name of a series in the legend.
std::string legend_name(const PlotTable& table, const PlotRequest& request, const PlotSeries& series);
/// "reference 100", or the column's name.
std::string reference_name(const PlotTable& table, const PlotRequest& request);
bool has_reference(const PlotRequest& request, const PlotData& data);

/// A legend to the right of the panel, with the --by column as its title; nothing for a single series. `right`: the
/// room that it needs there.
std::string plot_legend(const PlotTable& table, const PlotRequest& request, const PlotData& data, double panel_right,
                        double top, double width, double height);
double legend_width(const PlotTable& table, const PlotRequest& request, const PlotData& data);

/// Marks of an axis from `low` to `high`, both scaled: `set ytics (...)`. Of a logarithmic one 1, 2, 5, 10, ..., or
/// powers of ten where there are many.
std::string log_tics(std::string_view axis, double low, double high);
/// Whether a picture cannot tell them apart.
bool are_one_place(double low, double high);
/// Where a value lies on a logarithmic axis: 0 at `low`, 1 at `high`.
double log_share(double value, double low, double high);
/// The range of values from `low` to `high`, with room around.
std::pair<double, double> padded(double low, double high, bool log, bool from_zero);

std::string axis_label(std::string_view axis, const std::string& text);
/// The words below the x axis, near the lower edge: gnuplot would put them below turned marks as it guesses their size.
std::string x_label(const std::string& text, double height);
std::string title_line(const PlotRequest& request);
/// Marks of categories at 0, 1, ...; `slot`: pixels for each. `below`: the room that they need there. Wide ones on the
/// x axis are turned by 45 degrees, and reach as far to the left.
std::string category_tics(std::string_view axis, const std::vector<std::string>& names, double slot, double& below);

/// At least `least`, and room for the first turned mark.
double left_of_marks(double least, double below, double slot);

}  // namespace warptime::cli
