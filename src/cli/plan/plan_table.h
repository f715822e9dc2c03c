// The rows of a plan of runs: their columns, the CSV file to which each point appends a whole line, and the rows of an
// earlier, interrupted run of the same plan in it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/growing_file.h"
#include "cli/command_line.h"
#include "cli/plan/run_plan.h"

namespace warptime::cli {

class PlanTable {
 public:
  /// `columns`: those of the plan's values, and the others; the last one is the plan's identity. `status`: which of
  /// them is the status. `noun`: what the plan is called in messages ("sweep").
  PlanTable(const RunPlan& plan, std::string noun, std::vector<std::string> columns, size_t status);

  const std::vector<std::string>& columns() const { return columns_; }
  const std::vector<std::vector<std::string>>& rows() const { return rows_; }

  /// From now on, rows are written to a file, one write each. With --resume, the complete rows in the file are read and
  /// kept, an incomplete last one is removed, and a file of another plan is an error; without, the file is replaced.
  /// It is locked until close(): a second command on the same file fails.
  void open(const ArgumentText& file, const Arguments& arguments);
  /// The points to run: those at which warptime itself crashed in the earlier run, whose rows are not results, and
  /// those that have no row.
  std::vector<size_t> missing() const;
  /// A point's row, but for its values and the identity: the next one, or one in place of that of a crash.
  void put(size_t point, std::vector<std::string> cells);
  void close();
  /// Rows of points at which warptime itself crashed.
  size_t crashed() const;

  std::string to_csv() const;

 private:
  /// Reads the rows of an earlier run in the file.
  void read_rows(std::string_view text);
  bool is_crash(size_t point) const;
  /// Puts a file with all rows in place of the one that has the replaced ones.
  void write_replaced();
  /// Fails if there is a reason.
  void check(const std::string& why) const;

  const RunPlan& plan_;
  std::string noun_;
  std::vector<std::string> columns_;
  size_t status_;
  std::vector<std::vector<std::string>> rows_;
  bool has_replaced_ = false;
  ArgumentText name_;
  GrowingFile file_;
};

/// Fails if the option's file exists, is not empty, and is neither to be resumed (--resume, of --csv) nor to be
/// replaced (--force). `resumes`: whether --resume would continue the file of --csv.
void refuse_existing(const Arguments& arguments, std::string_view option, bool resumes = true);

/// Writes a text to the option's file, complete or not at all; fails as refuse_existing, but for a file with this text.
void write_new(const Arguments& arguments, std::string_view option, const std::string& text);

/// The file of --csv, if it is one whose rows can be resumed; fails if --resume has none.
std::optional<ArgumentText> plan_file(const Arguments& arguments, std::string_view noun);

}  // namespace warptime::cli
