#include "host/explain/time_model.h"

#include <algorithm>
#include <cmath>

#include "host/explain/facts.h"

namespace warptime::host {

using sim::Resource;

namespace {

/// From this exponent on, the largest share is all of the time.
constexpr double kMostExponent = 60;

/// The pipes one by one, as a warp uses one after the other; the scheduler with the SPs, because an instruction holds
/// both; memory as its busiest resource, because each request passes all of them; the warps' own time.
using Shares = std::array<double, sim::kResourceCount + 1>;

/// Shares of the time in which the busiest SM has warps.
Shares shares_of(const Facts& facts, const Change& change) {
  Shares out{};
  constexpr auto kMemory = static_cast<size_t>(Resource::MemoryPort), kSp = static_cast<size_t>(Resource::Sp);
  for (size_t i = 0; i < sim::kResourceCount; ++i) {
    auto resource = static_cast<Resource>(i);
    double use = std::min(1.0, facts.use(resource) / facts.active()) * change.of(resource);
    if (resource == Resource::Dram) use = std::max(use, facts.row_use() * change.of(resource));
    size_t at = resource == Resource::Issue ? kSp : is_of_memory(resource) ? kMemory : i;
    out[at] = std::max(out[at], use);
  }
  // Warps wait at a barrier for those that wait for something else.
  double path = facts.path(), other = path - facts.waited(sim::Stall::Barrier);
  if (change.waits > 0) path *= std::max(0.0, 1 - change.waits / std::max(other, 1e-9));
  out.back() = std::max(0.0, path - change.barriers) * change.path;
  return out;
}

double time_of(const Shares& shares, double exponent) {
  double sum = 0;
  for (double share : shares) sum += share <= 0 ? 0 : std::pow(share, exponent);
  return sum <= 0 ? 0 : std::pow(sum, 1 / exponent);
}

/// 1: not even the sum of all is the time; something else takes the rest.
double exponent_of(const Shares& shares) {
  double low = 1, high = kMostExponent;
  if (time_of(shares, low) <= 1) return low;
  for (int step = 0; step < 50; ++step) {
    double middle = (low + high) / 2;
    (time_of(shares, middle) > 1 ? low : high) = middle;
  }
  return high;
}

/// No launch ends before its busiest resource has done what remains of its work.
double most_saved(const Facts& facts, const Change& change) {
  double before = 1, after = 0;
  for (size_t i = 0; i < sim::kResourceCount; ++i) {
    auto resource = static_cast<Resource>(i);
    double use = facts.near(resource);
    if (resource == Resource::Dram) use = std::max(use, facts.row_use());
    before = std::max(before, use);
    after = std::max(after, use * change.of(resource));
  }
  return 1 - after / before;
}

}  // namespace

double saved_by(const Change& change, const Facts& facts) {
  double most = most_saved(facts, change);
  if (!facts.launch.attributed) return std::clamp(most, 0.0, 1.0);
  Shares before = shares_of(facts, Change{});
  double exponent = exponent_of(before);
  double saved = time_of(before, exponent) - time_of(shares_of(facts, change), exponent);
  saved = std::max(saved * facts.active(), change.slots / std::max(facts.working(), 0.01));
  saved = std::min(saved, change.most / std::max(facts.working(), 0.01));
  return std::clamp(std::min(saved, most), 0.0, 1.0);
}

}  // namespace warptime::host
