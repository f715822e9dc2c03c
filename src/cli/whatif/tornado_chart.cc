#include "cli/whatif/tornado_chart.h"

#include <algorithm>
#include <cmath>

#include "cli/chart.h"

namespace warptime::cli {

namespace {

constexpr double kTornadoRow = 20, kTornadoAxis = 520, kRightOfBars = 110, kOverTornado = 44,
                 kUnderTornado = 82;  // pixels

/// A round number that is at least the largest change, in percent.
double end_of_tornado(double largest) {
  double decade = std::pow(10, std::floor(std::log10(largest)));
  for (double step : {1.0, 1.5, 2.0, 3.0, 5.0, 7.5})
    if (step * decade >= largest) return step * decade;
  return 10 * decade;
}

}  // namespace

std::string tornado_chart(const std::vector<host::TornadoBar>& bars, size_t top, const std::string& title) {
  size_t shown = std::min(top, bars.size()), letters = 0;
  double least = 0, most = 0;
  std::string won, lost, won_values, lost_values;
  for (size_t i = 0; i < shown; ++i) {
    const host::TornadoBar& bar = bars[i];
    std::string name = fmt::format("{} ({})", bar.parameter, bar.own);
    letters = std::max(letters, name.size());
    auto add = [&](const host::TornadoValue& value, std::string& block, std::string& values) {
      block += fmt::format("-{} {:.6g} {}\n", i, 100 * value.change, gnuplot_cell(name));
      if (value.change != 0) values += fmt::format("-{} {:.6g} {}\n", i, 100 * value.change, gnuplot_cell(value.value));
    };
    add(bar.won, won, won_values);
    add(bar.lost, lost, lost_values);
    least = std::min(least, 100 * bar.won.change);
    most = std::max(most, 100 * bar.lost.change);
  }
  // Room for the values beside the bars.
  double low = least < 0 ? -end_of_tornado(-least) : 0, high = most > 0 ? end_of_tornado(most) : 0,
         room = 0.12 * (high - low);
  double left = 7 * static_cast<double>(letters) + 24, width = left + kTornadoAxis + kRightOfBars;
  double height = kOverTornado + kTornadoRow * static_cast<double>(shown) + kUnderTornado;

  std::string out =
      "# Change of time in percent by the best and the worst value of each parameter: gnuplot FILE > FILE.svg\n";
  out += data_block("won", won) + data_block("lost", lost);
  if (!won_values.empty()) out += data_block("won_values", won_values);
  if (!lost_values.empty()) out += data_block("lost_values", lost_values);
  out += chart_head(width, height) + chart_margins(left, kRightOfBars, kUnderTornado, kOverTornado, width, height) +
         chart_key(height, 12);
  out += fmt::format("set xrange [{:.6g}:{:.6g}]\nset yrange [{:.1f}:0.6]\n", low - room, high + room,
                     0.4 - static_cast<double>(shown));
  out += fmt::format(
      "set title {} noenhanced font \"sans-serif,14\" offset 0,0.2\n"
      "set xlabel \"change of time, %\"\nset ytics noenhanced scale 0 textcolor rgb \"black\"\n"
      "set grid xtics lw 0.5 lc rgb \"#d8d8d8\"\nset style fill solid noborder\n"
      "set arrow from first 0,graph 0 to first 0,graph 1 nohead lw 1 lc rgb \"#606060\" front\n",
      gnuplot_text(title));
  auto plot = [](std::string_view block, std::string_view colour, std::string_view words) {
    return fmt::format(
        "${} using ($2/2):1:(0):2:($1-0.36):($1+0.36):ytic(3) with boxxyerror lc rgb \"{}\" title \"{}\"", block,
        colour, words);
  };
  out += "plot " + plot("won", "#0072b2", "faster") + ", \\\n  " + plot("lost", "#e69f00", "slower");
  std::string_view labels = "noenhanced font \"sans-serif,11\" notitle";
  if (!won_values.empty())
    out += fmt::format(", \\\n  $won_values using 2:1:3 with labels right offset -0.6,0 {}", labels);
  if (!lost_values.empty())
    out += fmt::format(", \\\n  $lost_values using 2:1:3 with labels left offset 0.6,0 {}", labels);
  return out + "\n";
}

}  // namespace warptime::cli
