#include "host/report/verdict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>
#include <vector>

namespace warptime::host {

using sim::Resource;

namespace {

/// The grid has no more blocks than are resident at once.
bool is_small(const sim::LaunchStatistics& launch, uint32_t sms) {
  uint64_t blocks = uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
  return blocks <= uint64_t{launch.occupancy.blocks_per_sm} * sms;
}

}  // namespace

double nearness(const sim::LaunchStatistics& launch, Resource resource) {
  return launch.resources[static_cast<size_t>(resource)].busiest_share() / sim::info(resource).reachable;
}

std::string_view Verdict::bound() const { return saturated ? sim::info(busiest).bound : "latency"; }

std::string_view Verdict::paper_class() const {
  if (!saturated) {
    if (limiter == "grid") return "global_capacity";
    if (limiter == "registers") return "registers+latency";
    if (limiter == "shared_memory") return "shared_capacity";
  }
  // With all the threads that the hardware takes, what is used most is missing first.
  switch (sim::info(busiest).group) {
    case sim::ResourceClass::Issue: return "issue";
    case sim::ResourceClass::Bandwidth: return "bandwidth";
  }
  return "";
}

std::string Verdict::words() const {
  return saturated ? std::string(sim::info(busiest).words) : fmt::format("latency ({})", limiter);
}

std::string Verdict::limit_note() const {
  const double reachable = sim::info(busiest).reachable;
  if (!saturated || second_share <= share || reachable >= 1) return "";
  if (share >= reachable) return fmt::format("about {:.0f} % counts as full", 100 * reachable);
  return fmt::format("{:.1f} % of its limit, about {:.0f} %", 100 * share / reachable, 100 * reachable);
}

std::string Verdict::line(std::optional<double> average) const {
  std::string busy = fmt::format("{:.1f} %", 100 * share);
  std::vector<std::string> notes;
  if (std::string units = average ? fmt::format("{:.1f} %", 100 * *average) : busy; units != busy)
    notes = {fmt::format("busiest {}", sim::info(busiest).scope), fmt::format("mean {}", units)};
  // Otherwise the reader asks why the busier one is the next.
  if (std::string note = limit_note(); !note.empty()) notes.push_back(std::move(note));
  if (!notes.empty()) busy += fmt::format(" ({})", fmt::join(notes, "; "));
  if (!saturated)
    return fmt::format("{}; next {}, busy {}", limiter.empty() ? "latency" : words(), sim::info(busiest).words, busy);
  return fmt::format("{}, busy {}; next {}, {:.1f} %", words(), busy, sim::info(second).words, 100 * second_share);
}

Verdict verdict(const BusiestShares& shares, std::string limiter) {
  Verdict out;
  double nearest = -1, next = -1;  // of equals, the first of the table
  for (size_t i = 0; i < sim::kResourceCount; ++i) {
    auto resource = static_cast<Resource>(i);
    double near = shares[i] / sim::info(resource).reachable;
    if (near > nearest) {
      out.second = out.busiest;
      out.second_share = out.share;
      next = nearest;
      out.busiest = resource;
      out.share = shares[i];
      nearest = near;
    } else if (near > next) {
      out.second = resource;
      out.second_share = shares[i];
      next = near;
    }
  }
  out.saturated = nearest >= kSaturated;
  if (!out.saturated) out.limiter = std::move(limiter);
  return out;
}

std::optional<Verdict> verdict(const sim::LaunchStatistics& launch, uint32_t sms) {
  if (!launch.timed) return std::nullopt;
  BusiestShares shares{};
  for (size_t i = 0; i < sim::kResourceCount; ++i) shares[i] = launch.resources[i].busiest_share();
  return verdict(shares, is_small(launch, sms) ? "grid" : launch.occupancy.limiter);
}

std::optional<Verdict> verdict(const sim::LaunchStatistics& launch, const sim::MachineConfig& machine) {
  return verdict(launch, sim::sm_count(machine));
}

}  // namespace warptime::host
