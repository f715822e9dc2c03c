// The summary of each kind of quantity, worked out by hand.
#include "host/validation/summary.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <deque>

namespace warptime::host {

namespace {

class SummaryRows {
 public:
  SummaryRows& add(const char* quantity, FigureValue published, std::optional<FigureValue> simulated,
                   Role role = Role::Predicted) {
    ValidationRow& row = rows_.emplace_back();
    row.quantity = quantity;
    row.published = std::move(published);
    ValidationOutcome& outcome = outcomes_.emplace_back();
    outcome.row = &row;
    outcome.role = role;
    outcome.simulated = std::move(simulated);
    return *this;
  }
  std::vector<QuantitySummary> all() const {
    std::vector<const ValidationOutcome*> pointers;
    for (const ValidationOutcome& outcome : outcomes_) pointers.push_back(&outcome);
    return summaries(pointers);
  }
  QuantitySummary only() const {
    std::vector<QuantitySummary> found = all();
    REQUIRE(found.size() == 1);
    return found.front();
  }
  const ValidationOutcome& operator[](size_t i) const { return outcomes_[i]; }

 private:
  std::deque<ValidationRow> rows_;
  std::deque<ValidationOutcome> outcomes_;
};

FigureValue word(const char* text) { return std::string(text); }

}  // namespace

TEST_CASE("a quantity has one kind, and a text in place of a number is a text") {
  auto kind = [](const char* quantity, FigureValue published) {
    ValidationRow row;
    row.quantity = quantity;
    row.published = std::move(published);
    return kind_of(row);
  };
  CHECK(kind("GFLOP/s", 46.5) == QuantityKind::Timing);
  CHECK(kind("kernel_speedup", 7.0) == QuantityKind::Speedup);
  CHECK(kind("gpu_percent", 16.2) == QuantityKind::Share);
  CHECK(kind("gpu_percent", word("true")) == QuantityKind::Text);
  CHECK(kind("registers_estimated", 9.0) == QuantityKind::Count);
  CHECK(kind("bottleneck", word("issue")) == QuantityKind::Text);
  CHECK(kind("bottleneck", 3.0) == QuantityKind::Other);
  CHECK(kind("memory_to_compute", 0.276) == QuantityKind::Listed);
  CHECK(kind("memory_to_compute", word("true")) == QuantityKind::Listed);
  CHECK(kind("furlongs", 1.0) == QuantityKind::Other);
  CHECK(kind("furlongs", word("true")) == QuantityKind::Text);
  for (size_t i = 0; i < kQuantities.size(); ++i)
    for (size_t j = 0; j < i; ++j) CHECK(kQuantities[i].name != kQuantities[j].name);
}

TEST_CASE("speed-ups: the geometric mean of factors, and Spearman's coefficient with ties") {
  // Factors 2, 1/2, 1 and 4: their logarithms are 1, 1, 0 and 2 times ln 2, with signs 1, -1, 0 and 2.
  SummaryRows rows;
  rows.add("kernel_speedup", 10.0, 20.0).add("kernel_speedup", 40.0, 20.0);
  rows.add("kernel_speedup", 40.0, 40.0).add("kernel_speedup", 100.0, 400.0);
  rows.add("kernel_speedup", 7.0, 70.0, Role::Alternative).add("kernel_speedup", 7.0, 70.0, Role::Recalled);
  QuantitySummary summary = rows.only();
  CHECK(summary.kind == QuantityKind::Speedup);
  CHECK(summary.quantity == "kernel_speedup");
  CHECK(summary.rows == 4);
  CHECK(*summary.geometric_mean_factor == Approx(2));
  CHECK(*summary.geometric_mean_ratio == Approx(std::sqrt(2.0)));
  // Ranks 1, 2.5, 2.5, 4 and 1.5, 1.5, 3, 4: deviations -1.5, 0, 0, 1.5 and -1, -1, 0.5, 1.5.
  CHECK(*summary.rank_correlation == Approx(3.75 / std::sqrt(4.5 * 4.5)));
  CHECK_FALSE(summary.mean_abs_error.has_value());
  CHECK_FALSE(summary.same.has_value());

  // Other speed-ups are another quantity, and what could not be run has no factor.
  rows.add("application_speedup", 3.0, 3.0).add("application_speedup", 4.0, std::nullopt);
  std::vector<QuantitySummary> all = rows.all();
  REQUIRE(all.size() == 2);
  CHECK(*all[0].geometric_mean_factor == Approx(2));
  CHECK(all[1].rows == 2);
  CHECK(all[1].failed == 1);
  CHECK_FALSE(all[1].geometric_mean_factor.has_value());
  CHECK(*all[1].rank_correlation == Approx(-1));
}

TEST_CASE("shares: differences in percentage points") {
  SummaryRows rows;
  rows.add("gpu_percent", 60.0, 70.0).add("gpu_percent", 10.0, 6.0).add("gpu_percent", 3.0, std::nullopt);
  QuantitySummary summary = rows.only();
  CHECK(*summary.mean_difference == Approx((10.0 - 4 - 3) / 3));
  CHECK(*summary.mean_abs_difference == Approx(17.0 / 3));
  CHECK(*summary.max_abs_difference == Approx(10));
  CHECK(summary.failed == 1);
  CHECK_FALSE(summary.same.has_value());
}

TEST_CASE("counts: exact as they are printed, and by how many they differ") {
  SummaryRows rows;
  rows.add("shared_bytes_per_thread", 8.1, 8.141).add("shared_bytes_per_thread", 0.3, 0.25);
  rows.add("shared_bytes_per_thread", 0.4, 0.375).add("shared_bytes_per_thread", 8.1, 4.125);
  QuantitySummary summary = rows.only();
  CHECK(*summary.same == 3);
  CHECK(*summary.max_abs_difference == Approx(3.975));
  CHECK(*summary.mean_abs_difference == Approx((0.041 + 0.05 + 0.025 + 3.975) / 4));

  SummaryRows whole;
  whole.add("active_threads", 12288.0, 12288.0).add("active_threads", 6144.0, 8192.0);
  whole.add("active_threads", 512.0, std::nullopt);
  CHECK(*whole.only().same == 1);
  CHECK(*whole.only().mean_difference == Approx((2048.0 - 512) / 3));
  CHECK_FALSE(same_as_published(SummaryRows().add("warps", 9.0, 8.4)[0]));
  CHECK(same_as_published(SummaryRows().add("warps", 9.0, 8.6)[0]));
}

TEST_CASE("timing is one summary over all its quantities, of relative errors, and others are each by itself") {
  SummaryRows rows;
  rows.add("memory_to_compute", 0.2, 2.0).add("mine", 10.0, 15.0).add("bottleneck", word("issue"), word("issue"));
  rows.add("GB/s", 10.0, 11.0).add("bottleneck", word("issue"), word("bandwidth")).add("cycles", 100.0, 70.0);
  rows.add("ms", 5.0, std::nullopt).add("ms", 5.0, 50.0, Role::Fitted).add("gpu_percent", word("true"), word("true"));
  std::vector<QuantitySummary> all = rows.all();
  REQUIRE(all.size() == 5);
  CHECK(all[0].quantity == kKernelTiming);
  CHECK(all[0].rows == 3);
  CHECK(*all[0].mean_abs_error == Approx((0.1 + 0.3 + 1) / 3));
  CHECK(*all[0].max_abs_error == Approx(1));
  CHECK_FALSE(all[0].rank_correlation.has_value());  // GB/s and cycles have no common order
  CHECK(all[1].quantity == "bottleneck");
  CHECK(all[1].rows == 2);
  CHECK(*all[1].same == 1);
  CHECK(all[2].quantity == "gpu_percent");
  CHECK(all[2].kind == QuantityKind::Text);
  // No measure of what is listed.
  CHECK(all[3].quantity == "memory_to_compute");
  for (const MeasureInfo& measure : kMeasures) CHECK_FALSE((all[3].*measure.value).has_value());
  CHECK(all[4].quantity == "mine");
  CHECK(*all[4].mean_abs_error == Approx(0.5));
  CHECK(SummaryRows().all().empty());
}

}  // namespace warptime::host
