#include "host/report.h"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <numeric>

#include "host/verdict.h"

namespace warptime::host {

using nlohmann::ordered_json;

namespace {

template <class Stats>
void add_stats(ordered_json& out, const Stats& stats) {
  Stats::visit(stats, [&](std::string_view name, const uint64_t& value, std::string_view, std::string_view) {
    out[std::string(name)] = value;
  });
}

template <class Stats>
ordered_json stats_json(const Stats& stats) {
  ordered_json out = ordered_json::object();
  add_stats(out, stats);
  return out;
}

ordered_json issue_json(const sim::IssueSlots& issue, bool attributed) {
  ordered_json out;
  out["slots"] = issue.slots;
  out["issued"] = issue.issued;
  out["stalls"] = attributed ? to_json(issue.stalls) : ordered_json();
  return out;
}

ordered_json instructions_json(const sim::LaunchStatistics& launch) {
  ordered_json out = ordered_json::array();
  for (const sim::InstructionRow& row : launch.instructions) {
    ordered_json line;
    line["line"] = row.line;
    line["text"] = row.text;
    line["warp_instructions"] = row.warp_instructions;
    line["thread_instructions"] = row.thread_instructions;
    line["issued"] = row.issued;
    line["stalls"] = launch.attributed ? to_json(row.stalls) : ordered_json();
    out.push_back(std::move(line));
  }
  return out;
}

/// Shares of the time, largest first; of equals, in the order of the table.
ordered_json resources_json(const sim::LaunchStatistics& launch) {
  std::array<size_t, sim::kResourceCount> order{};
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return launch.resources[a].share() > launch.resources[b].share(); });
  ordered_json out = ordered_json::array();
  for (size_t i : order)
    out.push_back({{"name", sim::kResources[i].key},
                   {"busy", launch.resources[i].share()},
                   {"busiest", launch.resources[i].busiest_share()}});
  return out;
}

// The counters, which a launch and the total have alike. Without timing, everything about time is null.
void add_counters(ordered_json& out, const sim::LaunchStatistics& s, bool is_total) {
  out["cycles"] = s.timed ? ordered_json(s.cycles) : ordered_json();
  out["time_us"] = s.timed ? ordered_json(s.time_us) : ordered_json();
  add_stats(out, s.counts);
  out["gflops"] = s.timed ? ordered_json(gflops(s)) : ordered_json();
  if (!is_total) {
    ordered_json& o = out["occupancy"];
    o["blocks_per_sm"] = s.occupancy.blocks_per_sm;
    o["warps_per_sm"] = s.occupancy.warps_per_sm;
    o["limiter"] = s.occupancy.limiter;
    o["registers_per_thread"] = s.occupancy.registers_per_thread;
    o["registers_estimated"] = s.occupancy.registers_estimated;
    o["shared_bytes_per_block"] = s.occupancy.shared_bytes_per_block;
  }
  out["issue"] = s.timed ? issue_json(s.issue, s.attributed) : ordered_json();
  out["divergence"] = stats_json(s.divergence);
  out["divergence"]["active_lanes_histogram"] = s.active_lanes_histogram;
  out["shared"] = stats_json(s.shared);
  out["global"] = stats_json(s.global);
  out["dram"] = ordered_json();
  out["caches"] = ordered_json();
  out["pipes"] = ordered_json();
  if (s.timed) {
    out["dram"] = stats_json(s.dram);
    out["dram"]["bandwidth_gb_s"] = dram_bandwidth_gb_s(s);
    sim::CachesStats::visit(s.caches, [&](std::string_view name, std::string_view, const sim::CacheStats& cache) {
      bool absent = (name == "l1" && !s.caches.has_l1) || (name == "l2" && !s.caches.has_l2);
      if (!absent) out["caches"][std::string(name)] = stats_json(cache);
    });
    sim::PipeBusy::visit(s.pipes, [&](std::string_view name, const uint64_t& busy, std::string_view, std::string_view) {
      out["pipes"][std::string(name)]["busy_cycles"] = busy;
    });
  }
  out["resources"] = s.timed ? resources_json(s) : ordered_json();
}

ordered_json sampling_json(const sim::SamplingStatistics& sampling) {
  ordered_json out;
  out["mode"] = sampling.full_values ? "full_values" : "timing";
  out["seed"] = sampling.seed;
  out["samples"] = sampling.samples;
  out["blocks_timed"] = sampling.blocks_timed;
  out["cycles_low"] = sampling.cycles_low;
  out["cycles_high"] = sampling.cycles_high;
  return out;
}

ordered_json launch_json(const sim::LaunchStatistics& launch, const sim::MachineConfig& machine) {
  ordered_json out;
  out["kernel"] = launch.kernel;
  out["grid"] = launch.grid;
  out["block"] = launch.block;
  add_counters(out, launch, false);
  auto limits = verdict(launch, machine);
  out["bound"] = limits ? ordered_json(limits->bound()) : ordered_json();
  out["sampling"] = ordered_json();
  if (launch.sampling) out["sampling"] = sampling_json(*launch.sampling);
  out["warp_cycles"] = ordered_json();
  out["issue_by_sm"] = ordered_json();
  if (launch.timed) {
    ordered_json& warps = out["warp_cycles"];
    warps["resident"] = launch.warp_cycles.resident;
    warps["issuing"] = launch.warp_cycles.issuing;
    warps["not_selected"] = launch.warp_cycles.not_selected;
    warps["waiting"] = launch.attributed ? to_json(launch.warp_cycles.waiting) : ordered_json();
    out["issue_by_sm"] = ordered_json::array();
    for (const sim::IssueSlots& sm : launch.issue_by_sm)
      out["issue_by_sm"].push_back(issue_json(sm, launch.attributed));
  }
  out["instructions"] = instructions_json(launch);
  return out;
}

std::string_view direction_name(TimelineEvent::Direction direction) {
  switch (direction) {
    case TimelineEvent::Direction::None: return "";
    case TimelineEvent::Direction::HostToDevice: return "host_to_device";
    case TimelineEvent::Direction::DeviceToHost: return "device_to_host";
  }
  return "";
}

ordered_json timeline_json(const std::vector<TimelineEvent>& timeline) {
  ordered_json out = ordered_json::array();
  for (const TimelineEvent& event : timeline) {
    ordered_json e;
    e["kind"] = event.kind == TimelineEvent::Kind::Copy ? "copy" : "kernel";
    std::string_view direction = direction_name(event.direction);
    e["direction"] = direction.empty() ? ordered_json() : ordered_json(direction);
    e["name"] = event.name;
    e["start_us"] = event.start_us;
    e["end_us"] = event.end_us;
    e["bytes"] = event.bytes;
    out.push_back(std::move(e));
  }
  return out;
}

void sum(sim::StallCounts& into, const sim::StallCounts& from) {
  for (size_t i = 0; i < into.size(); ++i) into[i] += from[i];
}

double per_second(double amount, double seconds) { return seconds > 0 ? amount / seconds : 0; }

}  // namespace

std::string_view version() { return WARPTIME_VERSION; }

uint64_t peak_rss_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;  // Linux counts KiB
}

sim::LaunchStatistics total_of(const std::vector<sim::LaunchStatistics>& launches) {
  sim::LaunchStatistics total;
  for (const sim::LaunchStatistics& launch : launches) {
    total.timed = total.timed && launch.timed;
    total.attributed = total.attributed && launch.attributed;
    total.cycles += launch.cycles;
    total.time_us += launch.time_us;
    total.counts.add(launch.counts);
    total.issue.slots += launch.issue.slots;
    total.issue.issued += launch.issue.issued;
    sum(total.issue.stalls, launch.issue.stalls);
    total.divergence.add(launch.divergence);
    for (size_t i = 0; i < total.active_lanes_histogram.size(); ++i)
      total.active_lanes_histogram[i] += launch.active_lanes_histogram[i];
    total.shared.add(launch.shared);
    total.global.add(launch.global);
    total.dram.add(launch.dram);
    total.caches.add(launch.caches);
    total.pipes.add(launch.pipes);
    for (size_t i = 0; i < sim::kResourceCount; ++i) total.resources[i].add(launch.resources[i]);
  }
  return total;
}

double gflops(const sim::LaunchStatistics& launch) {
  return per_second(static_cast<double>(launch.counts.flops) / 1e9, launch.time_us / 1e6);
}

double gflops_f16(const sim::LaunchStatistics& launch) {
  return per_second(static_cast<double>(launch.counts.flops_f16) / 1e9, launch.time_us / 1e6);
}

double gflops_f64(const sim::LaunchStatistics& launch) {
  return per_second(static_cast<double>(launch.counts.flops_f64) / 1e9, launch.time_us / 1e6);
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

double peak_bandwidth_gb_s(const sim::MachineConfig& machine) {
  return machine.memory.partitions * machine.dram.bus_bytes * 2.0 * machine.clocks.memory_mhz / 1e3;
}

ordered_json to_json(const sim::StallCounts& stalls) {
  ordered_json out = ordered_json::object();
  for (size_t i = 0; i < sim::kStallCount; ++i) out[std::string(sim::kStalls[i].key)] = stalls[i];
  return out;
}

ordered_json to_json(const RunReport& report) {
  ordered_json out;
  out["schema"] = 1;
  out["program"]["name"] = "warptime";
  out["program"]["version"] = version();
  out["machine"]["name"] = report.machine.name;
  out["machine"]["hash"] = report.machine.hash;
  out["target"] = report.target;
  out["launches"] = ordered_json::array();
  for (const sim::LaunchStatistics& launch : report.launches)
    out["launches"].push_back(launch_json(launch, report.machine.config));
  sim::LaunchStatistics total = total_of(report.launches);
  out["total"] = ordered_json::object();
  add_counters(out["total"], total, true);
  out["timeline"] = timeline_json(report.timeline);
  out["checks"] = ordered_json::array();
  for (const Check& check : report.checks) {
    ordered_json c;
    c["name"] = check.name;
    c["ok"] = check.ok;
    c["max_abs_error"] = check.max_abs_error;
    c["max_ulp_error"] = check.max_ulp_error;
    out["checks"].push_back(std::move(c));
  }
  out["figures"] = ordered_json::array();
  for (const Figure& figure : report.figures)
    out["figures"].push_back(
        {{"name", figure.name}, {"value", figure.value}, {"unit", figure.unit}, {"what", figure.what}});
  if (report.cpu) out["cpu"] = to_json(*report.cpu);
  ordered_json& host = out["host"];
  host["wall_seconds"] = report.host.wall_seconds;
  host["simulate_seconds"] = report.host.simulate_seconds;
  host["warp_instructions_per_second"] =
      per_second(static_cast<double>(total.counts.warp_instructions), report.host.simulate_seconds);
  host["threads"] = report.host.threads;
  host["peak_rss_bytes"] = report.host.peak_rss_bytes;
  return out;
}

std::string to_json_text(const RunReport& report) {
  // A kernel's name or a PTX line may hold bytes that are no UTF-8: written as '?' rather than refused.
  return to_json(report).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace warptime::host
