#include "cli/text_table.h"

#include <algorithm>

namespace warptime::cli {

namespace {

// A cell wider than this does not widen its column; what follows it is pushed to the right.
constexpr size_t kWidest = 40;

}  // namespace

std::string text_table(const TextRows& rows, const std::string& indent) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (size_t i = 0; i < row.size(); ++i)
      if (row[i].size() <= kWidest) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line = indent;
    for (size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line.append(std::max(widths[i], row[i].size()) - row[i].size() + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

}  // namespace warptime::cli
