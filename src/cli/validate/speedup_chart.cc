// The chart of speed-ups: gnuplot's script, with all that it draws.
#include <cmath>

#include "cli/validate/chart_parts.h"
#include "cli/validate/label_places.h"

namespace warptime::cli {

namespace {

constexpr double kPanel = 430, kLeftOfPanel = 66, kRightOfPanel = 14, kOverPanels = 42, kUnderPanels = 84;  // pixels

/// Rows of one quantity; the first panel also has those of quantities with a single row.
struct Panel {
  std::string quantity;
  Outcomes rows;
};

double published_speedup(const host::ValidationOutcome& row) { return std::get<double>(row.row->published); }
double simulated_speedup(const host::ValidationOutcome& row) { return std::get<double>(*row.simulated); }

bool has_place(const host::ValidationOutcome& row) {
  return host::kind_of(row) == host::QuantityKind::Speedup && row.simulated &&
         std::holds_alternative<double>(*row.simulated) && published_speedup(row) > 0 && simulated_speedup(row) > 0;
}

std::vector<Panel> panels_of(const Outcomes& rows) {
  std::vector<Panel> all, out;
  for (const host::ValidationOutcome* row : rows) {
    auto same = [&](const Panel& panel) { return panel.quantity == row->row->quantity; };
    auto found = std::find_if(all.begin(), all.end(), same);
    if (found == all.end()) found = all.insert(found, {row->row->quantity, {}});
    found->rows.push_back(row);
  }
  for (Panel& panel : all)
    if (panel.rows.size() > 1) out.push_back(panel);
  if (out.empty()) return {{"speed-ups", rows}};
  for (Panel& panel : all)
    if (panel.rows.size() == 1) out.front().rows.push_back(panel.rows.front());
  return out;
}

/// "matmul" of matmul/kernel_speedup in the panel of kernel_speedup; the whole name of any other row.
std::string name_in(const Panel& panel, const host::ValidationOutcome& row) {
  std::string name = row.row->name, end = "/" + panel.quantity;
  if (name.ends_with(end)) name.erase(name.size() - end.size());
  return name;
}

/// Both axes of every panel.
struct LogAxis {
  double low, high;
  double pixel(double value) const { return std::log(value / low) / std::log(high / low) * kPanel; }
  double value(double pixel) const { return low * std::pow(high / low, pixel / kPanel); }
};

LogAxis axis_of(const Outcomes& rows) {
  LogAxis out{published_speedup(*rows[0]), published_speedup(*rows[0])};
  for (const host::ValidationOutcome* row : rows)
    for (double value : {published_speedup(*row), simulated_speedup(*row)}) {
      out.low = std::min(out.low, value);
      out.high = std::max(out.high, value);
    }
  return {out.low / 2, out.high * 2};
}

/// 1, 2, 5, 10, ...; powers of ten alone where there are many.
std::string tics(const LogAxis& axis) {
  std::string out;
  for (int decade = decade_of(axis.low), last = decade_of(axis.high); decade <= last; ++decade)
    for (double step : {1.0, 2.0, 5.0}) {
      double at = step * std::pow(10, decade);
      if (at < axis.low || at > axis.high || (step > 1 && axis.high / axis.low > 1e4)) continue;
      out += fmt::format("{}{:g}", out.empty() ? "" : ", ", at);
    }
  return fmt::format("set xtics ({0})\nset ytics ({0})\n", out);
}

std::string point_block(size_t panel, host::Role role) {
  return fmt::format("panel{}_{}", panel, host::role_name(role));
}

constexpr std::array<std::string_view, 3> kAlignments{"left", "center", "right"};  // as LabelPlace::Align

/// What the points of a panel are drawn from: a block for each role, one for the names of each alignment, and one for
/// the lines to names that are far from their points. The names of the blocks are in `blocks`.
std::string data_of(size_t number, const Panel& panel, const LogAxis& axis, std::vector<std::string>& blocks) {
  std::string out, leaders;
  std::array<std::string, kAlignments.size()> labels;
  std::vector<ChartPoint> points;
  for (host::Role role : roles_of(panel.rows)) {
    std::string lines;
    for (const host::ValidationOutcome* row : panel.rows) {
      if (row->role != role) continue;
      double x = published_speedup(*row), y = simulated_speedup(*row);
      lines += fmt::format("{:.6g} {:.6g} {}\n", x, y, gnuplot_cell(row->row->name));
      points.push_back({axis.pixel(x), axis.pixel(y), name_in(panel, *row)});
    }
    out += data_block(point_block(number, role), lines);
  }
  std::vector<LabelPlace> places = label_places(points, kPanel, kPanel);
  for (size_t i = 0; i < points.size(); ++i) {
    auto at = [&](double x, double y) { return fmt::format("{:.6g} {:.6g}", axis.value(x), axis.value(y)); };
    const LabelPlace& place = places[i];
    labels[static_cast<size_t>(place.align)] += at(place.x, place.y) + " " + gnuplot_cell(points[i].name) + "\n";
    if (place.leader) leaders += at(points[i].x, points[i].y) + "\n" + at(place.end_x, place.end_y) + "\n\n";
  }
  auto add = [&](std::string_view name, const std::string& lines, std::string_view style) {
    if (lines.empty()) return;
    out += data_block(fmt::format("panel{}_{}", number, name), lines);
    blocks.push_back(fmt::format("$panel{}_{} {}", number, name, style));
  };
  add("leaders", leaders, "using 1:2 with lines lw 0.75 lc rgb \"#707070\"");
  for (size_t i = 0; i < labels.size(); ++i)
    add(kAlignments[i], labels[i],
        fmt::format("using 1:2:3 with labels {} noenhanced font \"sans-serif,11\"", kAlignments[i]));
  return out;
}

constexpr std::string_view kBandStyle = "with filledcurves fc rgb \"#e3ebf3\"";
constexpr std::string_view kEqualStyle = "with lines lw 1 lc rgb \"#606060\"";

std::string role_style(host::Role role) {
  auto i = static_cast<size_t>(role);
  return fmt::format("with points pt {} ps 0.8 lc rgb \"{}\"", kRolePoints[i], kRoleColours[i]);
}

std::string plot_of(size_t number, const Panel& panel, const std::vector<std::string>& blocks) {
  std::string out = fmt::format("set title {} noenhanced font \"sans-serif,14\"\n", gnuplot_text(panel.quantity));
  out += fmt::format("plot $band using 1:2:3 {}, $band using 1:1 {}", kBandStyle, kEqualStyle);
  for (host::Role role : roles_of(panel.rows))
    out += fmt::format(", \\\n  ${} using 1:2 {}", point_block(number, role), role_style(role));
  for (const std::string& block : blocks) out += ", \\\n  " + block;
  return out + "\n";
}

/// One legend below all panels: an empty plot over the whole width, because gnuplot breaks a legend at the width of its
/// plot.
std::string legend_of(const std::vector<host::Role>& roles, double width, double height) {
  std::string out = chart_margins(0, 0, 0, 0, width, height);
  out += "unset title; unset xlabel; unset ylabel; unset tics; unset grid; unset border\n" + chart_key(height, 14);
  out += fmt::format("plot NaN notitle, keyentry {} title \"within a factor of 2\"", kBandStyle);
  out += fmt::format(", keyentry {} title \"simulated = published\"", kEqualStyle);
  for (host::Role role : roles)
    out += fmt::format(", \\\n  keyentry {} title \"{}\"", role_style(role), host::role_name(role));
  return out + "\n";
}

}  // namespace

std::string speedup_chart(const ValidationReport& report) {
  Outcomes rows;
  for (const host::ValidationOutcome* row : outcomes_of(report))
    if (has_place(*row)) rows.push_back(row);
  if (rows.empty()) return {};
  LogAxis axis = axis_of(rows);
  std::vector<Panel> panels = panels_of(rows);
  double step = kLeftOfPanel + kPanel + kRightOfPanel;
  double width = step * static_cast<double>(panels.size()), height = kOverPanels + kPanel + kUnderPanels;
  std::string out = "# Speed-ups, published and simulated, each with the name of its row: gnuplot FILE > FILE.svg\n";
  out += data_block("band", fmt::format("{0:.6g} {1:.6g} {2:.6g}\n{3:.6g} {4:.6g} {5:.6g}\n", axis.low, axis.low / 2,
                                        axis.low * 2, axis.high, axis.high / 2, axis.high * 2));
  std::vector<std::vector<std::string>> blocks(panels.size());
  for (size_t i = 0; i < panels.size(); ++i) out += data_of(i, panels[i], axis, blocks[i]);
  out += chart_head(width, height) + tics(axis);
  out +=
      fmt::format("set logscale xy\nset xrange [{0:.6g}:{1:.6g}]\nset yrange [{0:.6g}:{1:.6g}]\n", axis.low, axis.high);
  out +=
      "set grid lw 0.5 lc rgb \"#d8d8d8\"\nset xlabel \"published (times as fast)\"\n"
      "set ylabel \"simulated (times as fast)\"\nunset key\nset multiplot\n";
  for (size_t i = 0; i < panels.size(); ++i) {
    double left = step * static_cast<double>(i) + kLeftOfPanel;
    out += chart_margins(left, width - left - kPanel, kUnderPanels, kOverPanels, width, height);
    out += plot_of(i, panels[i], blocks[i]);
  }
  return out + legend_of(roles_of(rows), width, height) + "unset multiplot\n";
}

}  // namespace warptime::cli
