// What each number of the report means: the tables of statistics.h and stall.h, and the formulas, under the names that
// the JSON report gives them. `warptime list statistics` prints it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warptime::sim {

struct StatisticRow {
  std::string name;        // dotted, as in the report: "dram.read_bytes"
  std::string unit;        // "cycles", "bytes", ...
  std::string_view scope;  // where it is counted: warp, SM, TPC, partition or chip
  std::string what;        // a sentence
};
std::vector<StatisticRow> statistics_list();

}  // namespace warptime::sim
