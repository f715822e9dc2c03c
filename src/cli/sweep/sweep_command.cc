// `warptime sweep`: a target at every combination of swept values, one row each. Each point is a simulation on one
// thread in a child process; a point that fails is a row with its status, and the sweep continues.
#include "base/standard_streams.h"
#include "cli/cli.h"
#include "cli/machine/machine_option.h"
#include "cli/output.h"
#include "cli/plan/parts.h"
#include "cli/plan/slurm_plan.h"
#include "cli/run/run_target.h"
#include "cli/sweep/sweep_plan.h"
#include "cli/sweep/sweep_table.h"
#include "cli/sweep/sweep_tasks.h"

namespace warptime::cli {

namespace {

const Command& describe_sweep() {
  using Kind = Option::Kind;
  static const Command command = [] {
    Command c{
        .name = "sweep",
        .usage = "TARGET --set PATH=V1,V2,... [--param NAME=V1,V2,...] [options]",
        .summary = "run a target with every combination of values, one row each",
        .details =
            "TARGET is as for `warptime run`. A value is also a range: 16:128:+16 adds 16 until 128, 16:128:*2 "
            "doubles.\n"
            "Rows are in the order of the values; the last --param varies fastest.\n"
            "Columns: the swept values, status (the exit status of the run), launches, the numbers of `total`, and of\n"
            "the longest launch its occupancy and what bounds it.\n"
            "Failed points are listed on standard error and are not fatal: the exit status is 0 if every point has\n"
            "its row. Without --csv and --json the CSV goes to standard output. Outputs of a launch file are not\n"
            "written.\n",
        .options = {{"csv", Kind::Value, Takes::file("FILE"), "write the rows as they come; - for standard output"},
                    {"resume", Kind::Flag, "", "keep the rows that an interrupted sweep left in --csv FILE"},
                    {"columns", Kind::Value, Takes::statistics("NAME,..."),
                     "these statistics only, in this order; issue.* is all that begin with issue."},
                    {"zip", Kind::Flag, "", "the axes in step: the first values, the second ones, ..."},
                    {"random", Kind::Value, "N", "N points of a Latin hypercube; a range needs no step then: 16:128"},
                    {"seed", Kind::Value, "S", "of --random; default 1"},
                    {"json", Kind::OptionalValue, Takes::file("FILE"),
                     "write the rows as JSON to FILE or standard output"},
                    {"jobs", Kind::Value, "N", "points at a time; default: the host's cores"},
                    {"threads", Kind::Value, "N", "the same as --jobs: a point runs on one thread"},
                    {"quiet", Kind::Flag, "", "no progress line and no list of failed points"}},
        .unavailable = {},
        .examples = {"warptime sweep vecadd --set memory.partitions=1,2,4,6 --set dram.scheduler=fr_fcfs,fcfs",
                     "warptime sweep matmul:tiled --param n=64,128 --param tile=4,8,16 --csv tiles.csv",
                     "warptime sweep saxpy --machine geforce-8800-gtx,geforce-gtx-280 --param n=4096:65536:*2 "
                     "--columns time_us,achieved_occupancy,bound",
                     "warptime sweep vecadd --param n=4096:65536:*2 --csv s1.shard --shard 1/2",
                     "warptime sweep --merge s1.shard s2.shard --csv rows.csv",
                     "warptime sweep matmul:tiled --param n=64:1024:+64 --csv tiled.csv --slurm --time 30",
                     "warptime sweep --status tiled.csv.plan",
                     "warptime sweep matmul:tiled --set sm.registers=8192,16384 --param n=512 --csv r.csv --resume"},
        .min_words = 0,
        .max_words = 100'000,
        .word_name = "TARGET"};
    for (Option& option : parts_options()) c.options.push_back(std::move(option));
    c.options.push_back(
        {"status", Kind::Value, Takes::file("PLAN"), "how far a plan of --slurm is: done, running, failed, timed out"});
    for (Option& option : target_options()) {
      if (option.name == "output") continue;
      if (option.name == "param") option.value = Takes::parameters("NAME=V1,V2,...");
      c.options.push_back(std::move(option));
    }
    for (Option& option : simulation_options()) c.options.push_back(std::move(option));
    for (Option& option : machine_options()) {
      if (option.name == "set") option.value = Takes::settings("PATH=V1,V2,...");
      if (option.name == "machine") option.value = Takes::machines("NAME|FILE,...");
      c.options.push_back(std::move(option));
    }
    return c;
  }();
  return command;
}

std::unique_ptr<Tasks> sweep_tasks(const Arguments& arguments) { return std::make_unique<SweepTasks>(arguments); }

int execute_sweep(const Arguments& arguments) {
  if (arguments.has("status")) return show_slurm_status(arguments);
  if (auto status = execute_in_parts(arguments, {"sweep", describe_sweep, sweep_tasks})) return *status;
  std::optional<ArgumentText> csv = plan_file(arguments, "sweep");
  unsigned jobs = jobs_of(arguments);
  SweepPlan plan = plan_sweep(arguments);
  for (const char* option : {"csv", "json"}) refuse_existing(arguments, option);
  std::optional<Output> json = output_of(arguments, "json");
  SweepTable table(plan, arguments);
  if (csv) table.open(*csv, arguments);

  size_t failed = 0;
  bool quiet = arguments.has("quiet");
  run_points(arguments, plan,
             {.points = table.missing(),
              .jobs = jobs,
              .check = [&](size_t) { return !arguments.has("no-check"); },
              .done = [&](size_t point, const PointResult& result) -> std::string {
                table.put(point, result);
                if (result.status == kDone) return {};
                ++failed;
                return quiet ? std::string() : failure_text(plan, point, result);
              }});
  table.close();
  if (!quiet) print_failed_points(failed, plan.points());
  if (json) json->write_all(table.to_json(arguments.words().front().text));
  if (!csv && (arguments.has("csv") || !json)) print(table.to_csv());
  require_no_crashes(table.crashed(), plan.points());
  return kDone;
}

}  // namespace

Entry sweep_command() { return {describe_sweep, execute_sweep}; }

}  // namespace warptime::cli
