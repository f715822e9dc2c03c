#include "host/explain/explain.h"

#include <fmt/format.h>

#include <algorithm>

namespace warptime::host {

using sim::Stall;

namespace {

void capitalize(std::string& sentence) {
  if (!sentence.empty() && sentence[0] >= 'a' && sentence[0] <= 'z')
    sentence[0] = static_cast<char>(sentence[0] - 'a' + 'A');
}

void apply_rule(const Rule& rule, const Facts& facts, std::vector<Finding>& findings) {
  if (rule.needs_machine && facts.machine == nullptr) return;
  std::optional<Change> change = rule.change(facts);
  if (!change) return;
  double saved = saved_by(*change, facts);
  if (saved < kLeastSaved) return;
  const InstructionRow* place = rule.place(facts);
  Finding finding;
  finding.rule = rule.name;
  finding.lifts = rule.lifts.empty() ? sim::info(facts.nearest_of_memory()).bound : rule.lifts;
  finding.promised = saved;
  finding.what_if = rule.what_if(facts, place);
  if (!finding.what_if.is_any()) finding.not_tried = rule.untold;
  finding.message = rule.sentence(facts, place);
  if (place != nullptr) {
    finding.line = place->line;
    finding.source = source_text(*place);
    finding.calls = place->calls;
    bool verb = finding.message[0] >= 'a' && finding.message[0] <= 'z';
    finding.message =
        place_text(*place) + (verb && !finding.message.starts_with("every") ? " " : ": ") + finding.message;
  } else {
    capitalize(finding.message);
  }
  findings.push_back(std::move(finding));
}

/// A launch that no resource binds is bound by what most slots wait for.
std::string bound_of(const Facts& facts) {
  if (facts.verdict.saturated) return std::string(facts.verdict.bound());
  std::pair<double, std::string_view> most{0, "latency"};
  auto consider = [&](std::string_view name, std::initializer_list<Stall> reasons) {
    double sum = 0;
    for (Stall reason : reasons) sum += facts.stalled(reason);
    if (sum > most.first) most = {sum, name};
  };
  consider("latency",
           {Stall::AluDependency, Stall::SharedDependency, Stall::ConstantDependency, Stall::TextureDependency,
            Stall::GlobalDependency, Stall::Fence, Stall::MemoryPortBusy, Stall::MemoryQueueFull});
  consider("barrier", {Stall::Barrier});
  consider("tail", {Stall::NoWarp, Stall::Drained});
  consider("instruction_fetch", {Stall::InstructionFetch});
  return std::string(most.second);
}

}  // namespace

Explanation explain(const sim::LaunchStatistics& launch, const sim::MachineConfig* machine) {
  Facts facts(launch, machine);
  Explanation out{.kernel = launch.kernel,
                  .time_us = launch.time_us,
                  .cycles = launch.cycles,
                  .bound = bound_of(facts),
                  .paper_class = std::string(facts.verdict.paper_class()),
                  .verdict = facts.verdict.line(),
                  .resources = {},
                  .findings = {},
                  .has_rows = !launch.instructions.empty(),
                  .has_stalls = launch.attributed,
                  .knows_machine = machine != nullptr};
  for (size_t i = 0; i < sim::kResourceCount; ++i)
    out.resources.emplace_back(sim::kResources[i].key, launch.resources[i].busiest_share());
  std::stable_sort(out.resources.begin(), out.resources.end(), [](auto& a, auto& b) { return a.second > b.second; });
  for (auto rules : {access_rules(), space_rules(), resource_rules(), wait_rules(), block_rules(), divergence_rules()})
    for (const Rule& rule : rules) apply_rule(rule, facts, out.findings);
  std::stable_sort(out.findings.begin(), out.findings.end(),
                   [](const Finding& a, const Finding& b) { return a.promised > b.promised; });
  return out;
}

void HostRecord::event(TimelineEvent::Kind kind, TimelineEvent::Direction direction, double start_us, double end_us) {
  end_us_ = std::max(end_us_, end_us);
  switch (kind) {
    case TimelineEvent::Kind::Kernel:
      kernel_events_us_ += end_us - start_us;
      ++launches_;
      return;
    case TimelineEvent::Kind::Copy:
      // No bandwidth of the host's memory lifts a copy within the device.
      if (direction == TimelineEvent::Direction::DeviceToDevice) return;
      copies_us_ += end_us - start_us;
      ++copies_;
      return;
    case TimelineEvent::Kind::Fill: return;
  }
}

/// One device does one thing after the other: what copies and launches take, the run would be shorter without them.
HostExplanation HostRecord::explain() const {
  HostExplanation out{.total_us = end_us_, .kernels_us = kernels_us_, .findings = {}};
  if (end_us_ <= 0) return out;
  auto add = [&](std::string_view rule, double us, std::string message, std::vector<std::string> settings) {
    if (us < kLeastSaved * end_us_) return;
    out.findings.push_back({.rule = std::string(rule),
                            .lifts = "host",
                            .message = std::move(message),
                            .promised = us / end_us_,
                            .what_if = {.settings = std::move(settings)},
                            .won = {},
                            .not_tried = {}});
  };
  add("copies", copies_us_,
      fmt::format("{} cop{} {:.1f} of the run's {:.1f} us; the kernels take {:.1f}.", copies_,
                  copies_ == 1 ? "y between host and device takes" : "ies between host and device take", copies_us_,
                  end_us_, kernels_us_),
      {"host.copy_latency_us=0", "host.host_to_device_gb_s=10000", "host.device_to_host_gb_s=10000",
       "host.pinned_host_to_device_gb_s=10000", "host.pinned_device_to_host_gb_s=10000"});
  double starts = kernel_events_us_ - kernels_us_;
  add("launches", starts,
      fmt::format("{} launch{} {:.1f} of the run's {:.1f} us before their first block runs.", launches_,
                  launches_ == 1 ? " takes" : "es take", starts, end_us_),
      {"host.launch_us=0", "host.call_us=0"});
  return out;
}

}  // namespace warptime::host
