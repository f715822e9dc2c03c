// The rows of a sweep: their columns, the CSV file to which each point appends a whole line, and the rows of an
// earlier, interrupted sweep in it.
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
  std::string message;                       // the reason of a status other than 0; not part of the table
  std::string launches;                      // number of launches; empty if the point failed
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

  /// From now on, rows are written to a file, one write each. With --resume, the complete rows in the file are read and
  /// kept, an incomplete last one is removed, and a file of another sweep is an error; without, the file is replaced.
  /// It is locked until close(): a second sweep on the same file fails.
  void open(const ArgumentText& file, const Arguments& arguments);
  /// The next point's row.
  void append(const SweepRow& row);
  void close();

  std::string to_csv() const;
  std::string to_json(const std::string& target) const;

 private:
  /// Reads the rows of an earlier sweep in the file.
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
