// The unit of a column, from its name, and the label of its axis: "time_us" is a time in microseconds, drawn as
// "time (ms)" where the values are large.
#pragma once

#include <string>
#include <vector>

namespace warptime::cli {

struct PlotAxis {
  std::string label;
  double scale = 1;  // a value is divided by it
};

/// "µs" of "time_us"; empty: the name has no unit.
std::string unit_of_column(const std::string& column);
/// The column as words, without its unit: "dram.read" of "dram.read_bytes".
std::string words_of_column(const std::string& column);
/// The axis for these columns whose largest size is `most`. `scaled`: large values get a prefix of their unit.
/// Columns of several units have no unit in common: each is then named with its own (`name_with_unit`).
PlotAxis plot_axis(const std::vector<std::string>& columns, double most, bool scaled);
bool have_one_unit(const std::vector<std::string>& columns);
std::string name_with_unit(const std::string& column);

}  // namespace warptime::cli
