#include "host/validation_suite.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "sim/model/occupancy.h"

namespace warptime::host {

namespace {

constexpr double kSaturated = 0.8;        // of a pipe, of DRAM's sustained rate
constexpr double kSustained = 5.0 / 6.0;  // of DRAM's peak rate

// What one more block asks of the SM, over what there is.
double growth(uint32_t blocks, uint64_t of_a_block, uint64_t available) {
  return static_cast<double>((blocks + uint64_t{1}) * of_a_block) /
         static_cast<double>(std::max<uint64_t>(1, available));
}

std::string_view larger_share(const KernelUse& use) { return use.issue >= use.memory ? "issue" : "bandwidth"; }

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

double share(uint64_t busy, uint64_t all) {
  return all == 0 ? 0 : static_cast<double>(busy) / static_cast<double>(all);
}

}  // namespace

std::string_view bottleneck(const KernelUse& use, const sim::MachineConfig& machine) {
  if (std::max(use.issue, use.memory) >= kSaturated) return larger_share(use);
  uint32_t blocks = use.occupancy.blocks_per_sm;
  if (use.blocks <= uint64_t{blocks} * sim::sm_count(machine)) return "global_capacity";
  uint64_t registers = sim::registers_per_block(machine, use.threads_per_block, use.occupancy.registers_per_thread);
  uint64_t unit = machine.sm.shared.allocation_unit;
  uint64_t shared = (use.occupancy.shared_bytes_per_block + unit - 1) / unit * unit;
  double more_registers = growth(blocks, registers, machine.sm.registers);
  double more_shared = growth(blocks, shared, machine.sm.shared.bytes);
  if (std::max(more_registers, more_shared) <= 1) return larger_share(use);  // one more block would fit
  return more_registers >= more_shared ? "registers+latency" : "shared_capacity";
}

std::optional<SuiteFigures> suite_figures(const RunReport& report, const CpuUse& cpu) {
  if (report.launches.empty() || !total_of(report.launches).timed) return std::nullopt;
  const sim::MachineConfig& machine = report.machine.config;
  std::vector<sim::LaunchStatistics> launches = main_launches(report.launches);
  sim::LaunchStatistics total = total_of(launches);
  const sim::LaunchStatistics& longest = *std::max_element(
      launches.begin(), launches.end(), [](const auto& a, const auto& b) { return a.cycles < b.cycles; });

  KernelUse use;
  uint64_t sm_cycles = total.cycles * sim::sm_count(machine);
  use.issue =
      std::max({share(total.issue.issued, total.issue.slots), share(total.pipes.sp, sm_cycles * machine.sp.groups),
                share(total.pipes.sfu, sm_cycles * machine.sfu.groups)});
  double dram = dram_bandwidth_gb_s(total) / peak_bandwidth_gb_s(machine);
  use.memory = std::max(share(total.pipes.memory_port, sm_cycles), dram / kSustained);
  use.occupancy = longest.occupancy;
  use.threads_per_block = longest.block[0] * longest.block[1] * longest.block[2];
  use.blocks = uint64_t{longest.grid[0]} * longest.grid[1] * longest.grid[2];

  SuiteFigures out;
  out.kernel = longest.kernel;
  out.active_threads =
      std::min(use.blocks, uint64_t{use.occupancy.blocks_per_sm} * sim::sm_count(machine)) * use.threads_per_block;
  out.registers_estimated = use.occupancy.registers_estimated;
  out.shared_bytes_per_thread = static_cast<double>(use.occupancy.shared_bytes_per_block) / use.threads_per_block;
  out.issue = use.issue;
  out.memory = use.memory;
  out.memory_to_compute = use.issue > 0 ? dram / use.issue : 0;
  out.bottleneck = bottleneck(use, machine);
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
          {"kernels_us", figures.kernels_us},
          {"copies_us", figures.copies_us},
          {"kernel_speedup", figures.kernel_speedup},
          {"application_speedup", figures.application_speedup},
          {"gpu_percent", figures.gpu_percent},
          {"transfer_percent", figures.transfer_percent}};
}

}  // namespace warptime::host
