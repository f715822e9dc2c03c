// A sweep as tasks for shards and Slurm: a task is a point.
#pragma once

#include "cli/plan/tasks.h"
#include "cli/sweep/sweep_plan.h"
#include "cli/sweep/sweep_table.h"

namespace warptime::cli {

/// The plan of a sweep's command line; fails without one TARGET.
SweepPlan plan_sweep(const Arguments& arguments);

class SweepTasks : public Tasks {
 public:
  explicit SweepTasks(const Arguments& arguments);

  size_t count() const override { return plan_.points(); }
  const std::string& identity() const override { return plan_.identity(); }
  std::string run(size_t task) const override;
  std::string lost(const std::string& why) const override;
  int finish(const Arguments& outputs, const std::vector<std::string>& results) const override;

 private:
  const Arguments& arguments_;
  SweepPlan plan_;
};

/// Standard error's last line, if any point failed.
void print_failed_points(size_t failed, size_t points);

}  // namespace warptime::cli
