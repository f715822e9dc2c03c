// The data of a page from two statistics files: the page of the second, and what moved since the first.
#include <fmt/format.h>

#include "base/plural.h"
#include "cli/compare/compare_reports.h"
#include "cli/report/report_input.h"
#include "report/kernel_moves.h"
#include "report/limits.h"

namespace warptime::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostComparedLaunches = 50;

Json side_of_page(const StatisticsFile& file, const report::PageInput& page) {
  Json launches = page.statistics.value("launches", Json::array());
  return {{"file", file.file},
          {"target", file.target},
          {"machine", file.machine},
          {"hash", file.hash},
          {"statistics", page.statistics},
          {"roofline", page.machine == nullptr ? Json() : report::roofline(launches, *page.machine)}};
}

/// Without its rows, which are summed by kernel.
Json part_of_page(const StatisticsFile& a, const StatisticsFile::Part& from, const StatisticsFile& b,
                  const StatisticsFile::Part& to) {
  Json out = part_moved(a, from, b, to, true);
  out.erase("instructions");
  return out;
}

}  // namespace

void read_comparison_input(const Arguments& arguments, ReportInput& before, ReportInput& input) {
  const StatisticsFile a = read_statistics_input(arguments, arguments.words()[0], before);
  const StatisticsFile b = read_statistics_input(arguments, arguments.words()[1], input);
  Json launches = Json::array();
  const bool alike = a.launches.size() == b.launches.size();
  for (size_t i = 0; alike && i < std::min(a.launches.size(), kMostComparedLaunches); ++i)
    launches.push_back(part_of_page(a, a.launches[i], b, b.launches[i]));
  if (!alike)
    input.page.notes.push_back(fmt::format("{} has {} and {} has {}: only their sums are compared.", a.file,
                                           plural(a.launches.size(), "launch", "launches"), b.file, b.launches.size()));
  else if (launches.size() < b.launches.size())
    input.page.notes.push_back(
        fmt::format("Of the launches, the first {} are compared one by one.", kMostComparedLaunches));
  Json total = part_of_page(a, a.total, b, b.total);
  Json kernels = report::kernel_moves(before.page.kernels, input.page.kernels);
  if (kernels.empty())
    input.page.notes.push_back(
        "The files have no rows of the same kernel, so lines are not compared: `run --stats-per-instruction` adds "
        "rows.");
  input.page.comparison = {{"a", side_of_page(a, before.page)},
                           {"b", side_of_page(b, input.page)},
                           {"total", std::move(total)},
                           {"launches", std::move(launches)},
                           {"kernels", std::move(kernels)}};
}

}  // namespace warptime::cli
