// The `figures` of a launch file: quantities computed from its parameters and the numbers of `total` of the run's
// statistics, by their dotted names; `time_ns` is there beside `time_us`, and a figure may use those before it. A
// figure with the name of a number of `total` takes its place in all that follows, in the columns of sweeps too.
#pragma once

#include "host/launch_file/launch_plan.h"
#include "host/report/report.h"
#include "sim/model/yaml_reader.h"

namespace warptime::host {

/// What figures can name: every number that `total` has on some machine, and time_ns.
const std::vector<std::string>& names_of_total();
bool is_name_of_total(std::string_view name);

/// Reads one entry of `figures`; an error for names that no run has.
void read_figure(const yaml::Entry& entry, LaunchPlan& plan, Diagnostics& diagnostics);

/// The figures of a run; without those that use numbers it does not have (times of a functional run).
std::vector<Figure> figures_of(const LaunchPlan& plan, const RunReport& report);

}  // namespace warptime::host
