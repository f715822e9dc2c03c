// The chart of timing errors: gnuplot's script, with all that it draws.
#include <cmath>

#include "cli/validate/chart_parts.h"

namespace warptime::cli {

namespace {

constexpr double kBarRow = 17, kBarAxis = 560, kOverBars = 66, kUnderBars = 84;  // pixels

bool has_bar(const host::ValidationOutcome& row) {
  return host::kind_of(row) == host::QuantityKind::Timing && row.role != host::Role::Input && row.error();
}

/// The end of the axis, in percent: errors beyond are cut.
double axis_end(const Outcomes& rows) {
  double largest = 0;
  for (const host::ValidationOutcome* row : rows) largest = std::max(largest, 100 * std::abs(*row->error()));
  return largest <= 10 ? 10 : largest <= 20 ? 20 : 50;
}

struct Bars {
  std::array<std::string, host::kRoles.size()> by_role;
  std::string left, right;  // what stands beside the bars
  std::string groups;
  double lines = 0;
};

Bars bars_of(const ValidationReport& report, const Outcomes& rows, double end) {
  Bars out;
  for (const std::string& group : groups_of(report)) {
    bool any = std::any_of(rows.begin(), rows.end(), [&](const auto* row) { return row->group == group; });
    if (any) out.groups += fmt::format("{} {:.0f} {}\n", -1.57 * end, -out.lines++, gnuplot_cell(group));
    for (const host::ValidationOutcome* row : rows) {
      if (row->group != group) continue;
      double error = 100 * *row->error(), shown = std::clamp(error, -end, end);
      out.by_role[static_cast<size_t>(row->role)] +=
          fmt::format("{:.0f} {:.3f} {}\n", -out.lines, shown, gnuplot_cell(row->row->name));
      std::string value = error_text(*row) + (shown == error || !row->simulated ? "" : " (cut)");
      (error < 0 ? out.left : out.right) += fmt::format("{:.0f} {:.3f} {}\n", -out.lines++, shown, gnuplot_cell(value));
    }
  }
  return out;
}

}  // namespace

std::string timing_chart(const ValidationReport& report) {
  Outcomes rows;
  size_t letters = 0;
  for (const host::ValidationOutcome* row : outcomes_of(report)) {
    if (!has_bar(*row)) continue;
    rows.push_back(row);
    letters = std::max(letters, row->row->name.size());
  }
  if (rows.empty()) return {};
  double end = axis_end(rows);
  Bars bars = bars_of(report, rows, end);
  double left = 7 * static_cast<double>(letters) + 24, width = left + kBarAxis + 24;
  double height = kOverBars + kBarRow * bars.lines + kUnderBars;

  std::string out = "# Errors of timing in percent, each with the name of its row: gnuplot FILE > FILE.svg\n";
  for (host::Role role : roles_of(rows))
    out += data_block(host::role_name(role), bars.by_role[static_cast<size_t>(role)]);
  out += data_block("groups", bars.groups);
  if (!bars.left.empty()) out += data_block("left", bars.left);
  if (!bars.right.empty()) out += data_block("right", bars.right);
  out +=
      chart_head(width, height) + chart_key(height, 14) + chart_margins(left, 24, kUnderBars, kOverBars, width, height);
  out += fmt::format("set xrange [{0}:{1}]\nset x2range [{0}:{1}]\nset yrange [{2}:0.6]\n", -1.6 * end, 1.6 * end,
                     0.4 - bars.lines);
  std::string tics = "\"0\" 0";
  for (double at : {-end, -end / 2, end / 2, end}) tics += fmt::format(", \"{0:+g} %%\" {0:g}", at);
  out += fmt::format("set xtics ({0}) nomirror\nset x2tics ({0})\n", tics);
  out +=
      "set ytics noenhanced scale 0 textcolor rgb \"black\"\n"
      "set grid xtics lw 0.5 lc rgb \"#d8d8d8\"\n"
      "set arrow from first 0,graph 0 to first 0,graph 1 nohead lw 1 lc rgb \"#606060\" front\n"
      "set title \"Timing: simulated / published - 1\" font \"sans-serif,14\" offset 0,0.2\n"
      "set xlabel \"error of rates, times and cycles\"\nset style fill solid noborder\n";
  std::string plots;
  for (host::Role role : roles_of(rows))
    plots +=
        fmt::format("{}${} using ($2/2):1:(0):2:($1-0.36):($1+0.36):ytic(3) with boxxyerror lc rgb \"{}\" title \"{}\"",
                    plots.empty() ? "" : ", \\\n  ", host::role_name(role), kRoleColours[static_cast<size_t>(role)],
                    host::role_name(role));
  plots += ", \\\n  $groups using 1:2:3 with labels left noenhanced font \"sans-serif,13\" notitle";
  if (!bars.left.empty())
    plots += ", \\\n  $left using 2:1:3 with labels right offset -0.6,0 noenhanced font \"sans-serif,11\" notitle";
  if (!bars.right.empty())
    plots += ", \\\n  $right using 2:1:3 with labels left offset 0.6,0 noenhanced font \"sans-serif,11\" notitle";
  return out + "plot " + plots + "\n";
}

}  // namespace warptime::cli
