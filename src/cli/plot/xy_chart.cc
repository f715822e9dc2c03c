// Lines and scattered points on two axes of numbers, or over categories.
#include <cmath>
#include <set>

#include "cli/plot/plot_chart.h"

namespace warptime::cli {

namespace {

constexpr double kXyPanelWidth = 600, kXyPanelHeight = 360, kLeftOfXy = 84;  // pixels
constexpr std::array<int, 6> kXyShapes{7, 5, 9, 11, 13, 4};                  // gnuplot's numbers

/// Marks at the values themselves where they are few and far enough apart.
std::string x_tics(const PlotRequest& request, const PlotData& data, double scale, double low, double high) {
  std::set<double> values;
  for (const PlotSeries& series : data.series)
    for (const PlotPoint& point : series.points) values.insert(point.x / scale);
  auto pixel = [&](double x) {
    return (request.log_x ? log_share(x, low, high) : (x - low) / (high - low)) * kXyPanelWidth;
  };
  std::string out;
  double free_from = -1e9;
  for (double x : values) {
    std::string mark = fmt::format("{:.6g}", x);
    double half = text_width(mark) / 2 + 4;
    if (values.size() > 16 || pixel(x) - half < free_from || mark.find('e') != std::string::npos)
      return request.log_x ? log_tics("x", low, high) : "set xtics nomirror\n";
    free_from = pixel(x) + half;
    out += fmt::format("{}\"{}\" {:.12g}", out.empty() ? "" : ", ", mark, x);
  }
  return fmt::format("set xtics ({}) nomirror\n", out);
}

}  // namespace

PlotScript xy_chart(const PlotTable& table, const PlotRequest& request, const PlotData& data) {
  bool words = !data.categories.empty(), lines = request.kind == PlotKind::Line;
  PlotAxis y = y_axis(table, request, data), x;
  x.label = words ? words_of_column(table.columns[request.x]) : "";
  if (!words)
    x = plot_axis({table.columns[request.x]}, std::max(std::abs(data.low_x), std::abs(data.high_x)),
                  !request.log_x && !unit_of_column(table.columns[request.x]).empty());
  auto [low, high] = padded(data.low / y.scale, data.high / y.scale, request.log_y, false);
  auto [left, right] = padded(data.low_x / x.scale, data.high_x / x.scale, request.log_x, false);
  double tics_height = 18;
  std::string tics;
  if (words) {
    left = -0.5, right = static_cast<double>(data.categories.size()) - 0.5;
    tics =
        category_tics("x", data.categories, kXyPanelWidth / static_cast<double>(data.categories.size()), tics_height);
  } else {
    tics = x_tics(request, data, x.scale, left, right);
  }

  std::string blocks, plots;
  auto add = [&](const std::string& plot) { plots += (plots.empty() ? "plot " : ", \\\n  ") + plot; };
  for (size_t i = 0; i < data.series.size(); ++i) {
    std::string points, spread;
    for (const PlotPoint& point : data.series[i].points) {
      points += fmt::format("{:.9g} {:.9g}\n", point.x / x.scale, point.y / y.scale);
      if (point.low != point.high)
        spread += fmt::format("{:.9g} {:.9g} {:.9g} {:.9g}\n", point.x / x.scale, point.y / y.scale,
                              point.low / y.scale, point.high / y.scale);
    }
    std::string name = gnuplot_text(legend_name(table, request, data.series[i]));
    size_t round = i / kPlotColours.size();
    std::string colour = fmt::format("lc rgb \"{}\"", plot_colour(i));
    blocks += data_block(fmt::format("series{}", i), points);
    if (!spread.empty()) {
      blocks += data_block(fmt::format("spread{}", i), spread);
      add(fmt::format("$spread{} using 1:2:3:4 with yerrorbars pt 0 lw 1 {} notitle", i, colour));
    }
    add(fmt::format("$series{} using 1:2 with {} {} pt {} ps 0.7 {} title {}", i, lines ? "linespoints lw 2" : "points",
                    lines ? fmt::format("dt {}", round + 1) : "", kXyShapes[(i + round) % kXyShapes.size()], colour,
                    name));
  }
  if (!data.reference.points.empty()) {
    std::string points;
    for (const PlotPoint& point : data.reference.points)
      points += fmt::format("{:.9g} {:.9g}\n", point.x / x.scale, point.y / y.scale);
    blocks += data_block("reference", points);
  }
  if (has_reference(request, data))
    add(fmt::format(
        "{} with lines lw 1.5 dt 2 lc rgb \"#505050\" title {}",
        request.reference_value ? fmt::format("{:.9g}", *request.reference_value / y.scale) : "$reference using 1:2",
        gnuplot_text(reference_name(table, request))));

  PlotScript out;
  double margin = left_of_marks(kLeftOfXy, words ? tics_height : 0,
                                kXyPanelWidth / std::max<double>(1, static_cast<double>(data.categories.size())));
  double top = request.title.empty() ? 18 : 42, bottom = tics_height + 34;
  double legend = legend_width(table, request, data);
  double panel = std::max(kXyPanelHeight, 19.0 * static_cast<double>(data.series.size() + 2));
  out.width = margin + kXyPanelWidth + std::max(legend, 24.0);
  out.height = top + panel + bottom;
  out.text = blocks + chart_margins(margin, out.width - margin - kXyPanelWidth, bottom, top, out.width, out.height);
  out.text += title_line(request) + x_label(x.label, out.height) + axis_label("y", y.label);
  if (request.log_x && !words) out.text += "set logscale x\n";
  if (request.log_y) out.text += "set logscale y\n";
  out.text += fmt::format("set xrange [{:.9g}:{:.9g}]\nset yrange [{:.9g}:{:.9g}]\n", left, right, low, high);
  out.text += tics + (request.log_y ? log_tics("y", low, high) : "set ytics nomirror\n");
  out.text += "set grid lw 0.5 lc rgb \"#d8d8d8\"\n";
  out.text += plot_legend(table, request, data, margin + kXyPanelWidth, top, out.width, out.height);
  out.text += plots + "\n";
  return out;
}

}  // namespace warptime::cli
