// `warptime plot`: a picture of a table of runs, drawn by gnuplot, like the charts of the documentation.
#include "base/parse_number.h"
#include "base/standard_streams.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "cli/plot/plot_chart.h"

namespace warptime::cli {

namespace {

constexpr std::array<std::string_view, 4> kPlotKinds{"line", "bar", "heat", "scatter"};  // as PlotKind

const Command& describe_plot() {
  using Kind = Option::Kind;
  static const Command command{
      .name = "plot",
      .usage = "FILE.csv|FILE.json... -x COLUMN -y COLUMN[,COLUMN] -o FILE.svg|FILE.png [options]",
      .summary = "draw columns of a sweep, a validation or statistics files",
      .details =
          "FILE is a CSV with the names of its columns in the first line, the JSON of `sweep`, `validate` or "
          "`whatif`,\n"
          "or a statistics file: a row for each launch; of several statistics files a row for each, with the columns\n"
          "file, target and machine. Axes have the units that the names of the columns end with (time_us, "
          "dram.read_bytes).\n"
          "Rows with the same x are one point, their mean, with a bar from the smallest to the largest; rows without "
          "a\n"
          "value are left out, and a sentence says so. gnuplot draws the picture (apt-get install gnuplot-nox).\n",
      .options = {{"x", Kind::Value, "COLUMN", "the horizontal axis: numbers, or words", 'x'},
                  {"y", Kind::Value, "COLUMN[,COLUMN]", "the vertical axis: columns of numbers", 'y'},
                  {"by", Kind::Value, "COLUMN", "a series for each of its values; the vertical axis of a heat map"},
                  {"kind", Kind::Value, Takes::words("line|bar|heat|scatter"),
                   "default: line over numbers, bar over words"},
                  {"log", Kind::Value, Takes::words("x|y|xy"), "logarithmic axes; y is the colour of a heat map"},
                  {"reference", Kind::Value, "VALUE|COLUMN", "a dashed line at the value, or along the column"},
                  {"title", Kind::Value, "TEXT", "a line above the picture"},
                  {"out", Kind::Value, Takes::file("FILE.svg|FILE.png"), "the picture; - is SVG to standard output",
                   'o'}},
      .unavailable = {},
      .examples = {"warptime plot sweep.csv -x memory.partitions -y time_us --by dram.scheduler -o time.svg",
                   "warptime plot sweep.csv -x n -y time_us --by tile --kind heat --log y -o map.svg",
                   "warptime plot ryoo.csv -x published -y simulated --by quantity --kind scatter --log xy --reference "
                   "published -o agreement.png",
                   "warptime plot a.json b.json c.json -x machine -y time_us -o machines.svg"},
      .min_words = 1,
      .max_words = 64,
      .word_name = "FILE.csv or FILE.json"};
  return command;
}

ArgumentText required(const Arguments& arguments, std::string_view option, std::string_view hint) {
  auto given = arguments.value(option);
  if (!given)
    fail(arguments.whole(), fmt::format("`warptime plot` needs -{}", option == "out" ? "o" : option),
         std::string(hint));
  return *given;
}

void read_log(const Arguments& arguments, PlotRequest& request, const PlotTable& table) {
  auto which = arguments.choice("log", {"x", "y", "xy"});
  if (!which) return;
  request.log_x = *which != 1;
  request.log_y = *which != 0;
  if (!request.log_x) return;
  const ArgumentText& log = arguments.all("log").back();
  if (request.kind == PlotKind::Bar || request.kind == PlotKind::Heat)
    fail(log.where,
         fmt::format("the x axis of a {} is not of numbers", request.kind == PlotKind::Bar ? "bar chart" : "heat map"),
         "--log y");
  if (default_kind(table, request.x) != PlotKind::Line)
    fail(log.where, fmt::format("column \"{}\" has words: it has no logarithmic axis", table.columns[request.x]),
         "--log y");
}

void read_reference(const Arguments& arguments, PlotRequest& request, const PlotTable& table) {
  auto given = arguments.value("reference");
  if (!given) return;
  if (request.kind == PlotKind::Heat) fail(given->where, "a heat map has no reference line");
  double value = 0;
  if (parse_number(given->text, value) != NumberError::Ok) {
    request.reference_column = plot_column(table, *given);
    return;
  }
  if (request.log_y && !(value > 0))
    fail(given->where, fmt::format("{} has no place on a logarithmic axis", given->text));
  if (std::string why = why_not_drawn(value, request.log_y); !why.empty())
    fail(given->where, fmt::format("{} {}", given->text, why));
  request.reference_value = value;
}

PlotRequest read_request(const Arguments& arguments, const PlotTable& table) {
  PlotRequest request;
  request.x = plot_column(table, required(arguments, "x", "-x COLUMN"));
  ArgumentText y = required(arguments, "y", "-y COLUMN");
  request.y = plot_columns(table, y);
  auto kind = arguments.choice("kind", {kPlotKinds.begin(), kPlotKinds.end()});
  request.kind = kind ? static_cast<PlotKind>(*kind) : default_kind(table, request.x);
  auto by = arguments.value("by");
  request.by_where = by ? by->where : y.where;
  if (by) request.by = plot_column(table, *by);
  if (request.kind == PlotKind::Heat && !by)
    fail(arguments.whole(), "a heat map needs a second axis", "--by COLUMN; -y is its colour");
  if (request.kind == PlotKind::Heat && request.y.size() > 1)
    fail(y.where, "a heat map shows one column", "-y takes one for --kind heat");
  read_log(arguments, request, table);
  read_reference(arguments, request, table);
  if (auto title = arguments.value("title")) request.title = title->text;
  return request;
}

std::string terminal(const PlotScript& script, bool png) {
  if (!png) return chart_head(script.width, script.height);
  return fmt::format(
      "set terminal pngcairo size {:.0f},{:.0f} font \"sans-serif,9\" fontscale 2 linewidth 2 pointscale 2 background "
      "\"#ffffff\"\nset encoding utf8\nset border lw 0.75 lc rgb \"#606060\"\n",
      2 * script.width, 2 * script.height);
}

PlotScript script_of(const PlotTable& table, const PlotRequest& request, const PlotData& data) {
  switch (request.kind) {
    case PlotKind::Bar: return bar_chart(table, request, data);
    case PlotKind::Heat: return heat_chart(table, request, data);
    case PlotKind::Line:
    case PlotKind::Scatter: break;
  }
  return xy_chart(table, request, data);
}

int execute_plot(const Arguments& arguments) {
  ArgumentText out = required(arguments, "out", "-o FILE.svg");
  bool png = out.text.ends_with(".png");
  if (!png && !out.text.ends_with(".svg") && out.text != "-")
    fail(out.where, "-o takes a FILE.svg or a FILE.png", "the name's end says which");
  std::string gnuplot = find_gnuplot(out.where, "`warptime plot`");
  PlotTable table = read_plot_table(arguments.words());
  PlotRequest request = read_request(arguments, table);
  PlotData data = plot_data(table, request);
  PlotScript script = script_of(table, request, data);
  Output file(out, "-o", arguments);
  std::string text = terminal(script, png) + script.text;
  file.write_all(png ? draw_png(gnuplot, text) : draw(gnuplot, text));
  if (!have_one_unit(y_names(table, request)))
    print_error("note: the columns of -y have several units and share an axis\n");
  if (data.left_out > 0)
    print_error(
        fmt::format("note: {} of {} rows have no value to draw and are left out\n", data.left_out, table.rows.size()));
  if (data.has_means)
    print_error(request.kind == PlotKind::Heat
                    ? "note: some cells are the mean of several rows\n"
                    : "note: some points are the mean of several rows, with bars from the smallest to the largest\n");
  return kDone;
}

}  // namespace

Entry plot_command() { return {describe_plot, execute_plot}; }

}  // namespace warptime::cli
