// Charts by gnuplot, called as a program: the script goes to its standard input, the picture comes from its standard
// output (drawing_program.h). It reads no settings of the user's, so that the same script gives the same bytes; they
// differ between versions of gnuplot.
#pragma once

#include <string>
#include <string_view>

#include "cli/command_line.h"

namespace warptime::cli {

/// Where it is on PATH; fails at `where` with the command that installs it if it is nowhere. `what` needs it:
/// "--markdown".
std::string find_gnuplot(const SourceSpan& where, std::string_view what);

/// The SVG that the script draws. Fails with gnuplot's own words if it draws none.
std::string draw(const std::string& gnuplot, const std::string& script);
/// The PNG that it draws.
std::string draw_png(const std::string& gnuplot, const std::string& script);

// Names of users appear as they are, if the script also says `noenhanced` where they stand.

/// A text as an argument of a command: a title, a label, the name of a series.
std::string gnuplot_text(std::string_view text);
/// The text as the mark of a tic, which gnuplot takes for a format of printf.
std::string gnuplot_tic(std::string_view text);
/// The text as a cell of a data block, where a double quote becomes a single one: it cannot be written there.
std::string gnuplot_cell(std::string_view text);

}  // namespace warptime::cli
