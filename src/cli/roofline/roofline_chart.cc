// The chart of a roofline: gnuplot's script, with all that it draws.
#include <algorithm>
#include <array>
#include <cmath>

#include "cli/chart.h"
#include "cli/roofline/roofline_output.h"
#include "cli/validate/label_places.h"
#include "host/roofline/roofs.h"

namespace warptime::cli {

namespace {

constexpr double kPanelWidth = 620, kPanelHeight = 440, kLeftOfRoofs = 74, kLegend = 330, kOverRoofs = 40,
                 kUnderRoofs = 58;  // pixels

// Colours that colour-blind readers can distinguish; of bandwidths, and of rates of computation.
constexpr std::array<std::string_view, 9> kMemoryColours{"#0072b2", "#56b4e9", "#009e73", "#cc79a7", "#e69f00",
                                                         "#d55e00", "#8a8a8a", "#7a5195", "#b0a000"};
constexpr std::array<std::string_view, 5> kGreys{"#000000", "#404040", "#707070", "#909090", "#b0b0b0"};

struct RoofAxis {
  double low = 0, high = 0, pixels = 0;
  double pixel(double value) const { return std::log(value / low) / std::log(high / low) * pixels; }
  double value(double pixel) const { return low * std::pow(high / low, pixel / pixels); }
};

struct RoofFrame {
  RoofAxis x, y;
};

/// The points, the ridge and the peak, with room around.
RoofFrame frame_of(const RooflineInput& input, double peak, double bandwidth) {
  double low_x = peak / bandwidth, high_x = low_x, low_y = peak;
  for (const host::RooflinePoint& point : input.points) {
    for (const auto& x : {point.by_dram, point.by_request}) {
      if (!x) continue;
      low_x = std::min(low_x, *x);
      high_x = std::max(high_x, *x);
    }
    low_y = std::min(low_y, point.gflops);
  }
  low_x /= 8;
  return {{low_x, high_x * 8, kPanelWidth}, {std::min(low_y / 4, low_x * bandwidth), peak * 2, kPanelHeight}};
}

std::string line_style(const host::Roof& roof, std::string_view colour, std::string_view unit) {
  bool ceiling = roof.kind == host::Roof::Kind::Ceiling;
  std::string title = gnuplot_text(fmt::format("{}: {:.4g} {}", roof.name, roof.rate, unit));
  return fmt::format("with lines lw {} dt {} lc rgb \"{}\" title {}", ceiling ? 1 : 1.6, ceiling ? 2 : 1, colour,
                     title);
}

/// A block for each roof, and its plot.
void draw_roofs(const RooflineInput& input, const RoofFrame& frame, std::string& blocks,
                std::vector<std::string>& plots) {
  std::vector<host::Roof> rates = host::compute_roofs(input.machine.config);
  std::vector<host::Roof> memories = host::bandwidth_roofs(input.machine.config);
  double peak = rates.front().rate, dram = memories.front().rate;
  for (size_t i = 0; i < memories.size(); ++i) {
    double ridge = std::min(peak / memories[i].rate, frame.x.high);
    blocks += data_block(fmt::format("memory{}", i),
                         fmt::format("{:.6g} {:.6g}\n{:.6g} {:.6g}\n", frame.x.low, frame.x.low * memories[i].rate,
                                     ridge, ridge * memories[i].rate));
    plots.push_back(fmt::format("$memory{} using 1:2 {}", i,
                                line_style(memories[i], kMemoryColours[i % kMemoryColours.size()], "GB/s")));
  }
  for (size_t i = 0; i < rates.size(); ++i) {
    double from = std::clamp(rates[i].rate / dram, frame.x.low, frame.x.high);
    blocks += data_block(fmt::format("rate{}", i), fmt::format("{:.6g} {:.6g}\n{:.6g} {:.6g}\n", from, rates[i].rate,
                                                               frame.x.high, rates[i].rate));
    plots.push_back(fmt::format("$rate{} using 1:2 {}", i, line_style(rates[i], kGreys[i % kGreys.size()], "GFLOP/s")));
  }
}

void draw_points(const RooflineInput& input, const RoofFrame& frame, std::string& blocks,
                 std::vector<std::string>& plots) {
  std::string by_dram, by_request, joined;
  std::vector<ChartPoint> places;
  for (const host::RooflinePoint& point : input.points) {
    auto line = [&](double x) { return fmt::format("{:.6g} {:.6g}\n", x, point.gflops); };
    if (point.by_dram) by_dram += line(*point.by_dram);
    if (point.by_request) by_request += line(*point.by_request);
    if (point.by_dram && point.by_request) joined += line(*point.by_dram) + line(*point.by_request) + "\n";
    double x = point.by_dram.value_or(point.by_request.value_or(frame.x.high / 2));
    places.push_back({frame.x.pixel(x), frame.y.pixel(point.gflops), point.name});
  }
  auto add = [&](std::string_view name, const std::string& lines, std::string_view style) {
    if (lines.empty()) return;
    blocks += data_block(name, lines);
    plots.push_back(fmt::format("${} {}", name, style));
  };
  add("joined", joined, "using 1:2 with lines lw 0.75 lc rgb \"#707070\" notitle");
  add("by_dram", by_dram, "using 1:2 with points pt 7 ps 0.9 lc rgb \"#c00000\" title \"kernel, by DRAM bytes\"");
  add("by_request", by_request,
      "using 1:2 with points pt 6 ps 0.9 lc rgb \"#c00000\" title \"the same, by requested bytes\"");
  std::vector<LabelPlace> labels = label_places(places, frame.x.pixels, frame.y.pixels);
  constexpr std::array<std::string_view, 3> kAlignments{"left", "center", "right"};  // as LabelPlace::Align
  std::array<std::string, kAlignments.size()> texts;
  std::string leaders;
  for (size_t i = 0; i < places.size(); ++i) {
    auto at = [&](double x, double y) { return fmt::format("{:.6g} {:.6g}", frame.x.value(x), frame.y.value(y)); };
    texts[static_cast<size_t>(labels[i].align)] +=
        at(labels[i].x, labels[i].y) + " " + gnuplot_cell(places[i].name) + "\n";
    if (labels[i].leader)
      leaders += at(places[i].x, places[i].y) + "\n" + at(labels[i].end_x, labels[i].end_y) + "\n\n";
  }
  add("leaders", leaders, "using 1:2 with lines lw 0.75 lc rgb \"#707070\" notitle");
  for (size_t i = 0; i < texts.size(); ++i)
    add(kAlignments[i], texts[i],
        fmt::format("using 1:2:3 with labels {} noenhanced font \"sans-serif,11\" notitle", kAlignments[i]));
}

}  // namespace

std::string roofline_chart(const RooflineInput& input) {
  double peak = host::compute_roofs(input.machine.config).front().rate;
  double dram = host::bandwidth_roofs(input.machine.config).front().rate;
  RoofFrame frame = frame_of(input, peak, dram);
  std::string blocks;
  std::vector<std::string> plots;
  draw_roofs(input, frame, blocks, plots);
  draw_points(input, frame, blocks, plots);
  double width = kLeftOfRoofs + kPanelWidth + kLegend, height = kOverRoofs + kPanelHeight + kUnderRoofs;
  std::string out = "# Roofs of a machine and the points of kernels: gnuplot FILE > FILE.svg\n" + blocks;
  out += chart_head(width, height) + chart_margins(kLeftOfRoofs, kLegend, kUnderRoofs, kOverRoofs, width, height);
  out += fmt::format("set logscale xy\nset xrange [{:.6g}:{:.6g}]\nset yrange [{:.6g}:{:.6g}]\n", frame.x.low,
                     frame.x.high, frame.y.low, frame.y.high);
  out += fmt::format("set title {} noenhanced font \"sans-serif,14\"\n",
                     gnuplot_text(fmt::format("Roofline of {}", input.machine.name)));
  out +=
      "set grid lw 0.5 lc rgb \"#d8d8d8\"\nset xlabel \"floating-point operations per byte\"\n"
      "set ylabel \"GFLOP/s\"\n";
  out +=
      fmt::format("set key at screen {:.5f},{:.5f} left top Left reverse samplen 2 noenhanced font \"sans-serif,11\"\n",
                  (kLeftOfRoofs + kPanelWidth + 14) / width, 1 - kOverRoofs / height);
  return out + fmt::format("plot {}\n", fmt::join(plots, ", \\\n  "));
}

}  // namespace warptime::cli
