#include "host/report/report_values.h"

#include <algorithm>
#include <array>
#include <concepts>
#include <nlohmann/json.hpp>
#include <numeric>

#include "host/report/verdict.h"

namespace warptime::host {

namespace {

template <class T>
constexpr bool is_rows = false;
template <class T>
constexpr bool is_rows<std::vector<T>> = true;

/// What a launch or the total measured, row by row of the table.
class StatisticsWriter {
 public:
  /// `machine`: of a launch; nullptr: of the total. `lists`: with instructions and SMs.
  StatisticsWriter(ValueWriter& out, const sim::LaunchStatistics& launch, const sim::MachineConfig* machine, bool lists)
      : out_(out), launch_(launch), machine_(machine), lists_(lists) {}

  void write() {
    sim::LaunchStatistics::visit(launch_,
                                 [this](const sim::StatGroup& group, const auto& value) { row(group, value); });
    close();
  }

 private:
  template <class T>
  void row(const sim::StatGroup& group, const T& value) {
    if (machine_ == nullptr && group.of == sim::StatGroup::Of::Launch) return;
    if (is_rows<T> && !lists_) return;
    if (group.may_be_absent() && !launch_.has(group)) return;
    if (group.object != object_) {
      close();
      object_ = group.object;
      if (!object_.empty()) begin_object(launch_.has(group));
    }
    if (launch_.has(group)) members(group.info, value);
    else if (object_.empty()) out_.null(group.info.name);
  }

  void begin_object(bool has_values) {
    is_open_ = has_values;
    if (is_open_) out_.begin_object(object_);
    else out_.null(object_);
  }
  void close() {
    if (is_open_) out_.end();
    is_open_ = false;
  }

  /// The members of a group, or one value.
  template <class T>
  void members(const StatInfo& info, const T& value) {
    if constexpr (std::same_as<T, sim::QueueFullCycles>) {
      // Parts of a stall reason.
      T::visit(value, [this](const StatInfo& each, uint64_t slots) {
        if (launch_.attributed) put(each, slots);
        else out_.null(each.name);
      });
    } else if constexpr (StatStruct<T>)
      T::visit(value, [this](const StatInfo& each, const auto& v) { this->put(each, v); });
    else put(info, value);
  }

  void put(const StatInfo& info, std::unsigned_integral auto value) {
    if (info.inner.empty()) return out_.number(info.name, value);
    out_.begin_object(info.name);
    out_.number(info.inner, value);
    out_.end();
  }
  void put(const StatInfo& info, double value) { out_.real(info.name, value); }
  void put(const StatInfo& info, std::string_view value) { out_.text(info.name, value); }
  template <class T, size_t N>
  void put(const StatInfo& info, const std::array<T, N>& numbers) {
    out_.begin_list(info.name);
    for (uint64_t number : numbers) out_.number({}, number);
    out_.end();
  }
  void put(const StatInfo& info, const sim::StallCounts& stalls) {
    if (!launch_.attributed) return out_.null(info.name);
    out_.begin_object(info.name);
    for (size_t i = 0; i < sim::kStallCount; ++i) out_.number(sim::kStalls[i].key, stalls[i]);
    out_.end();
  }
  template <StatStruct T>
  void put(const StatInfo& info, const T& value) {
    out_.begin_object(info.name);
    members(info, value);
    out_.end();
  }
  template <class T>
  void put(const StatInfo& info, const std::optional<T>& value) {
    if (value) put(info, *value);
    else out_.null(info.name);
  }
  template <class T>
  void put(const StatInfo& info, const std::vector<T>& list) {
    out_.begin_list(info.name);
    for (const T& item : list) put(StatInfo{}, item);
    out_.end();
  }
  /// Shares of the time, largest first; of equals, in the order of the table.
  void put(const StatInfo& info, const sim::ResourceUses& uses) {
    std::array<size_t, sim::kResourceCount> order{};
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return uses[a].share() > uses[b].share(); });
    out_.begin_list(info.name);
    for (size_t i : order) {
      out_.begin_object({});
      out_.text("name", sim::kResources[i].key);
      out_.real("busy", uses[i].share());
      out_.real("busiest", uses[i].busiest_share());
      out_.end();
    }
    out_.end();
  }
  void put(const StatInfo& info, sim::Formula formula) {
    switch (formula) {
      case sim::Formula::Gflops: return put(info, gflops(launch_));
      case sim::Formula::Ipc: return put(info, ipc(launch_));
      case sim::Formula::NativeIpc: return put(info, native_ipc(launch_));
      case sim::Formula::ActiveLanes: return put(info, active_lanes(launch_));
      case sim::Formula::AchievedOccupancy: return put(info, achieved_occupancy(launch_));
      case sim::Formula::Bandwidth: return put(info, dram_bandwidth_gb_s(launch_));
      case sim::Formula::Bound: return put(info, verdict(launch_, *machine_)->bound());
    }
  }

  ValueWriter& out_;
  const sim::LaunchStatistics& launch_;
  const sim::MachineConfig* machine_;
  bool lists_;
  std::string_view object_;  // that the last row is in; empty: that of the launch
  bool is_open_ = false;
};

std::string_view direction_name(TimelineEvent::Direction direction) {
  switch (direction) {
    case TimelineEvent::Direction::None: return "";
    case TimelineEvent::Direction::HostToDevice: return "host_to_device";
    case TimelineEvent::Direction::DeviceToHost: return "device_to_host";
    case TimelineEvent::Direction::DeviceToDevice: return "device_to_device";
  }
  return "";
}

std::string_view kind_name(TimelineEvent::Kind kind) {
  switch (kind) {
    case TimelineEvent::Kind::Copy: return "copy";
    case TimelineEvent::Kind::Kernel: return "kernel";
    case TimelineEvent::Kind::Fill: return "fill";
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

void write_figure_checks(ValueWriter& out, const std::vector<FigureCheck>& checks) {
  if (checks.empty()) return;
  out.begin_list("figure_checks");
  for (const FigureCheck& check : checks) {
    out.begin_object({});
    out.text("name", check.name);
    out.text("expected", check.asked);
    out.text("measured", check.measured);
    if (check.outcome == FigureCheck::Outcome::NotMeasured) out.null("ok");
    else out.flag("ok", !check.failed());
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
  StatisticsWriter(out, launch, &machine, lists).write();
}

void write_total(ValueWriter& out, const sim::LaunchStatistics& total) {
  StatisticsWriter(out, total, nullptr, false).write();
}

void write_event(ValueWriter& out, const TimelineEvent& event) {
  out.begin_object({});
  out.text("kind", kind_name(event.kind));
  std::string_view direction = direction_name(event.direction);
  if (direction.empty()) out.null("direction");
  else out.text("direction", direction);
  out.text("name", event.name);
  out.real("start_us", event.start_us);
  out.real("end_us", event.end_us);
  out.number("bytes", event.bytes);
  if (event.stream != 0) out.number("stream", event.stream);
  out.end();
}

void write_tail(ValueWriter& out, const RunReport& report, const sim::LaunchStatistics& total) {
  write_checks(out, report.checks);
  write_figures(out, report.figures);
  write_figure_checks(out, report.figure_checks);
  out.flag("complete", !report.cut && !report.killed);
  if (report.partly) {
    out.begin_object("launches_by_time");
    out.number("timed", report.partly->timed);
    out.number("extrapolated", report.partly->extrapolated);
    out.number("not_timed", report.partly->not_timed);
    out.real("extrapolated_us", report.partly->extrapolated_us);
    out.real("extrapolated_share", report.partly->extrapolated_share());
    out.end();
  }
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
