#include "cli/exec/exec_summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/plural.h"
#include "cli/text_table.h"
#include "cuda/launch_choice.h"
#include "host/report/summary.h"
#include "ptx/user/demangle.h"

namespace warptime::cli {

namespace {

constexpr size_t kLongestName = 48;  // of a kernel; longer ones are cut

std::string name_of_copies(host::TimelineEvent::Direction direction) {
  using Direction = host::TimelineEvent::Direction;
  switch (direction) {
    case Direction::None: return "fills";
    case Direction::HostToDevice: return "copies to the device";
    case Direction::DeviceToHost: return "copies to the host";
    case Direction::DeviceToDevice: return "copies on the device";
  }
  return {};
}

}  // namespace

void ExecSummary::Sum::add(uint64_t more, double time_us) {
  ++count;
  amount += more;
  us += time_us;
}

void ExecSummary::launch(const sim::LaunchStatistics& launch) {
  auto [known, is_new] = place_.emplace(launch.kernel, kernels_.size());
  if (is_new) kernels_.emplace_back(launch.kernel, Sum());
  kernels_[known->second].second.add(launch.counts.warp_instructions, launch.timed ? launch.time_us : 0);
  cuda::count_launch(counts_, launch);
}

void ExecSummary::event(const host::TimelineEvent& event) {
  end_us_ = std::max(end_us_, event.end_us);
  busy_us_ += event.end_us - event.start_us;
  if (event.kind != host::TimelineEvent::Kind::Kernel)
    copies_[name_of_copies(event.direction)].add(event.bytes, event.end_us - event.start_us);
}

std::vector<std::string> ExecSummary::kernels() const {
  std::vector<std::string> names;
  for (const auto& [name, sum] : kernels_) names.push_back(name);
  return names;
}

std::string ExecSummary::text(const std::string& program, const std::string& machine, bool partly) const {
  if (launches() == 0 && copies_.empty()) return {};
  std::string out = fmt::format("\n{} on {}: {}", program, machine, plural(launches(), "launch", "launches"));
  if (end_us_ > 0) out += fmt::format(", {:.1f} us simulated", end_us_);
  if (busy_us_ > end_us_ * 1.0005)
    out += fmt::format("; copies and kernels overlap: one after the other they take {:.1f} us", busy_us_);
  out += "\n";
  // Functional runs have no times.
  TextRows rows;
  auto row = [&](std::string name, std::string count, std::string us, std::string amount) {
    rows.push_back({std::move(name), std::move(count), std::move(amount)});
    if (end_us_ > 0) rows.back().insert(rows.back().begin() + 2, std::move(us));
  };
  auto sum_row = [&](std::string name, const Sum& sum) {
    row(std::move(name), host::grouped(sum.count), fmt::format("{:.1f}", sum.us), host::grouped(sum.amount));
  };
  if (!kernels_.empty()) row("kernel", "launches", "time us", "warp instructions");
  for (const auto& [name, sum] : kernels_) {
    std::string shown = ptx::short_name(name);
    if (shown.size() > kLongestName) shown = shown.substr(0, kLongestName - 3) + "...";
    sum_row(std::move(shown), sum);
  }
  if (!copies_.empty()) row("", "number", "time us", "bytes");
  for (const auto& [name, sum] : copies_) sum_row(name, sum);
  out += text_table(rows, "  ");
  if (partly) {
    out += fmt::format("  {} timed", plural(counts_.timed, "launch", "launches"));
    if (counts_.extrapolated > 0)
      out += fmt::format(", {} extrapolated from launches like them: {:.1f} % of the kernels' time",
                         host::grouped(counts_.extrapolated), 100 * counts_.extrapolated_share());
    if (counts_.not_timed > 0) out += fmt::format(", {} only computed, without time", host::grouped(counts_.not_timed));
    out += "\n";
  }
  return out;
}

}  // namespace warptime::cli
