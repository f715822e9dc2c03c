#include "host/validation/validation_suite.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "host/report/verdict.h"

namespace warptime::host {

namespace {

/// The launches of the kernel that takes the most time; of equals, the one that was launched first.
std::vector<sim::LaunchStatistics> main_launches(const std::vector<sim::LaunchStatistics>& launches) {
  std::map<std::string, double> times;
  for (const sim::LaunchStatistics& launch : launches) times[launch.kernel] += launch.time_us;
  auto main = std::max_element(launches.begin(), launches.end(),
                               [&](const auto& a, const auto& b) { return times[a.kernel] < times[b.kernel]; });
  std::vector<sim::LaunchStatistics> out;
  for (const sim::LaunchStatistics& launch : launches)
    if (launch.kernel == main->kernel) out.push_back(launch);
  return out;
}

/// How near the resources of a class came to what they can reach: the nearest of them.
double nearest_to_limit(const sim::LaunchStatistics& launch, sim::ResourceClass group) {
  double nearest = 0;
  for (size_t i = 0; i < sim::kResourceCount; ++i) {
    auto resource = static_cast<sim::Resource>(i);
    if (sim::info(resource).group == group) nearest = std::max(nearest, nearness(launch, resource));
  }
  return nearest;
}

}  // namespace

std::optional<SuiteFigures> suite_figures(const RunReport& report, const CpuBaselineSpec& cpu) {
  if (report.launches.empty() || !total_of(report.launches).timed) return std::nullopt;
  const sim::MachineConfig& machine = report.machine.config;
  std::vector<sim::LaunchStatistics> launches = main_launches(report.launches);
  sim::LaunchStatistics total = total_of(launches);
  const sim::LaunchStatistics& longest = *std::max_element(
      launches.begin(), launches.end(), [](const auto& a, const auto& b) { return a.cycles < b.cycles; });

  total.occupancy = longest.occupancy;
  total.grid = longest.grid;
  total.block = longest.block;
  const uint32_t threads = total.block[0] * total.block[1] * total.block[2];
  const uint64_t blocks = uint64_t{total.grid[0]} * total.grid[1] * total.grid[2];
  const auto limits = verdict(total, machine);

  SuiteFigures out;
  out.kernel = longest.kernel;
  out.active_threads = std::min(blocks, uint64_t{total.occupancy.blocks_per_sm} * sim::sm_count(machine)) * threads;
  out.registers_estimated = total.occupancy.registers_estimated;
  out.shared_bytes_per_thread = static_cast<double>(total.occupancy.shared_bytes_per_block) / threads;
  out.issue = nearest_to_limit(total, sim::ResourceClass::Issue);
  out.memory = nearest_to_limit(total, sim::ResourceClass::Bandwidth);
  auto average = [&](sim::Resource resource) { return total.resources[static_cast<size_t>(resource)].share(); };
  double compute = std::max({average(sim::Resource::Issue), average(sim::Resource::Sp), average(sim::Resource::Sfu)});
  out.memory_to_compute = compute > 0 ? average(sim::Resource::Dram) / compute : 0;
  out.bottleneck = limits->paper_class();
  out.bound = limits->bound();
  for (const TimelineEvent& event : report.timeline)
    (event.kind == TimelineEvent::Kind::Kernel ? out.kernels_us : out.copies_us) += event.end_us - event.start_us;
  if (report.cpu) {
    double cpu_us = (cpu.simd ? report.cpu->simd_seconds : report.cpu->scalar_seconds) * 1e6;
    double rest_us = cpu_us * (1 - cpu.kernel_share) / cpu.kernel_share;
    double whole_us = rest_us + out.kernels_us + out.copies_us;
    out.kernel_speedup = cpu_us / total_of(report.launches).time_us;
    out.application_speedup = (cpu_us + rest_us) / whole_us;
    out.gpu_percent = 100 * out.kernels_us / whole_us;
    out.transfer_percent = 100 * out.copies_us / whole_us;
  }
  return out;
}

nlohmann::ordered_json to_json(const SuiteFigures& figures) {
  return {{"kernel", figures.kernel},
          {"active_threads", figures.active_threads},
          {"registers_estimated", figures.registers_estimated},
          {"shared_bytes_per_thread", figures.shared_bytes_per_thread},
          {"issue", figures.issue},
          {"memory", figures.memory},
          {"memory_to_compute", figures.memory_to_compute},
          {"bottleneck", figures.bottleneck},
          {"bound", figures.bound},
          {"kernels_us", figures.kernels_us},
          {"copies_us", figures.copies_us},
          {"kernel_speedup", figures.kernel_speedup},
          {"application_speedup", figures.application_speedup},
          {"gpu_percent", figures.gpu_percent},
          {"transfer_percent", figures.transfer_percent}};
}

}  // namespace warptime::host
