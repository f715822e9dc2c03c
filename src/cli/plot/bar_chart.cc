// Bars over categories, side by side where there are several series.
#include <cmath>

#include "cli/plot/plot_chart.h"

namespace warptime::cli {

namespace {

constexpr double kBarsHeight = 340, kLeastBars = 480, kBarPixels = 16, kMostBars = 6000;  // pixels
constexpr double kCluster = 0.8;                                                          // of a category's room

/// From the smallest to the largest, with an end at each: gnuplot's error bars would clear a hole in the bar.
std::string spread_lines(double at, double half, double low, double high) {
  return fmt::format(
      "{0:.9g} {3:.9g}\n{0:.9g} {4:.9g}\n\n{1:.9g} {3:.9g}\n{2:.9g} {3:.9g}\n\n{1:.9g} {4:.9g}\n{2:.9g} {4:.9g}\n\n",
      at, at - half, at + half, low, high);
}

}  // namespace

PlotScript bar_chart(const PlotTable& table, const PlotRequest& request, const PlotData& data) {
  PlotAxis y = y_axis(table, request, data);
  auto [low, high] = padded(data.low / y.scale, data.high / y.scale, request.log_y, true);
  auto count = static_cast<double>(data.categories.size()), series = static_cast<double>(data.series.size());
  double base = request.log_y ? low : 0, bar = kCluster / series;

  std::string blocks, plots;
  auto add = [&](const std::string& plot) { plots += (plots.empty() ? "plot " : ", \\\n  ") + plot; };
  for (size_t i = 0; i < data.series.size(); ++i) {
    std::string boxes, spread;
    for (const PlotPoint& point : data.series[i].points) {
      double from = point.x - kCluster / 2 + static_cast<double>(i) * bar, value = point.y / y.scale;
      boxes += fmt::format("{:.9g} {:.9g} {:.9g} {:.9g} {:.9g} {:.9g}\n", from + bar / 2, value, from + 0.04 * bar,
                           from + 0.96 * bar, std::min(base, value), std::max(base, value));
      if (point.low != point.high)
        spread += spread_lines(from + bar / 2, 0.2 * bar, point.low / y.scale, point.high / y.scale);
    }
    blocks += data_block(fmt::format("series{}", i), boxes);
    // Eight colours, each again in two kinds of hatching.
    std::string_view fill = i < 8 ? "solid" : i < 16 ? "pattern 1" : "pattern 2";
    add(fmt::format("$series{} using 1:2:3:4:5:6 with boxxyerror fs {} lw 1 lc rgb \"{}\" title {}", i, fill,
                    plot_colour(i), gnuplot_text(legend_name(table, request, data.series[i]))));
    if (spread.empty()) continue;
    blocks += data_block(fmt::format("spread{}", i), spread);
    add(fmt::format("$spread{} using 1:2 with lines lw 1 lc rgb \"#202020\" notitle", i));
  }
  if (!data.reference.points.empty()) {
    std::string lines;
    for (const PlotPoint& point : data.reference.points)
      lines += fmt::format("{0:.9g} {2:.9g}\n{1:.9g} {2:.9g}\n\n", point.x - 0.47, point.x + 0.47, point.y / y.scale);
    blocks += data_block("reference", lines);
  }
  if (has_reference(request, data))
    add(fmt::format(
        "{} with lines lw 2 dt {} lc rgb \"#202020\" title {}",
        request.reference_value ? fmt::format("{:.9g}", *request.reference_value / y.scale) : "$reference using 1:2",
        request.reference_value ? 2 : 1, gnuplot_text(reference_name(table, request))));

  PlotScript out;
  double panel = std::clamp(count * (series * kBarPixels + 10), kLeastBars, kMostBars), below = 0;
  std::string tics = category_tics("x", data.categories, panel / count, below);
  double left = left_of_marks(84, below, panel / count), top = request.title.empty() ? 18 : 42;
  double bottom = below + 34, height = std::max(kBarsHeight, 19.0 * (series + 2));
  out.width = left + panel + std::max(legend_width(table, request, data), 24.0);
  out.height = top + height + bottom;
  out.text = blocks + chart_margins(left, out.width - left - panel, bottom, top, out.width, out.height);
  out.text +=
      title_line(request) + x_label(name_with_unit(table.columns[request.x]), out.height) + axis_label("y", y.label);
  if (request.log_y) out.text += "set logscale y\n";
  out.text += fmt::format("set xrange [-0.5:{:.9g}]\nset yrange [{:.9g}:{:.9g}]\n", count - 0.5, low, high);
  out.text += tics + (request.log_y ? log_tics("y", low, high) : "set ytics nomirror\n");
  out.text += "set grid ytics lw 0.5 lc rgb \"#d8d8d8\"\n";
  if (low < 0 && high > 0)
    out.text += "set arrow from graph 0,first 0 to graph 1,first 0 nohead lw 1 lc rgb \"#606060\" front\n";
  out.text += plot_legend(table, request, data, left + panel, top, out.width, out.height);
  out.text += plots + "\n";
  return out;
}

}  // namespace warptime::cli
