// What a launch file expects of a run: `expect`, the contents of buffers after it, and `expect_figures`, numbers of its
// statistics (figure_names.h) within limits.
//
//   expect_figures:
//     time_us: {max: 40}
//     coalesced: {min: 90%}
//     findings: none
//     cycles: {launch: tiled, of: naive, max: 50%}     # at least twice as fast
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/launch_file/launch_plan.h"
#include "host/report/report.h"
#include "sim/model/yaml_reader.h"

namespace warptime::host {

/// One entry of `expect`, but for its buffer. `data`: that buffer; nullptr: there is none, which has had its error.
/// nullopt after an error.
std::optional<Expectation> read_expected_values(const yaml::Entry& entry, const TypedData* data,
                                                const std::string& launch_file, Diagnostics& diagnostics);

/// One entry of `expect_figures`; the plan has its launches and figures. Errors: unknown names and launches, limits in
/// a wrong unit.
void read_expected_figure(const yaml::Entry& entry, LaunchPlan& plan, Diagnostics& diagnostics);

/// The figures of a run beside their limits: one check for each of the plan's expected figures, in their order.
/// `findings`: errors that the checkers found; nullopt: they were not used.
std::vector<FigureCheck> check_figures(const LaunchPlan& plan, const RunReport& report,
                                       std::optional<uint64_t> findings = {});

}  // namespace warptime::host
