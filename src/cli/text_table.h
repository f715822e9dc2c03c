// Columns of text, each as wide as its widest cell (very long ones aside); the last one runs free.
#pragma once

#include <string>
#include <vector>

namespace warptime::cli {

using TextRows = std::vector<std::vector<std::string>>;

/// One line a row, two blanks between columns, each line after `indent`. Rows may be of different length.
std::string text_table(const TextRows& rows, const std::string& indent = {});

}  // namespace warptime::cli
