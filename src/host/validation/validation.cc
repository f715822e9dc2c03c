#include "host/validation/validation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace warptime::host {

namespace {

// Pearson's coefficient of two equally long lists; nullopt where one of them does not vary.
std::optional<double> correlation(const std::vector<double>& x, const std::vector<double>& y) {
  auto n = static_cast<double>(x.size());
  double mean_x = std::accumulate(x.begin(), x.end(), 0.0) / n, mean_y = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double xx = 0, yy = 0, xy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  if (!(xx > 0) || !(yy > 0)) return std::nullopt;
  return std::clamp(xy / std::sqrt(xx * yy), -1.0, 1.0);  // rounding can pass 1 by a little
}

}  // namespace

std::optional<double> ValidationOutcome::error() const {
  const double* published = std::get_if<double>(&row->published);
  if (published == nullptr || role == Role::Recalled) return std::nullopt;
  const double* number = simulated ? std::get_if<double>(&*simulated) : nullptr;
  if (number == nullptr) return 1.0;
  return *number / *published - 1;
}

std::optional<double> ValidationOutcome::factor() const {
  const double* published = std::get_if<double>(&row->published);
  const double* number = simulated ? std::get_if<double>(&*simulated) : nullptr;
  if (role != Role::Recalled || published == nullptr || number == nullptr || *number == 0) return std::nullopt;
  return *published / *number;
}

std::optional<bool> ValidationOutcome::is_within_range() const {
  const double* number = simulated ? std::get_if<double>(&*simulated) : nullptr;
  if (!row->range) return std::nullopt;
  return number != nullptr && *number >= row->range->low && *number <= row->range->high;
}

std::vector<double> average_ranks(const std::vector<double>& values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (size_t begin = 0; begin < order.size();) {
    size_t end = begin;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    for (size_t i = begin; i < end; ++i) ranks[order[i]] = static_cast<double>(begin + end + 1) / 2;
    begin = end;
  }
  return ranks;
}

Agreement agreement(const std::vector<const ValidationOutcome*>& outcomes) {
  Agreement out;
  std::vector<double> published, simulated;
  double errors = 0, largest = 0, factors = 0, near_10 = 0, near_20 = 0;
  for (const ValidationOutcome* outcome : outcomes) {
    std::optional<double> error = outcome->error();
    if (outcome->role != Role::Predicted || !error) continue;
    errors += std::abs(*error);
    largest = std::max(largest, std::abs(*error));
    near_10 += std::abs(*error) <= 0.1 ? 1 : 0;
    near_20 += std::abs(*error) <= 0.2 ? 1 : 0;
    if (auto within = outcome->is_within_range()) {
      ++out.with_range;
      out.within_range += *within ? 1 : 0;
    }
    published.push_back(std::get<double>(outcome->row->published));
    // What could not be run ranks lowest, and its factor is beyond all numbers.
    const double* number = outcome->simulated ? std::get_if<double>(&*outcome->simulated) : nullptr;
    simulated.push_back(number != nullptr ? *number : 0);
    factors += std::abs(std::log(simulated.back() / published.back()));
  }
  out.rows = published.size();
  if (out.rows == 0) return out;
  auto n = static_cast<double>(out.rows);
  out.mean_abs_error = errors / n;
  out.max_abs_error = largest;
  out.rank_correlation = correlation(average_ranks(published), average_ranks(simulated));
  out.pearson_correlation = correlation(published, simulated);
  out.within_10_percent = near_10 / n;
  out.within_20_percent = near_20 / n;
  if (std::isfinite(factors)) out.geometric_mean_factor = std::exp(factors / n);
  return out;
}

}  // namespace warptime::host
