#include "cli/plot/plot_chart.h"

#include <cmath>

namespace warptime::cli {

namespace {

constexpr double kLegendLine = 19, kLegendSample = 44, kFlatMarks = 18;  // pixels
constexpr size_t kMostLetters = 36;                                      // of a name in a picture

std::string shortened(const std::string& name) {
  if (name.size() <= kMostLetters) return name;
  size_t end = kMostLetters - 2;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80) --end;  // not within a letter
  return name.substr(0, end) + "..";
}

}  // namespace

std::vector<std::string> y_names(const PlotTable& table, const PlotRequest& request) {
  std::vector<std::string> out;
  for (size_t column : request.y) out.push_back(table.columns[column]);
  return out;
}

PlotAxis y_axis(const PlotTable& table, const PlotRequest& request, const PlotData& data) {
  return plot_axis(y_names(table, request), std::max(std::abs(data.low), std::abs(data.high)), !request.log_y);
}

std::string legend_name(const PlotTable& table, const PlotRequest& request, const PlotSeries& series) {
  if (request.by) return shortened(series.name);
  bool one = have_one_unit(y_names(table, request));
  return shortened(one ? words_of_column(series.name) : name_with_unit(series.name));
}

std::string reference_name(const PlotTable& table, const PlotRequest& request) {
  return request.reference_column ? shortened(words_of_column(table.columns[*request.reference_column]))
                                  : fmt::format("reference {:g}", *request.reference_value);
}

bool has_reference(const PlotRequest& request, const PlotData& data) {
  return request.reference_value || !data.reference.points.empty();
}

double legend_width(const PlotTable& table, const PlotRequest& request, const PlotData& data) {
  if (data.series.size() + (has_reference(request, data) ? 1 : 0) < 2) return 0;
  double widest =
      request.by ? text_width(shortened(words_of_column(table.columns[*request.by]))) - kLegendSample + 8 : 0;
  for (const PlotSeries& series : data.series)
    widest = std::max(widest, text_width(legend_name(table, request, series)));
  if (has_reference(request, data)) widest = std::max(widest, text_width(reference_name(table, request)));
  return widest + kLegendSample + 24;
}

std::string plot_legend(const PlotTable& table, const PlotRequest& request, const PlotData& data, double panel_right,
                        double top, double width, double height) {
  if (legend_width(table, request, data) == 0) return "unset key\n";
  std::string out = fmt::format(
      "set key at screen {:.5f},{:.5f} left top vertical maxcols 1 Left reverse samplen 2 spacing {:.2f} noenhanced "
      "noautotitle\n",
      (panel_right + 12) / width, 1 - top / height, kLegendLine / 15);
  if (request.by)
    out += fmt::format("set key title {} left noenhanced\n",
                       gnuplot_text(shortened(words_of_column(table.columns[*request.by]))));
  return out;
}

std::string log_tics(std::string_view axis, double low, double high) {
  std::string out;
  double decades = std::log10(high) - std::log10(low);  // the ratio may be no number
  int every = std::max(1, static_cast<int>(std::ceil(decades / 12)));
  for (int decade = decade_of(low), last = decade_of(high); decade <= last; ++decade)
    for (double step : {1.0, 2.0, 5.0}) {
      double at = step * std::pow(10, decade);
      if (at < low || at > high || (step > 1 && decades > 3) || (every > 1 && decade % every != 0)) continue;
      bool plain = at >= 1e-3 && at < 1e5;
      std::string mark = plain      ? fmt::format("{:g}", at)
                         : step > 1 ? fmt::format("{:g}·10^{{{}}}", step, decade)
                                    : fmt::format("10^{{{}}}", decade);
      out += fmt::format("{}\"{}\" {:g}", out.empty() ? "" : ", ", mark, at);
    }
  return fmt::format("set {}tics ({}) nomirror\n", axis, out);
}

bool are_one_place(double low, double high) {
  return high - low <= 1e-8 * std::max(std::abs(low), std::abs(high));  // scripts have nine digits
}

double log_share(double value, double low, double high) {
  return (std::log(value) - std::log(low)) / (std::log(high) - std::log(low));
}

std::pair<double, double> padded(double low, double high, bool log, bool from_zero) {
  bool one_place = are_one_place(low, high);
  if (log) {
    double room = one_place ? 2 : std::exp(0.06 * (std::log(high) - std::log(low)));
    return {std::max(low / room, kLeastDrawn / 10), std::min(high * room, kMostDrawn * 10)};
  }
  if (low == 0 && high == 0) return {0, 1};
  bool zero_below = low >= 0 && (from_zero || low < 0.5 * high), zero_above = high <= 0 && from_zero;
  double span = zero_below ? high : zero_above ? -low : one_place ? std::abs(low) : high - low;
  return {zero_below ? 0 : low - 0.06 * span, zero_above ? 0 : high + 0.06 * span};
}

std::string axis_label(std::string_view axis, const std::string& text) {
  return text.empty() ? fmt::format("unset {}label\n", axis)
                      : fmt::format("set {}label {} noenhanced\n", axis, gnuplot_text(text));
}

std::string x_label(const std::string& text, double height) {
  if (text.empty()) return "";
  return fmt::format("set label 1 {} at graph 0.5,screen {:.5f} center noenhanced\n", gnuplot_text(text), 14 / height);
}

std::string title_line(const PlotRequest& request) {
  return request.title.empty()
             ? ""
             : fmt::format("set title {} noenhanced font \"sans-serif,14\"\n", gnuplot_text(request.title));
}

std::string category_tics(std::string_view axis, const std::vector<std::string>& names, double slot, double& below) {
  std::string out;
  double widest = 0;
  for (size_t i = 0; i < names.size(); ++i) {
    std::string name = shortened(names[i]);
    widest = std::max(widest, text_width(name));
    out += fmt::format("{}{} {}", i == 0 ? "" : ", ", gnuplot_tic(name), i);
  }
  bool turned = axis == "x" && widest + 8 > slot;
  below = axis == "x" && !turned ? kFlatMarks : turned ? 0.71 * widest + kFlatMarks : widest;
  return fmt::format("set {}tics ({}) noenhanced nomirror scale 0 {}\n", axis, out,
                     turned ? "rotate by 45 right" : "norotate");
}

double left_of_marks(double least, double below, double slot) {
  return below > kFlatMarks ? std::max(least, below - slot / 2) : least;
}

}  // namespace warptime::cli
