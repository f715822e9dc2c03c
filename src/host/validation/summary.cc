#include "host/validation/summary.h"

#include <algorithm>
#include <cmath>

namespace warptime::host {

namespace {

using OutcomeRows = std::vector<const ValidationOutcome*>;

void add_errors(const OutcomeRows& rows, QuantitySummary& out) {
  Agreement errors = agreement(rows);
  out.mean_abs_error = errors.mean_abs_error;
  out.max_abs_error = errors.max_abs_error;
}

void add_factors(const OutcomeRows& rows, QuantitySummary& out) {
  double factors = 0, ratios = 0;
  for (const ValidationOutcome* row : rows) {
    double ratio = std::log(1 + *difference(*row) / std::get<double>(row->row->published));
    factors += std::abs(ratio);
    ratios += ratio;
  }
  auto n = static_cast<double>(rows.size());
  // That of a row that could not be run is beyond all numbers.
  if (std::isfinite(factors)) {
    out.geometric_mean_factor = std::exp(factors / n);
    out.geometric_mean_ratio = std::exp(ratios / n);
  }
  out.rank_correlation = agreement(rows).rank_correlation;
}

void add_differences(const OutcomeRows& rows, QuantitySummary& out) {
  double sum = 0, absolute = 0, largest = 0;
  for (const ValidationOutcome* row : rows) {
    double value = *difference(*row);
    sum += value;
    absolute += std::abs(value);
    largest = std::max(largest, std::abs(value));
  }
  auto n = static_cast<double>(rows.size());
  out.mean_difference = sum / n;
  out.mean_abs_difference = absolute / n;
  out.max_abs_difference = largest;
}

size_t count_if(const OutcomeRows& rows, bool (*holds)(const ValidationOutcome&)) {
  return static_cast<size_t>(std::count_if(rows.begin(), rows.end(), [&](const auto* row) { return holds(*row); }));
}

QuantitySummary summary(QuantityKind kind, std::string quantity, const OutcomeRows& rows) {
  QuantitySummary out;
  out.kind = kind;
  out.quantity = std::move(quantity);
  out.rows = rows.size();
  out.failed = count_if(rows, [](const ValidationOutcome& row) { return !row.simulated; });
  switch (kind) {
    case QuantityKind::Timing:
    case QuantityKind::Other: add_errors(rows, out); break;
    case QuantityKind::Speedup: add_factors(rows, out); break;
    case QuantityKind::Share: add_differences(rows, out); break;
    case QuantityKind::Count:
      add_differences(rows, out);
      out.same = count_if(rows, same_as_published);
      break;
    case QuantityKind::Text: out.same = count_if(rows, same_as_published); break;
    case QuantityKind::Listed: break;
  }
  return out;
}

}  // namespace

std::vector<QuantitySummary> summaries(const std::vector<const ValidationOutcome*>& outcomes) {
  std::vector<QuantitySummary> out;
  for (size_t i = 0; i < kQuantityKinds.size(); ++i) {
    auto kind = static_cast<QuantityKind>(i);
    std::vector<std::pair<std::string, OutcomeRows>> quantities;
    for (const ValidationOutcome* outcome : outcomes) {
      if (outcome->role != Role::Predicted || kind_of(*outcome) != kind) continue;
      std::string name(kind == QuantityKind::Timing ? kKernelTiming : std::string_view(outcome->row->quantity));
      auto found = std::find_if(quantities.begin(), quantities.end(), [&](const auto& q) { return q.first == name; });
      if (found == quantities.end()) found = quantities.insert(found, {name, {}});
      found->second.push_back(outcome);
    }
    for (auto& [name, rows] : quantities) out.push_back(summary(kind, name, rows));
  }
  return out;
}

}  // namespace warptime::host
