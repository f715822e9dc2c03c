// The columns of `annotate --columns`: what the numbers before each line of a listing are, and which lines are the
// costliest by them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/model/statistics.h"

namespace warptime::cli {

struct KernelListing;

/// One choice of columns: its name on the command line, the words above the columns, what they cost.
struct ColumnSet {
  std::string_view name;
  std::string_view header;  // as wide as the columns
  /// What a line costs; the lines that cost most are marked.
  uint64_t (*cost)(const sim::InstructionRow& row);
  std::string (*cells)(const KernelListing& listing, const sim::InstructionRow& row);
  /// Behind the line; empty: nothing.
  std::string (*remark)(const KernelListing& listing, const sim::InstructionRow& row);
};

/// The first is the default.
const std::vector<ColumnSet>& column_sets();

/// In percent with one decimal; nothing: none.
std::string percent_cell(uint64_t part, uint64_t whole);

}  // namespace warptime::cli
