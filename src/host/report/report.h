// The report of a run as data: JSON for `--stats` (which sweep, compare and validate also read), and CSV with one row
// per launch. Except for `host`, it is the same for any number of host threads.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cpu/baseline.h"
#include "host/device/device.h"
#include "host/report/figure_check.h"
#include "host/workload/workload.h"
#include "sim/model/machine.h"
#include "sim/model/statistics.h"

namespace warptime::host {

/// The cost of the run on the host: the only part of a report that differs from run to run.
struct HostInfo {
  double wall_seconds = 0;
  double simulate_seconds = 0;  // decode to the end of the last launch
  uint32_t threads = 1;
  uint64_t peak_rss_bytes = 0;
};

/// Launches of a run of which only some were timed (`exec --launches`, `--first-per-kernel`).
struct PartlyTimed {
  uint64_t timed = 0, extrapolated = 0, not_timed = 0;  // launches
  double timed_us = 0, extrapolated_us = 0;
  double extrapolated_share() const { return extrapolated_us > 0 ? extrapolated_us / (timed_us + extrapolated_us) : 0; }
};

struct RunReport {
  sim::Machine machine;
  std::string target;                           // as given by the user: "matmul:tiled"
  std::string conditions;                       // the sizes of this run, for the printed summary: "n = 512"
  std::vector<sim::LaunchStatistics> launches;  // all of them, or the first ones
  uint64_t launches_left_out = 0;               // number of launches that are not in the list
  std::optional<sim::LaunchStatistics> total;   // of all launches; nullopt: none is left out
  std::vector<TimelineEvent> timeline;
  std::vector<Check> checks;
  std::vector<Figure> figures;
  std::vector<FigureCheck> figure_checks;  // of the figures that a launch file expects
  std::optional<FaultError> cut;           // what ended the run early; the last launch is then counted up to there
  bool killed = false;                // or it ended early otherwise, between launches or in one that is not counted
  std::optional<PartlyTimed> partly;  // nullopt: all launches were timed, or none
  std::optional<cpu::CpuReport> cpu;  // the CPU baseline, if requested
  HostInfo host;
};

/// The version of warptime, "0.1.0".
std::string_view version();

/// Largest resident set of this process so far.
uint64_t peak_rss_bytes();

/// Adds a launch to a sum.
void add_launch(sim::LaunchStatistics& total, const sim::LaunchStatistics& launch);
/// Counters summed over launches; parts that are missing in any launch (functional runs) are missing.
sim::LaunchStatistics total_of(const std::vector<sim::LaunchStatistics>& launches);
sim::LaunchStatistics total_of(const RunReport& report);

// Ratios for all reports. 0 if nothing ran.
double per_second(double amount, double seconds);
double gflops(const sim::LaunchStatistics& launch);
double gflops_f16(const sim::LaunchStatistics& launch);
/// Warp instructions per cycle and SM: of PTX, and native ones.
double ipc(const sim::LaunchStatistics& launch);
double native_ipc(const sim::LaunchStatistics& launch);
/// The share of the lanes whose thread has not exited that execute the warp instructions.
double active_lanes(const sim::LaunchStatistics& launch);
/// Mean warps of an SM while it has any, as a share of what it can hold.
double achieved_occupancy(const sim::LaunchStatistics& launch);
double gflops_f64(const sim::LaunchStatistics& launch);
double dram_bandwidth_gb_s(const sim::LaunchStatistics& launch);
double peak_gflops(
    const sim::MachineConfig& machine);  // a multiply-add on every lane in every cycle in which the pipe accepts one
double peak_gflops_f64(const sim::MachineConfig& machine);  // the same of the double-precision units
double gflops_tensor(const sim::LaunchStatistics& launch);
double peak_gflops_tensor(const sim::MachineConfig& machine);  // products of f16 on every tensor core
double peak_bandwidth_gb_s(const sim::MachineConfig& machine);

nlohmann::ordered_json to_json(const RunReport& report);
/// All stall reasons with their slots, in the order of the list.
nlohmann::ordered_json to_json(const sim::StallCounts& stalls);
/// to_json as text, two spaces of indent, ending in a newline.
std::string to_json_text(const RunReport& report);

// For reports with all their launches; statistics_text.h writes these during a run.
/// Header and one row per launch.
std::string to_csv(const RunReport& report);
/// The numbers of `total` by dotted name, as CSV has them (FlatCells).
std::vector<std::pair<std::string, std::string>> cells_of_total(const RunReport& report);
/// A cell as CSV writes it (RFC 4180).
std::string csv_cell(std::string_view text);

}  // namespace warptime::host
