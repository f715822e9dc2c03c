// A what-if as tasks for shards and Slurm: task 0 is the machine as it is, each other one a value.
#pragma once

#include "cli/plan/tasks.h"
#include "cli/whatif/whatif_plan.h"
#include "host/whatif/unused_parts.h"

namespace warptime::cli {

/// The plan of a what-if's command line; fails without one TARGET.
WhatIfPlan plan_whatif(const Arguments& arguments);
/// The machine as it is: the run that all others are compared with.
PointResult run_whatif_own(const Arguments& arguments, const WhatIfPlan& plan);

class WhatIfTasks : public Tasks {
 public:
  explicit WhatIfTasks(const Arguments& arguments) : arguments_(arguments), plan_(plan_whatif(arguments)) {}

  size_t count() const override { return plan_.points(); }
  const std::string& identity() const override { return plan_.identity(); }
  /// Values of parts that the program does not use share the result of the machine as it is.
  void begin(const TaskResults& known) override;
  std::string run(size_t task) const override;
  std::string lost(const std::string& why) const override;
  int finish(const Arguments& outputs, const std::vector<std::string>& results) const override;

 private:
  const Arguments& arguments_;
  WhatIfPlan plan_;
  PointResult own_;
  std::vector<host::UnusedPart> unused_;
};

}  // namespace warptime::cli
