// The errors by class of kernel, worked out by hand.
#include "host/validation/class_errors.h"

#include <catch2/catch.hpp>
#include <deque>

namespace warptime::host {

namespace {

class ClassedOutcomes {
 public:
  ClassedOutcomes& add(const std::string& kernel_class, double error, Role role = Role::Predicted,
                       const std::string& machine = "m") {
    ValidationRow& row = rows_.emplace_back();
    row.published = 100.0;
    ValidationOutcome& outcome = outcomes_.emplace_back();
    outcome.row = &row;
    outcome.role = role;
    outcome.machine = machine;
    outcome.simulated = 100 * (1 + error);
    outcome.kernel_class = kernel_class;
    return *this;
  }
  std::vector<ErrorBandRow> errors() const {
    std::vector<const ValidationOutcome*> all;
    for (const ValidationOutcome& outcome : outcomes_) all.push_back(&outcome);
    return class_errors(all);
  }

 private:
  std::deque<ValidationRow> rows_;
  std::deque<ValidationOutcome> outcomes_;
};

}  // namespace

TEST_CASE("class errors: median, mean, four of five, and the mean with signs") {
  ClassedOutcomes o;
  o.add("memory", -0.5).add("memory", 0.1).add("memory", 0.2).add("memory", -0.3).add("memory", 0.4);
  auto rows = o.errors();
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].kernel_class == "memory");
  CHECK(rows[0].launches == 5);
  CHECK(rows[0].median == Approx(0.3));
  CHECK(rows[0].mean == Approx(0.3));
  CHECK(rows[0].p80 == Approx(0.4));  // the fourth of five
  CHECK(rows[0].bias == Approx(-0.02));
  CHECK(rows[1].kernel_class == "all");
  // The fifth of six; the median is between the third and the fourth.
  rows = o.add("memory", 0.6).errors();
  CHECK(rows[0].p80 == Approx(0.5));
  CHECK(rows[0].median == Approx(0.35));
}

TEST_CASE("class errors: of one launch all are its own") {
  auto rows = ClassedOutcomes().add("small", -0.2).errors();
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].p80 == Approx(0.2));
  CHECK(rows[0].median == Approx(0.2));
  CHECK(rows[0].bias == Approx(-0.2));
}

TEST_CASE("class errors: by machine and class, of predicted and fitted rows that have one") {
  ClassedOutcomes o;
  o.add("latency", 0.1).add("small", 0.2, Role::Fitted).add("small", 9, Role::Alternative).add("", 9);
  o.add("small", 0.3, Role::Predicted, "n").add("small", 9, Role::Input).add("small", 9, Role::Assumed);
  auto rows = o.errors();
  std::vector<std::string> names;
  for (const ErrorBandRow& row : rows) names.push_back(row.machine + " " + row.kernel_class);
  CHECK(names == std::vector<std::string>{"m small", "m latency", "m all", "n small", "n all"});
  CHECK(rows[2].launches == 2);
  CHECK(rows[2].mean == Approx(0.15));
  CHECK(ClassedOutcomes().errors().empty());
}

}  // namespace warptime::host
