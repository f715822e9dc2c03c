#include "cli/whatif/whatif_tasks.h"

#include "base/standard_streams.h"
#include "cli/cli.h"
#include "cli/plan/plan_table.h"
#include "cli/run/run_target.h"
#include "cli/whatif/whatif_outputs.h"
#include "cli/whatif/whatif_table.h"

namespace warptime::cli {

WhatIfPlan plan_whatif(const Arguments& arguments) {
  require_one_target(arguments, "whatif", "TARGET [options]");
  run_options(arguments, {});  // its errors are also reported before the first run
  return WhatIfPlan(arguments);
}

/// The machine as it is: the run that all others are compared with.
PointResult run_whatif_own(const Arguments& arguments, const WhatIfPlan& plan) {
  PointResult own;
  run_points(arguments, plan,
             {.points = {0},
              .jobs = 1,
              .check = [&](size_t) { return !arguments.has("no-check"); },
              .done = [&](size_t, const PointResult& result) { return own = result, std::string(); }});
  if (!own.total.empty() && !(time_of(own.total["time_us"]) > 0))
    fail(arguments.words().front().where, "this target runs no kernel: there is no time that a parameter could change");
  return own;
}

void WhatIfTasks::begin(const TaskResults& known) {
  auto found = known.find(0);
  own_ = found != known.end() ? to_point_result(found->second) : run_whatif_own(arguments_, plan_);
  if (own_.total.empty()) throw host::InputError(own_.message);
  unused_ = host::unused_parts(plan_.machine().config, own_.total);
}

std::string WhatIfTasks::run(size_t task) const {
  bool is_own = task == 0 || find_unused(unused_, plan_.changes()[task - 1].parameter) != nullptr;
  return is_own ? to_text(own_) : run_point(arguments_, plan_, task, false);
}

std::string WhatIfTasks::lost(const std::string& why) const { return to_text({kOwnFault, why + "\n", "", {}}); }

int WhatIfTasks::finish(const Arguments& outputs, const std::vector<std::string>& results) const {
  WhatIfOutputs written(outputs);
  WhatIfTable table(plan_);
  PointResult own = to_point_result(results.front());
  for (size_t point = 0; point < results.size(); ++point) {
    PointResult result = to_point_result(results[point]);
    table.put(point, result);
    if (result.status == kOwnFault) print_error(failure_text(plan_, point, result));
  }
  auto csv = outputs.value("csv");
  if (csv && csv->text != "-") write_new(outputs, "csv", table.to_csv());
  const int status = written.write(outputs, plan_, table, own);
  require_no_crashes(table.crashed(), plan_.points());
  return status;
}

}  // namespace warptime::cli
