#include "cli/sweep/sweep_tasks.h"

#include "base/standard_streams.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "cli/run/run_target.h"

namespace warptime::cli {

SweepPlan plan_sweep(const Arguments& arguments) {
  require_one_target(arguments, "sweep", "TARGET --set PATH=V1,V2,... [--param NAME=V1,V2,...] [options]");
  run_options(arguments, {});  // its errors are also reported before the first point
  return SweepPlan(arguments);
}

SweepTasks::SweepTasks(const Arguments& arguments) : arguments_(arguments), plan_(plan_sweep(arguments)) {
  SweepTable columns(plan_, arguments);  // a wrong --columns is found before the first point
}

std::string SweepTasks::run(size_t task) const {
  return run_point(arguments_, plan_, task, !arguments_.has("no-check"));
}

std::string SweepTasks::lost(const std::string& why) const { return to_text({kOwnFault, why + "\n", "", {}}); }

int SweepTasks::finish(const Arguments& outputs, const std::vector<std::string>& results) const {
  SweepTable table(plan_, arguments_);
  size_t failed = 0;
  bool quiet = outputs.has("quiet");
  for (size_t point = 0; point < results.size(); ++point) {
    PointResult result = to_point_result(results[point]);
    table.put(point, result);
    if (result.status == kDone) continue;
    ++failed;
    if (!quiet) print_error(failure_text(plan_, point, result));
  }
  if (!quiet) print_failed_points(failed, plan_.points());
  auto csv = outputs.value("csv");
  if (csv && csv->text != "-") write_new(outputs, "csv", table.to_csv());
  if (outputs.has("json")) write_new(outputs, "json", table.to_json(arguments_.words().front().text));
  if (csv ? csv->text == "-" : !outputs.has("json")) print(table.to_csv());
  require_no_crashes(table.crashed(), plan_.points());
  return kDone;
}

void print_failed_points(size_t failed, size_t points) {
  if (failed > 0) print_error(fmt::format("{} of {} points failed\n", failed, points));
}

}  // namespace warptime::cli
