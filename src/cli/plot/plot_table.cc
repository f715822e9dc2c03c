#include "cli/plot/plot_table.h"

#include <algorithm>

#include "base/csv_line.h"
#include "base/plural.h"

namespace warptime::cli {

namespace {

void read_csv(const ArgumentText& file, const SourceText& source, PlotTable& table) {
  uint32_t head = 1;
  while (head <= source.line_count() && without_blanks(source.line(head)).empty()) ++head;
  if (head > source.line_count())
    fail(file.where, fmt::format("{} is empty", file.text), "a CSV begins with the names of its columns");
  for (uint32_t number = head; number <= source.line_count(); ++number) {
    if (without_blanks(source.line(number)).empty()) continue;
    CsvLine line = read_csv_line(source, number);
    if (line.open_quote.source != nullptr) fail(line.open_quote, "this quote is not closed in its line");
    if (number == head) {
      for (CsvCell& cell : line.cells) table.columns.push_back(std::move(cell.text));
      continue;
    }
    if (line.cells.size() != table.columns.size())
      fail(span_of(source, source.line(number)), fmt::format("this row has {}, the first line has {}",
                                                             plural(line.cells.size(), "cell"), table.columns.size()));
    std::vector<PlotCell>& row = table.rows.emplace_back();
    for (CsvCell& cell : line.cells) row.push_back({std::move(cell.text), cell.where});
  }
}

bool is_json(const ArgumentText& file, const SourceText& source) {
  if (file.text.ends_with(".json")) return true;
  size_t first = source.text().find_first_not_of(" \t\r\n");
  return !file.text.ends_with(".csv") && first != std::string_view::npos &&
         (source.text()[first] == '{' || source.text()[first] == '[');
}

}  // namespace

PlotTable read_plot_table(const std::vector<ArgumentText>& files) {
  PlotTable table;
  table.name = files.size() == 1 ? files.front().text : "these files";
  for (const ArgumentText& file : files) {
    auto source = read_file(file);
    table.sources.push_back(source);
    if (is_json(file, *source)) {
      add_json_rows(file, *source, files.size() == 1, table);
      continue;
    }
    if (files.size() > 1)
      fail(file.where, fmt::format("{} is not a statistics file", file.text),
           "of several files each is the statistics of a run, FILE.json; a CSV is drawn alone");
    read_csv(file, *source, table);
  }
  if (table.rows.empty()) fail(files.front().where, fmt::format("{} has no rows", table.name));
  return table;
}

size_t plot_column(const PlotTable& table, const ArgumentText& given) {
  auto found = std::find(table.columns.begin(), table.columns.end(), given.text);
  if (found != table.columns.end()) return static_cast<size_t>(found - table.columns.begin());
  std::string near = did_you_mean(given.text, {table.columns.begin(), table.columns.end()});
  constexpr size_t kShown = 12;
  size_t shown = std::min(table.columns.size(), kShown);
  std::vector<std::string> first(table.columns.begin(), table.columns.begin() + static_cast<ptrdiff_t>(shown));
  fail(
      given.where, fmt::format("{} has no column \"{}\"", table.name, given.text),
      !near.empty()
          ? near
          : fmt::format("columns: {}{}", fmt::join(first, ", "),
                        shown < table.columns.size() ? fmt::format(" and {} more", table.columns.size() - shown) : ""));
}

std::vector<size_t> plot_columns(const PlotTable& table, const ArgumentText& given) {
  // A name may have a comma of its own.
  if (std::find(table.columns.begin(), table.columns.end(), given.text) != table.columns.end())
    return {plot_column(table, given)};
  std::vector<size_t> out;
  for (size_t begin = 0; begin <= given.text.size();) {
    size_t end = std::min(given.text.find(',', begin), given.text.size());
    size_t column = plot_column(table, {given.text.substr(begin, end - begin), given.where});
    if (std::find(out.begin(), out.end(), column) == out.end()) out.push_back(column);
    begin = end + 1;
  }
  return out;
}

}  // namespace warptime::cli
