// A heat map: a cell for each pair of an x and a --by value, coloured by y, with its value in it.
#include <cmath>

#include "cli/plot/plot_chart.h"

namespace warptime::cli {

namespace {

constexpr double kHeatRight = 118, kBarRoom = 22;  // pixels: of the colours' scale and its marks; from panel to scale

/// Viridis: lightness grows evenly, for colour-blind readers and on grey paper, too.
constexpr std::string_view kHeatPalette =
    "set palette defined (0 \"#440154\", 1 \"#482878\", 2 \"#3e4989\", 3 \"#31688e\", 4 \"#26828e\", 5 \"#1f9e89\", "
    "6 \"#35b779\", 7 \"#6ece58\", 7.5 \"#b5de2b\", 8 \"#fde725\")\n";

std::string heat_number(double value) {
  double size = std::abs(value);
  if (size >= 1000) return fmt::format("{:.0f}", value);
  if (size != 0 && size < 0.01) return fmt::format("{:.2g}", value);
  return fmt::format("{:.3g}", value);
}

}  // namespace

PlotScript heat_chart(const PlotTable& table, const PlotRequest& request, const PlotData& data) {
  PlotAxis y = y_axis(table, request, data);
  double low = data.low / y.scale, high = data.high / y.scale;
  if (are_one_place(low, high)) {  // one colour still needs a scale
    low = request.log_y ? low / 2 : low - std::max(std::abs(low) / 2, 0.5);
    high = request.log_y ? high * 2 : high + std::max(std::abs(high) / 2, 0.5);
  }
  auto columns = static_cast<double>(data.categories.size()), rows = static_cast<double>(data.by_values.size());
  double cell = std::clamp(560 / columns, 14.0, 90.0), line = std::clamp(320 / rows, 14.0, 44.0);

  std::string cells, light, dark;
  double widest = 0;
  for (size_t i = 0; i < data.series.size(); ++i)
    for (const PlotPoint& point : data.series[i].points) {
      double value = point.y / y.scale;
      cells += fmt::format("{:g} {} {:.9g}\n", point.x, i, value);
      double share = request.log_y ? log_share(value, low, high) : (value - low) / (high - low);
      widest = std::max(widest, label_width(heat_number(value)));
      (share < 0.6 ? light : dark) += fmt::format("{:g} {} {}\n", point.x, i, gnuplot_cell(heat_number(value)));
    }
  std::string blocks = data_block("cells", cells);
  std::string plots = "plot $cells using 1:2:(0.5):(0.5):3 with boxxyerror fs solid noborder lc palette notitle";
  bool numbers = widest + 6 <= cell && line >= 16;
  for (auto [name, text, colour] : {std::tuple("light", &light, "#ffffff"), std::tuple("dark", &dark, "#000000")}) {
    if (text->empty() || !numbers) continue;
    blocks += data_block(name, *text);
    plots += fmt::format(
        ", \\\n  ${} using 1:2:3 with labels center noenhanced font \"sans-serif,11\" textcolor rgb \"{}\" notitle",
        name, colour);
  }

  PlotScript out;
  double below = 0, beside = 0;
  std::string tics = category_tics("x", data.categories, cell, below);
  tics += category_tics("y", data.by_values, line, beside);
  double left = left_of_marks(beside + 52, below, cell), top = request.title.empty() ? 18 : 42;
  double panel_width = cell * columns, panel_height = line * rows, bottom = below + 34;
  // Room for the scale's words beside low maps.
  double height = std::max(panel_height, text_width(y.label) + 8 - bottom);
  out.width = left + panel_width + kHeatRight;
  out.height = top + height + bottom;
  double under = out.height - top - panel_height;
  out.text = blocks + chart_margins(left, kHeatRight, under, top, out.width, out.height);
  out.text += title_line(request) + x_label(name_with_unit(table.columns[request.x]), out.height) +
              axis_label("y", name_with_unit(table.columns[*request.by])) + axis_label("cb", y.label);
  out.text += std::string(kHeatPalette);
  out.text += fmt::format("set colorbox user origin screen {:.5f},{:.5f} size screen {:.5f},{:.5f}\n",
                          (left + panel_width + kBarRoom) / out.width, under / out.height, 16 / out.width,
                          panel_height / out.height);
  if (request.log_y) out.text += "set logscale cb\n" + log_tics("cb", low, high);
  out.text += fmt::format("set cbrange [{:.9g}:{:.9g}]\nset xrange [-0.5:{:g}]\nset yrange [-0.5:{:g}]\n", low, high,
                          columns - 0.5, rows - 0.5);
  // Without a value: grey.
  out.text +=
      "set object 1 rectangle from graph 0,0 to graph 1,1 behind fc rgb \"#e4e4e4\" fs solid noborder\nunset key\n";
  out.text += tics + plots + "\n";
  return out;
}

}  // namespace warptime::cli
