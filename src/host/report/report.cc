#include "host/report/report.h"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <numeric>

#include "host/report/report_values.h"
#include "host/report/statistics_text.h"
#include "host/report/verdict.h"
#include "sim/model/dram_map.h"

namespace warptime::host {

using nlohmann::ordered_json;

double per_second(double amount, double seconds) { return seconds > 0 ? amount / seconds : 0; }

std::string_view version() { return WARPTIME_VERSION; }

uint64_t peak_rss_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;  // Linux counts KiB
}

void add_launch(sim::LaunchStatistics& total, const sim::LaunchStatistics& launch) {
  total.timed = total.timed && launch.timed;
  total.attributed = total.attributed && launch.attributed;
  total.detailed = launch.detailed;  // all of a run are, or none
  total.staged = launch.staged;
  sim::LaunchStatistics::zip_groups(total, launch, [](const sim::StatGroup& group, auto& to, const auto& from) {
    if (group.of == sim::StatGroup::Of::Total) add_numbers(to, from);
  });
}

sim::LaunchStatistics total_of(const std::vector<sim::LaunchStatistics>& launches) {
  sim::LaunchStatistics total;
  for (const sim::LaunchStatistics& launch : launches) add_launch(total, launch);
  return total;
}

sim::LaunchStatistics total_of(const RunReport& report) {
  return report.total ? *report.total : total_of(report.launches);
}

double gflops(const sim::LaunchStatistics& launch) {
  return per_second(static_cast<double>(launch.counts.flops) / 1e9, launch.time_us / 1e6);
}

double gflops_f16(const sim::LaunchStatistics& launch) {
  return per_second(static_cast<double>(launch.counts.flops_f16) / 1e9, launch.time_us / 1e6);
}

double gflops_tensor(const sim::LaunchStatistics& launch) {
  return per_second(static_cast<double>(launch.counts.flops_tensor) / 1e9, launch.time_us / 1e6);
}

double gflops_f64(const sim::LaunchStatistics& launch) {
  return per_second(static_cast<double>(launch.counts.flops_f64) / 1e9, launch.time_us / 1e6);
}

namespace {

double quotient(uint64_t of, uint64_t by) { return by == 0 ? 0 : static_cast<double>(of) / static_cast<double>(by); }

}  // namespace

double ipc(const sim::LaunchStatistics& launch) {
  return quotient(launch.counts.warp_instructions, launch.sm_cycles.elapsed);
}

double native_ipc(const sim::LaunchStatistics& launch) {
  return quotient(launch.counts.native_warp_instructions, launch.sm_cycles.elapsed);
}

double active_lanes(const sim::LaunchStatistics& launch) {
  const uint64_t all = launch.counts.warp_instructions * 32, absent = launch.divergence.absent_lanes;
  return std::min(1.0, quotient(launch.counts.thread_instructions, all - std::min(all, absent)));
}

double achieved_occupancy(const sim::LaunchStatistics& launch) {
  return quotient(launch.sm_cycles.warps, launch.sm_cycles.most_warps);
}

double dram_bandwidth_gb_s(const sim::LaunchStatistics& launch) {
  return per_second(static_cast<double>(launch.dram.read_bytes + launch.dram.write_bytes) / 1e9, launch.time_us / 1e6);
}

double peak_gflops(const sim::MachineConfig& machine) {
  return sim::sm_count(machine) * machine.sp.groups * 32.0 / machine.sp.initiation * 2 * machine.clocks.shader_mhz /
         1e3;
}

double peak_gflops_f64(const sim::MachineConfig& machine) {
  return sim::sm_count(machine) * machine.dp.groups * 32.0 / machine.dp.initiation * 2 * machine.clocks.shader_mhz /
         1e3;
}

double peak_gflops_tensor(const sim::MachineConfig& machine) {
  return sim::sm_count(machine) * machine.tensor.groups * 2048.0 / machine.tensor.initiation * 2 *
         machine.clocks.shader_mhz / 1e3;
}

double peak_bandwidth_gb_s(const sim::MachineConfig& machine) {
  return 1.0 * machine.memory.partitions * bytes_per_memory_cycle(machine.dram) * machine.clocks.memory_mhz / 1e3;
}

ordered_json to_json(const sim::StallCounts& stalls) {
  ordered_json out = ordered_json::object();
  for (size_t i = 0; i < sim::kStallCount; ++i) out[std::string(sim::kStalls[i].key)] = stalls[i];
  return out;
}

std::string to_text(StatisticsFormat format, const RunReport& report) {
  std::string out;
  auto text = statistics_text(format, report.machine, report.target, true, [&](std::string_view part) { out += part; });
  for (const sim::LaunchStatistics& launch : report.launches) text->launch(launch);
  for (const TimelineEvent& event : report.timeline) text->event(event);
  text->end(report, total_of(report.launches));
  return out;
}

ordered_json to_json(const RunReport& report) { return ordered_json::parse(to_json_text(report)); }

std::string to_json_text(const RunReport& report) { return to_text(StatisticsFormat::Json, report); }

std::string to_csv(const RunReport& report) { return to_text(StatisticsFormat::Launches, report); }

std::vector<std::pair<std::string, std::string>> cells_of_total(const RunReport& report) {
  FlatCells cells;
  write_total(cells, total_of(report));
  return std::move(cells.cells());
}

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

}  // namespace warptime::host
