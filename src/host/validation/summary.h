// The agreement of predicted rows, each quantity by the measures of its kind: a mean over percentages, ratios and
// registers would say nothing of any of them. Only timing is summarized over all its quantities: a relative error has
// no unit.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "host/validation/quantity.h"

namespace warptime::host {

inline constexpr std::string_view kKernelTiming = "kernel timing";

/// Summary of a quantity, or of everything that is timing. Measures that do not suit the kind are nullopt; so are those
/// that these rows do not have.
struct QuantitySummary {
  QuantityKind kind = QuantityKind::Timing;
  std::string quantity;  // kKernelTiming: all of them
  size_t rows = 0;
  size_t failed = 0;  // of them could not be run
  // Timing and others: |simulated / published - 1|.
  std::optional<double> mean_abs_error, max_abs_error;
  // Speed-ups: exp of the mean of |ln(simulated / published)|, and of ln(simulated / published); Spearman's
  // coefficient.
  std::optional<double> geometric_mean_factor, geometric_mean_ratio, rank_correlation;
  // Shares, in percentage points, and counts: simulated - published.
  std::optional<double> mean_difference, mean_abs_difference, max_abs_difference;
  // Counts and texts: rows whose figure is exactly the published one.
  std::optional<size_t> same;
};

struct MeasureInfo {
  std::string_view name;
  std::optional<double> QuantitySummary::*value;
  std::array<QuantityKind, 2> kinds;  // that it suits
};
inline constexpr std::array kMeasures{
    MeasureInfo{"mean_abs_error", &QuantitySummary::mean_abs_error, {QuantityKind::Timing, QuantityKind::Other}},
    MeasureInfo{"max_abs_error", &QuantitySummary::max_abs_error, {QuantityKind::Timing, QuantityKind::Other}},
    MeasureInfo{"geometric_mean_factor",
                &QuantitySummary::geometric_mean_factor,
                {QuantityKind::Speedup, QuantityKind::Speedup}},
    MeasureInfo{
        "geometric_mean_ratio", &QuantitySummary::geometric_mean_ratio, {QuantityKind::Speedup, QuantityKind::Speedup}},
    MeasureInfo{"rank_correlation", &QuantitySummary::rank_correlation, {QuantityKind::Speedup, QuantityKind::Speedup}},
    MeasureInfo{"mean_difference", &QuantitySummary::mean_difference, {QuantityKind::Share, QuantityKind::Count}},
    MeasureInfo{
        "mean_abs_difference", &QuantitySummary::mean_abs_difference, {QuantityKind::Share, QuantityKind::Count}},
    MeasureInfo{"max_abs_difference", &QuantitySummary::max_abs_difference, {QuantityKind::Share, QuantityKind::Count}},
};
inline bool suits(const MeasureInfo& measure, QuantityKind kind) {
  return measure.kinds[0] == kind || measure.kinds[1] == kind;
}

/// Summaries of the predicted rows: timing first, then by kind, quantities in the order of their first rows.
std::vector<QuantitySummary> summaries(const std::vector<const ValidationOutcome*>& outcomes);

}  // namespace warptime::host
