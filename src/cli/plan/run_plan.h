// A plan of runs of one target: points that differ in settings of the machine or in parameters of the program. `sweep`
// and `whatif` run theirs here: each point is a simulation on one thread in a child process.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command_line.h"
#include "cli/run/run_target.h"
#include "host/report/report.h"

namespace warptime::cli {

inline constexpr size_t kPlanDigits = 10;  // of an identity

class RunPlan {
 public:
  virtual ~RunPlan() = default;

  virtual size_t points() const = 0;
  /// The first cells of the point's row, which say which point it is.
  virtual std::vector<std::string> values(size_t point) const = 0;
  /// "PATH=VALUE", in place of --set, and "NAME=VALUE", in place of --param.
  virtual std::vector<std::string> settings(size_t point) const = 0;
  virtual std::vector<std::string> parameters(size_t point) const = 0;
  /// In place of --machine; nullopt: that one.
  virtual std::optional<ArgumentText> machine_of(size_t /*point*/) const { return std::nullopt; }
  /// A hash of 16 digits that is equal for two plans only if their rows are the same: the first ten say which plan it
  /// is, the others which build of warptime runs it.
  const std::string& identity() const { return identity_; }

 protected:
  RunPlan() = default;
  RunPlan(const RunPlan&) = default;
  RunPlan& operator=(const RunPlan&) = default;

  /// Sets identity() from all that decides the rows: the program, the machine, the target with its files, the options,
  /// and the points.
  void identify(const Arguments& arguments, const Target& target, std::string_view machine_hash,
                const std::vector<std::string>& points);

 private:
  std::string identity_;
};

/// One point's outcome.
struct PointResult {
  int status = 0;                            // as the exit status of `warptime run`
  std::string message;                       // the reason of a status other than 0
  std::string launches;                      // number of launches; empty if the point failed
  std::map<std::string, std::string> total;  // by column: numbers of `total`, kLaunchColumns; empty if it failed
};

/// What a row says of the launch that takes longest: its occupancy, and what bounds it.
inline constexpr std::array<const char*, 4> kLaunchColumns{"occupancy.blocks_per_sm", "occupancy.warps_per_sm",
                                                           "occupancy.limiter", "bound"};

/// The numbers of a report's `total`, by dotted name, in the order of the report.
std::vector<std::pair<std::string, std::string>> numbers_of_total(const host::RunReport& report);

/// Fails unless the command line has one word.
void require_one_target(const Arguments& arguments, std::string_view command, std::string_view usage);

/// Runs a point in this process; the result as a text, without line ends.
std::string run_point(const Arguments& arguments, const RunPlan& plan, size_t point, bool check);
std::string to_text(const PointResult& result);
PointResult to_point_result(const std::string& text);

struct PlanRun {
  std::vector<size_t> points;  // in this order
  unsigned jobs = 1;           // at a time
  /// Whether a point's results are compared with the CPU reference.
  std::function<bool(size_t)> check;
  /// In the child: the result of a point that needs no run. Empty, or nullptr: it is run.
  std::function<const PointResult*(size_t)> known = {};
  /// In the order of `points`; returns what standard error shows of it.
  std::function<std::string(size_t, const PointResult&)> done;
};

/// Runs the points, with a progress line. The target writes no outputs. Fails at a point that is not done.
void run_points(const Arguments& arguments, const RunPlan& plan, const PlanRun& run);

/// A row of status 4 is not a result: the command fails if there are any, after it has written its outputs.
void require_no_crashes(size_t crashed, size_t points);

/// "point 3 (chip.tpcs=4, n=64): status 2", and why, each line of it indented.
std::string failure_text(const RunPlan& plan, size_t point, const PointResult& result);

}  // namespace warptime::cli
