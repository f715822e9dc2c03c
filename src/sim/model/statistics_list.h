// The meaning of each number of the report: the tables of statistics.h, stall.h and resource.h, with the names and the
// order of the JSON report. `warptime list statistics` prints it.
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
  std::string profiler;    // metric of Nsight Compute, or counter of the CUDA profiler on devices 1.x; empty: none
};
std::vector<StatisticRow> statistics_list();

}  // namespace warptime::sim
