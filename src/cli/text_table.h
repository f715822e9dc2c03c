// Columns of text, each as wide as its widest cell (except very long ones); the last column is not padded.
#pragma once

#include <string>
#include <vector>

namespace warptime::cli {

using TextRows = std::vector<std::vector<std::string>>;

/// One line per row, after `indent`, with two blanks between columns. Rows may have different lengths.
std::string text_table(const TextRows& rows, const std::string& indent = {});

}  // namespace warptime::cli
