// `warptime sweep`: a target at every combination of swept values, one row each. Each point is a simulation on one
// thread in a child process; a point that fails is a row with its status, and the sweep continues.
#include <nlohmann/json.hpp>

#include "base/standard_streams.h"
#include "cli/cli.h"
#include "cli/machine/machine_option.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/run/run_target.h"
#include "cli/sweep/sweep_children.h"
#include "cli/sweep/sweep_plan.h"
#include "cli/sweep/sweep_table.h"

namespace warptime::cli {

namespace {

using Json = nlohmann::ordered_json;

const Command& describe_sweep() {
  using Kind = Option::Kind;
  static const Command command = [] {
    Command c{
        .name = "sweep",
        .usage = "TARGET --set PATH=V1,V2,... [--param NAME=V1,V2,...] [options]",
        .summary = "run a target with every combination of values, one row each",
        .details =
            "TARGET is as for `warptime run`. Rows are in the order of the values; the last --param varies fastest.\n"
            "Columns: the swept values, status (the exit status of the run), launches, and the numbers of `total`.\n"
            "Failed points are listed on standard error and are not fatal: the exit status is 0 if every point has\n"
            "its row. Without --csv and --json the CSV goes to standard output. Outputs of a launch file are not\n"
            "written.\n",
        .options = {{"csv", Kind::Value, "FILE", "write the rows as they come; - for standard output"},
                    {"resume", Kind::Flag, "", "keep the rows that an interrupted sweep left in --csv FILE"},
                    {"json", Kind::OptionalValue, "FILE", "write the rows as JSON to FILE or standard output"},
                    {"jobs", Kind::Value, "N", "points at a time; default: the host's cores"},
                    {"threads", Kind::Value, "N", "the same as --jobs: a point runs on one thread"},
                    {"quiet", Kind::Flag, "", "no progress line and no list of failed points"}},
        .unavailable = {},
        .examples = {"warptime sweep vecadd --set memory.partitions=1,2,4,6 --set dram.scheduler=fr_fcfs,fcfs",
                     "warptime sweep matmul:tiled --param n=64,128 --param tile=4,8,16 --csv tiles.csv",
                     "warptime sweep matmul:tiled --set sm.registers=8192,16384 --param n=512 --csv r.csv --resume"},
        .min_words = 1,
        .max_words = 1,
        .word_name = "TARGET"};
    for (Option& option : target_options()) {
      if (option.name == "output") continue;
      if (option.name == "param") option.value = "NAME=V1,V2,...";
      c.options.push_back(std::move(option));
    }
    for (Option& option : simulation_options()) c.options.push_back(std::move(option));
    for (Option& option : machine_options()) {
      if (option.name == "set") option.value = "PATH=V1,V2,...";
      c.options.push_back(std::move(option));
    }
    return c;
  }();
  return command;
}

SweepRow run_point(const Arguments& arguments, const SweepPlan& plan, size_t point) {
  SweepRow row;
  row.status = guarded(
      [&] {
        std::string warnings;
        sim::LoadedMachine loaded =
            load_machine(arguments.value("machine"), plan.texts(point, SweepAxis::Kind::Set), warnings);
        std::unique_ptr<Target> target = find_target(arguments, plan.texts(point, SweepAxis::Kind::Param));
        target->drop_outputs();
        sim::RunOptions options = run_options(arguments, loaded.machine.config);
        options.threads = 1;
        host::RunReport report = run_target(*target, arguments.words().front().text, loaded.machine, options,
                                            !arguments.has("no-check"), warnings);
        row.launches = fmt::format("{}", report.launches.size());
        for (auto& [name, cell] : numbers_of_total(report)) row.total[name] = cell;
        row.message = failed_checks(report.checks);
        return row.message.empty() ? kDone : kCheckFailed;
      },
      row.message);
  return row;
}

// The transfer of a row from a child.
std::string to_text(const SweepRow& row) {
  return Json{{"status", row.status}, {"message", row.message}, {"launches", row.launches}, {"total", row.total}}.dump(
      -1, ' ', false, Json::error_handler_t::replace);
}

SweepRow to_row(const ChildResult& result) {
  if (!result.finished) return {kOwnFault, result.text + "\n", "", {}};
  Json row = Json::parse(result.text);
  return {row["status"], row["message"], row["launches"], row["total"]};
}

/// "point 3 (chip.tpcs=4, n=64): status 2", and why, each line of it indented.
void print_failure(const SweepPlan& plan, size_t point, const SweepRow& row) {
  std::vector<std::string> values = plan.texts(point, SweepAxis::Kind::Set);
  for (std::string& text : plan.texts(point, SweepAxis::Kind::Param)) values.push_back(std::move(text));
  print_error(fmt::format("point {} ({}): status {}\n", point + 1, fmt::join(values, ", "), row.status));
  for (size_t begin = 0; begin < row.message.size();) {
    size_t end = std::min(row.message.find('\n', begin), row.message.size());
    print_error(fmt::format("  {}\n", row.message.substr(begin, end - begin)));
    begin = end + 1;
  }
}

int execute_sweep(const Arguments& arguments) {
  std::optional<ArgumentText> csv = arguments.value("csv");
  bool csv_file = csv && csv->text != "-";
  if (csv && csv->text.empty()) fail(csv->where, "--csv needs a file name");
  if (arguments.has("resume") && !csv_file)
    fail(arguments.all("resume").front().where, "--resume needs the file of the interrupted sweep", "--csv FILE");
  unsigned jobs = jobs_of(arguments);
  run_options(arguments, {});  // its errors are also reported before the first point
  SweepPlan plan(arguments);
  std::optional<Output> json = output_of(arguments, "json");
  SweepTable table(plan);
  if (csv_file) table.open(*csv, arguments);

  size_t failed = 0, before = table.rows().size();
  bool quiet = arguments.has("quiet");
  {
    CountProgress progress(!quiet, "points", plan.points(), before);
    run_children(before, plan.points(), jobs,
                 {.work = [&](size_t point) { return to_text(run_point(arguments, plan, point)); },
                  .done =
                      [&](size_t point, const ChildResult& result) {
                        SweepRow row = to_row(result);
                        table.append(row);
                        if (row.status == kDone) return;
                        ++failed;
                        if (quiet) return;
                        progress.clear();
                        print_failure(plan, point, row);
                      },
                  .progress = [&](size_t ended) { progress.update(ended); }});
  }
  table.close();
  if (failed > 0 && !quiet) print_error(fmt::format("{} of {} points failed\n", failed, plan.points()));
  if (json) json->write_all(table.to_json(arguments.words().front().text));
  if (!csv_file && (csv || !json)) print(table.to_csv());
  return kDone;
}

}  // namespace

Entry sweep_command() { return {describe_sweep, execute_sweep}; }

}  // namespace warptime::cli
