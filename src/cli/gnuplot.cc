#include "cli/gnuplot.h"

#include <algorithm>

#include "base/printable.h"
#include "cli/drawing_program.h"

namespace warptime::cli {

std::string find_gnuplot(const SourceSpan& where, std::string_view what) {
  if (std::optional<std::string> program = find_on_path("gnuplot")) return *program;
  fail(where, fmt::format("{} draws its charts with gnuplot, which is not on PATH", what),
       "apt-get install gnuplot-nox");
}

std::string draw(const std::string& gnuplot, const std::string& script) {
  return svg_of(run_drawing(gnuplot, {"-d"}, script), gnuplot, "gnuplot 5.4 is known to draw it");
}

std::string draw_png(const std::string& gnuplot, const std::string& script) {
  return png_of(run_drawing(gnuplot, {"-d"}, script), gnuplot, "gnuplot 5.4 with the terminal pngcairo draws it");
}

namespace {

/// In double quotes, with a backslash before each of `escaped`.
std::string quoted(std::string_view text, std::string_view escaped) {
  std::string out = "\"";
  for (char c : printable(text)) {
    if (escaped.find(c) != std::string_view::npos) out += '\\';
    out += c == '\t' ? ' ' : c;
  }
  return out + "\"";
}

}  // namespace

std::string gnuplot_text(std::string_view text) { return quoted(text, "\"\\`"); }

std::string gnuplot_tic(std::string_view text) {
  std::string format;
  for (char c : text) format.append(c == '%' ? 2 : 1, c);
  return gnuplot_text(format);
}

std::string gnuplot_cell(std::string_view text) {
  std::string cell(text);
  std::replace(cell.begin(), cell.end(), '"', '\'');
  return quoted(cell, "\\");
}

}  // namespace warptime::cli
