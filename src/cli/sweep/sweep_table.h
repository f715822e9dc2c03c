// The rows of a sweep: their columns, the CSV file that grows by one whole line a point, and what an earlier,
// interrupted sweep left in it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/growing_file.h"
#include "cli/command_line.h"
#include "cli/sweep/sweep_plan.h"
#include "host/report/report.h"

namespace warptime::cli {

/// One point's outcome.
struct SweepRow {
  int status = 0;                            // as the exit status of `warptime run`
  std::string message;                       // why it is not 0; no part of the table
  std::string launches;                      // how many; empty if the point failed
  std::map<std::string, std::string> total;  // numbers of `total` by dotted name; empty if the point failed
};

/// The numbers of a report's `total`, by dotted name, in the order of the report.
std::vector<std::pair<std::string, std::string>> numbers_of_total(const host::RunReport& report);

class SweepTable {
 public:
  explicit SweepTable(const SweepPlan& plan);

  /// Each axis, status, launches, the numbers of `total`, and the sweep's identity.
  const std::vector<std::string>& columns() const { return columns_; }
  const std::vector<std::vector<std::string>>& rows() const { return rows_; }

  /// Rows go to a file from now on, one write each. With --resume the whole rows already there are read and kept, a
  /// half-written last one is cut off, and a file of another sweep is refused; without, the file is begun anew.
  /// It is locked until close(): of two sweeps on one file the second is refused.
  void open(const ArgumentText& file, const Arguments& arguments);
  /// The next point's row.
  void append(const SweepRow& row);
  void close();

  std::string to_csv() const;
  std::string to_json(const std::string& target) const;

 private:
  /// What an earlier sweep left in the file.
  void read_rows(std::string_view text);
  /// Fails if there is a reason.
  void check(const std::string& why) const;

  const SweepPlan& plan_;
  std::vector<std::string> columns_;
  std::vector<std::vector<std::string>> rows_;
  ArgumentText name_;
  GrowingFile file_;
};

}  // namespace warptime::cli
