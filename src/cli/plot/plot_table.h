// What `warptime plot` draws from: a CSV file with a line of names, or JSON that has rows, each a line of cells.
//
// JSON is a document with a list "rows" (of `sweep`, `whatif` or `validate`), one with "launches" (a statistics file: a
// row for each launch), or a list of objects. Of several statistics files each is a row: its totals, with the columns
// `file`, `target` and `machine`. A value in an object has the dotted name of its path.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/command_line.h"

namespace warptime::cli {

struct PlotCell {
  std::string text;  // empty: no value
  SourceSpan where;  // of a CSV; of JSON that of the file's name
};

struct PlotTable {
  std::vector<std::shared_ptr<const SourceText>> sources;  // that the cells point into
  std::string name;                                        // of the file, for messages
  std::vector<std::string> columns;
  std::vector<std::vector<PlotCell>> rows;  // as many cells as columns
};

/// Throws host::InputError if a file cannot be read or is not such a table.
PlotTable read_plot_table(const std::vector<ArgumentText>& files);
/// Adds the rows of a JSON file. `alone`: a statistics file has a row for each launch, otherwise one.
void add_json_rows(const ArgumentText& file, const SourceText& source, bool alone, PlotTable& table);

/// The index of a column; fails at `given` with the nearest names.
size_t plot_column(const PlotTable& table, const ArgumentText& given);
/// The indices of the columns in "A,B".
std::vector<size_t> plot_columns(const PlotTable& table, const ArgumentText& given);

}  // namespace warptime::cli
