#include "base/csv_line.h"

#include <algorithm>

namespace warptime {

std::string_view without_blanks(std::string_view text) {
  size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return text.substr(0, 0);
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

namespace {

/// The cell after an opening quote; `at` moves behind its closing one.
CsvCell quoted_cell(const SourceText& source, std::string_view line, size_t& at, CsvLine& out) {
  size_t begin = at;
  CsvCell cell;
  while (true) {
    size_t quote = line.find('"', at);
    if (quote == std::string_view::npos) {
      out.open_quote = span_of(source, line.substr(begin - 1, 1));
      cell.text += line.substr(at);
      cell.where = span_of(source, line.substr(begin));
      at = line.size();
      return cell;
    }
    cell.text += line.substr(at, quote - at);
    at = quote + 1;
    if (at >= line.size() || line[at] != '"') {
      cell.where = span_of(source, line.substr(begin, quote - begin));
      return cell;
    }
    cell.text += '"';
    ++at;
  }
}

}  // namespace

CsvLine read_csv_line(const SourceText& source, uint32_t number) {
  std::string_view line = source.line(number);
  CsvLine out;
  size_t at = 0;
  while (true) {
    size_t first = std::min(line.find_first_not_of(" \t", at), line.size());
    if (first < line.size() && line[first] == '"') {
      if (out.cells.empty()) out.is_quoted = true;
      at = first + 1;
      out.cells.push_back(quoted_cell(source, line, at, out));
    } else {
      std::string_view cell = without_blanks(line.substr(at, std::min(line.find(',', at), line.size()) - at));
      out.cells.push_back({span_of(source, cell), std::string(cell)});
    }
    size_t comma = line.find(',', at);
    if (comma == std::string_view::npos) return out;
    at = comma + 1;
  }
}

}  // namespace warptime
