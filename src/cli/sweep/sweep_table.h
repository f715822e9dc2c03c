// The rows of a sweep: the swept values, and the numbers of `total`.
#pragma once

#include <string>

#include "cli/plan/plan_table.h"
#include "cli/sweep/sweep_plan.h"

namespace warptime::cli {

/// Columns: each axis, status, launches, the numbers of `total` and kLaunchColumns, or those of --columns, and the
/// sweep's identity.
class SweepTable : public PlanTable {
 public:
  SweepTable(const SweepPlan& plan, const Arguments& arguments);

  /// The next point's row.
  void put(size_t point, const PointResult& result);
  std::string to_json(const std::string& target) const;

 private:
  const SweepPlan& sweep_;
};

}  // namespace warptime::cli
