#include "cli/gnuplot.h"

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

std::string gnuplot_text(std::string_view text) {
  std::string out = "\"";
  for (char c : printable(text)) {
    if (c == '"' || c == '`') out += '\'';
    else if (c == '\\') out += '/';
    else if (c == '&') out += '+';
    else if (c == '\t') out += ' ';
    else out += c;
  }
  return out + "\"";
}

}  // namespace warptime::cli
