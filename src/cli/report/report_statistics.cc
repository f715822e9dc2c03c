// The data of a page from a statistics file.
#include <fmt/format.h>

#include <fstream>

#include "cli/compare/statistics_file.h"
#include "cli/home.h"
#include "cli/machine/machine_option.h"
#include "cli/report/report_input.h"
#include "host/report/summary.h"
#include "report/recorder.h"
#include "report/statistics_tree.h"

namespace warptime::cli {

namespace {

void refuse_run_options(const Arguments& arguments) {
  for (const auto& [option, given] : arguments.options())
    if (option != "out" && option != "machine" && option != "set" && option != "findings")
      fail(given.front().where, fmt::format("--{} needs a TARGET; it has no effect on a statistics file", option));
}

/// The machine of the statistics, if the machine file of that name, or that of --machine, still is the same.
void find_machine(const Arguments& arguments, const StatisticsFile& file, ReportInput& input) {
  if (arguments.has("machine") || arguments.has("set")) {
    input.machine = load_machine(arguments);
    if (input.machine->machine.hash != file.hash)
      fail(arguments.has("machine") ? arguments.value("machine")->where : arguments.all("set").front().where,
           fmt::format("{} was measured on another machine: its hash is {}, this one's is {}", file.file, file.hash,
                       input.machine->machine.hash));
  } else {
    Diagnostics unwanted;
    input.machine = sim::load_machine(file.machine, {}, configs_folder(), unwanted);
    if (input.machine && input.machine->machine.hash != file.hash) input.machine.reset();
  }
  if (input.machine) input.page.machine = &input.machine->machine.config;
  else
    input.page.notes.push_back(
        fmt::format("The machine's limits are not shown: the statistics are of {} with changes. Give the same "
                    "--machine and --set to `warptime report`.",
                    file.machine));
}

}  // namespace

StatisticsFile read_statistics_input(const Arguments& arguments, const ArgumentText& name, ReportInput& input) {
  refuse_run_options(arguments);
  StatisticsFile file = read_statistics(name);  // with all checks
  if (file.launches.empty())
    fail(name.where, fmt::format("{} has no launches, so there is nothing to report", name.text));
  if (!file.total.has_issue)
    fail(name.where, fmt::format("{} is of a functional run, which has no time to report", name.text),
         "run it without --functional");

  report::StatisticsTree tree;
  std::ifstream in(name.text, std::ios::binary);
  auto mistake = read_json(
      [&in](char* to, size_t most) {
        in.read(to, static_cast<std::streamsize>(most));
        return static_cast<size_t>(in.gcount());
      },
      tree);
  if (mistake || tree.launches() != file.launches.size())
    fail(name.where, fmt::format("{} cannot be read twice, or is being written", name.text));
  input.page.statistics = tree.take();
  input.page.kernels = tree.take_kernels();
  find_machine(arguments, file, input);
  if (tree.launches_left_out() > 0)
    input.page.notes.push_back(fmt::format("The launches are the first {} of {}; totals and lines are of all.",
                                           report::kMostLaunches, host::grouped(tree.launches())));
  if (tree.events_left_out() > 0)
    input.page.notes.push_back(
        fmt::format("The host timeline leaves out its last {} events.", host::grouped(tree.events_left_out())));
  if (input.page.kernels.empty())
    input.page.notes.push_back(
        "The file has no rows per instruction, so no source: `run --stats-per-instruction` adds them.");
  return file;
}

}  // namespace warptime::cli
