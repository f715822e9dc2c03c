#include "host/report/report_values.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <numeric>

#include "host/report/verdict.h"

namespace warptime::host {

namespace {

template <class Stats>
void add_stats(ValueWriter& out, const Stats& stats) {
  Stats::visit(stats, [&](std::string_view name, const uint64_t& value, std::string_view, std::string_view) {
    out.number(name, value);
  });
}

/// With more members to come: the caller ends it.
template <class Stats>
void begin_stats(ValueWriter& out, std::string_view key, const Stats& stats) {
  out.begin_object(key);
  add_stats(out, stats);
}

template <class Stats>
void write_stats(ValueWriter& out, std::string_view key, const Stats& stats) {
  begin_stats(out, key, stats);
  out.end();
}

/// `attributed`: else null.
void write_stalls(ValueWriter& out, std::string_view key, const sim::StallCounts& stalls, bool attributed) {
  if (!attributed) return out.null(key);
  out.begin_object(key);
  for (size_t i = 0; i < sim::kStallCount; ++i) out.number(sim::kStalls[i].key, stalls[i]);
  out.end();
}

void write_issue(ValueWriter& out, std::string_view key, const sim::IssueSlots& issue, bool attributed) {
  out.begin_object(key);
  out.number("slots", issue.slots);
  out.number("issued", issue.issued);
  write_stalls(out, "stalls", issue.stalls, attributed);
  out.end();
}

template <class Numbers>
void write_list(ValueWriter& out, std::string_view key, const Numbers& numbers) {
  out.begin_list(key);
  for (uint64_t number : numbers) out.number({}, number);
  out.end();
}

void write_instructions(ValueWriter& out, const sim::LaunchStatistics& launch) {
  out.begin_list("instructions");
  for (const sim::InstructionRow& row : launch.instructions) {
    out.begin_object({});
    out.number("line", row.line);
    out.text("text", row.text);
    out.number("warp_instructions", row.warp_instructions);
    out.number("thread_instructions", row.thread_instructions);
    out.number("issued", row.issued);
    write_stalls(out, "stalls", row.stalls, launch.attributed);
    out.end();
  }
  out.end();
}

/// Shares of the time, largest first; of equals, in the order of the table.
void write_resources(ValueWriter& out, const sim::LaunchStatistics& launch) {
  std::array<size_t, sim::kResourceCount> order{};
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return launch.resources[a].share() > launch.resources[b].share(); });
  out.begin_list("resources");
  for (size_t i : order) {
    out.begin_object({});
    out.text("name", sim::kResources[i].key);
    out.real("busy", launch.resources[i].share());
    out.real("busiest", launch.resources[i].busiest_share());
    out.end();
  }
  out.end();
}

void write_occupancy(ValueWriter& out, const sim::Occupancy& occupancy) {
  out.begin_object("occupancy");
  out.number("blocks_per_sm", occupancy.blocks_per_sm);
  out.number("warps_per_sm", occupancy.warps_per_sm);
  out.text("limiter", occupancy.limiter);
  out.number("registers_per_thread", occupancy.registers_per_thread);
  out.number("registers_estimated", occupancy.registers_estimated);
  out.number("shared_bytes_per_block", occupancy.shared_bytes_per_block);
  out.end();
}

void write_timed_parts(ValueWriter& out, const sim::LaunchStatistics& s) {
  begin_stats(out, "dram", s.dram);
  out.real("bandwidth_gb_s", dram_bandwidth_gb_s(s));
  out.end();
  out.begin_object("caches");
  sim::CachesStats::visit(s.caches, [&](std::string_view name, std::string_view, const sim::CacheStats& cache) {
    bool absent = (name == "l1" && !s.caches.has_l1) || (name == "l2" && !s.caches.has_l2);
    if (!absent) write_stats(out, name, cache);
  });
  out.end();
  out.begin_object("pipes");
  sim::PipeBusy::visit(s.pipes, [&](std::string_view name, const uint64_t& busy, std::string_view, std::string_view) {
    out.begin_object(name);
    out.number("busy_cycles", busy);
    out.end();
  });
  out.end();
  write_resources(out, s);
}

/// The counters, which a launch and the total have alike. Without timing, everything about time is null.
void write_counters(ValueWriter& out, const sim::LaunchStatistics& s, bool is_total) {
  if (s.timed) out.number("cycles", s.cycles);
  else out.null("cycles");
  if (s.timed) out.real("time_us", s.time_us);
  else out.null("time_us");
  add_stats(out, s.counts);
  if (s.timed) out.real("gflops", gflops(s));
  else out.null("gflops");
  if (!is_total) write_occupancy(out, s.occupancy);
  if (s.timed) write_issue(out, "issue", s.issue, s.attributed);
  else out.null("issue");
  begin_stats(out, "divergence", s.divergence);
  write_list(out, "active_lanes_histogram", s.active_lanes_histogram);
  out.end();
  write_stats(out, "shared", s.shared);
  write_stats(out, "global", s.global);
  if (s.timed) return write_timed_parts(out, s);
  for (const char* part : {"dram", "caches", "pipes", "resources"}) out.null(part);
}

void write_sampling(ValueWriter& out, const std::optional<sim::SamplingStatistics>& sampling) {
  if (!sampling) return out.null("sampling");
  out.begin_object("sampling");
  out.text("mode", sampling->full_values ? "full_values" : "timing");
  out.number("seed", sampling->seed);
  out.number("samples", sampling->samples);
  out.number("blocks_timed", sampling->blocks_timed);
  out.number("cycles_low", sampling->cycles_low);
  out.number("cycles_high", sampling->cycles_high);
  out.end();
}

void write_warp_cycles(ValueWriter& out, const sim::LaunchStatistics& launch) {
  if (!launch.timed) return out.null("warp_cycles");
  out.begin_object("warp_cycles");
  out.number("resident", launch.warp_cycles.resident);
  out.number("issuing", launch.warp_cycles.issuing);
  out.number("not_selected", launch.warp_cycles.not_selected);
  write_stalls(out, "waiting", launch.warp_cycles.waiting, launch.attributed);
  out.end();
}

void write_issue_by_sm(ValueWriter& out, const sim::LaunchStatistics& launch) {
  if (!launch.timed) return out.null("issue_by_sm");
  out.begin_list("issue_by_sm");
  for (const sim::IssueSlots& sm : launch.issue_by_sm) write_issue(out, {}, sm, launch.attributed);
  out.end();
}

std::string_view direction_name(TimelineEvent::Direction direction) {
  switch (direction) {
    case TimelineEvent::Direction::None: return "";
    case TimelineEvent::Direction::HostToDevice: return "host_to_device";
    case TimelineEvent::Direction::DeviceToHost: return "device_to_host";
  }
  return "";
}

void write_checks(ValueWriter& out, const std::vector<Check>& checks) {
  out.begin_list("checks");
  for (const Check& check : checks) {
    out.begin_object({});
    out.text("name", check.name);
    out.flag("ok", check.ok);
    out.real("max_abs_error", check.max_abs_error);
    out.number("max_ulp_error", check.max_ulp_error);
    out.end();
  }
  out.end();
}

void write_figures(ValueWriter& out, const std::vector<Figure>& figures) {
  out.begin_list("figures");
  for (const Figure& figure : figures) {
    out.begin_object({});
    out.text("name", figure.name);
    out.real("value", figure.value);
    out.text("unit", figure.unit);
    out.text("what", figure.what);
    out.end();
  }
  out.end();
}

}  // namespace

void write_head(ValueWriter& out, const sim::Machine& machine, std::string_view target) {
  out.begin_object("machine");
  out.text("name", machine.name);
  out.text("hash", machine.hash);
  out.end();
  out.text("target", target);
}

void write_launch(ValueWriter& out, const sim::LaunchStatistics& launch, const sim::MachineConfig& machine,
                  bool lists) {
  out.text("kernel", launch.kernel);
  write_list(out, "grid", launch.grid);
  write_list(out, "block", launch.block);
  write_counters(out, launch, false);
  auto limits = verdict(launch, machine);
  if (limits) out.text("bound", limits->bound());
  else out.null("bound");
  write_sampling(out, launch.sampling);
  write_warp_cycles(out, launch);
  if (!lists) return;
  write_issue_by_sm(out, launch);
  write_instructions(out, launch);
}

void write_total(ValueWriter& out, const sim::LaunchStatistics& total) { write_counters(out, total, true); }

void write_event(ValueWriter& out, const TimelineEvent& event) {
  out.begin_object({});
  out.text("kind", event.kind == TimelineEvent::Kind::Copy ? "copy" : "kernel");
  std::string_view direction = direction_name(event.direction);
  if (direction.empty()) out.null("direction");
  else out.text("direction", direction);
  out.text("name", event.name);
  out.real("start_us", event.start_us);
  out.real("end_us", event.end_us);
  out.number("bytes", event.bytes);
  out.end();
}

void write_tail(ValueWriter& out, const RunReport& report, const sim::LaunchStatistics& total) {
  write_checks(out, report.checks);
  write_figures(out, report.figures);
  if (report.cpu) write_json(out, "cpu", to_json(*report.cpu));
  out.begin_object("host");
  out.real("wall_seconds", report.host.wall_seconds);
  out.real("simulate_seconds", report.host.simulate_seconds);
  out.real("warp_instructions_per_second",
           per_second(static_cast<double>(total.counts.warp_instructions), report.host.simulate_seconds));
  out.number("threads", report.host.threads);
  out.number("peak_rss_bytes", report.host.peak_rss_bytes);
  out.end();
}

}  // namespace warptime::host
