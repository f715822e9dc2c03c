// The arithmetic of a validation's summary, worked out by hand, and what its tables may say.
#include "host/validation/validation.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <deque>

namespace warptime::host {

namespace {

/// Outcomes with rows of their own.
class Outcomes {
 public:
  Outcomes& add(FigureValue published, std::optional<FigureValue> simulated, Role role = Role::Predicted) {
    ValidationRow& row = rows_.emplace_back();
    row.published = std::move(published);
    row.role = role;
    ValidationOutcome& outcome = outcomes_.emplace_back();
    outcome.row = &row;
    outcome.role = role;
    outcome.simulated = std::move(simulated);
    return *this;
  }
  Agreement agreement() const {
    std::vector<const ValidationOutcome*> all;
    for (const ValidationOutcome& outcome : outcomes_) all.push_back(&outcome);
    return host::agreement(all);
  }
  const ValidationOutcome& operator[](size_t i) const { return outcomes_[i]; }

 private:
  std::deque<ValidationRow> rows_;
  std::deque<ValidationOutcome> outcomes_;
};

FigureValue text(const char* words) { return std::string(words); }

ValidationTable load(const std::string& yaml, Diagnostics& diagnostics) {
  return load_validation_table(std::make_shared<SourceText>("t.yaml", yaml), "t", diagnostics);
}

std::string mistakes(const std::string& yaml) {
  Diagnostics diagnostics;
  load(yaml, diagnostics);
  return diagnostics.to_text();
}

const std::string kRuns = "runs:\n  a: {target: vecadd}\n";

std::string with_row(const std::string& row) { return kRuns + "rows:\n  x: {" + row + "}\n"; }

}  // namespace

TEST_CASE("an error is relative to the published figure, a failure is 1, a text has none") {
  Outcomes o;
  o.add(10.0, 11.0).add(10.0, 8.0).add(10.0, std::nullopt).add(text("true"), text("true"));
  CHECK(*o[0].error() == Approx(0.1));
  CHECK(*o[1].error() == Approx(-0.2));
  CHECK(*o[2].error() == 1);
  CHECK_FALSE(o[3].error().has_value());
  for (size_t i = 0; i < 4; ++i) CHECK_FALSE(o[i].factor().has_value());
}

TEST_CASE("a recalled figure has the factor published / simulated and no error") {
  Outcomes o;
  o.add(10.0, 8.0, Role::Recalled).add(10.0, std::nullopt, Role::Recalled).add(10.0, 0.0, Role::Recalled);
  o.add(text("true"), text("true"), Role::Recalled);
  CHECK(*o[0].factor() == Approx(1.25));
  for (size_t i = 1; i < 4; ++i) CHECK_FALSE(o[i].factor().has_value());
  for (size_t i = 0; i < 4; ++i) CHECK_FALSE(o[i].error().has_value());
  CHECK(o.agreement().rows == 0);
}

TEST_CASE("means are over predicted rows with a number") {
  Outcomes o;
  o.add(10.0, 11.0).add(10.0, 7.0).add(10.0, 20.0, Role::Fitted).add(10.0, 20.0, Role::Input);
  o.add(10.0, 20.0, Role::Alternative)
      .add(10.0, 20.0, Role::Recalled)
      .add(10.0, 20.0, Role::Assumed)
      .add(text("true"), text("false"));
  Agreement agreement = o.agreement();
  CHECK(agreement.rows == 2);
  CHECK(*agreement.mean_abs_error == Approx(0.2));
  CHECK(*agreement.max_abs_error == Approx(0.3));
  CHECK(*agreement.geometric_mean_factor == Approx(std::sqrt(1.1 * 10 / 7)));
  CHECK_FALSE(agreement.rank_correlation.has_value());  // the published ones are equal
  CHECK(Outcomes().agreement().rows == 0);
  CHECK_FALSE(Outcomes().agreement().mean_abs_error.has_value());
}

TEST_CASE("what could not be run counts as an error of 1, ranks lowest and has no factor") {
  Agreement agreement = Outcomes().add(1.0, 1.0).add(2.0, std::nullopt).add(3.0, 3.0).agreement();
  CHECK(agreement.rows == 3);
  CHECK(*agreement.mean_abs_error == Approx(1.0 / 3));
  CHECK(*agreement.max_abs_error == 1);
  // Ranks 1 2 3 and 2 1 3: 1 - 6 x (1 + 1) / (3 x 8).
  CHECK(*agreement.rank_correlation == Approx(0.5));
  CHECK_FALSE(agreement.geometric_mean_factor.has_value());
}

TEST_CASE("equal values share the mean of their ranks") {
  CHECK(average_ranks({}) == std::vector<double>{});
  CHECK(average_ranks({5, 1, 3}) == std::vector<double>{3, 1, 2});
  CHECK(average_ranks({2, 1, 2, 2}) == std::vector<double>{3, 1, 3, 3});
  // Published 1 2 2 4 has ranks 1 2.5 2.5 4, simulated 1 2 3 4: 4.5 / sqrt(4.5 x 5).
  Agreement agreement = Outcomes().add(1.0, 1.0).add(2.0, 2.0).add(2.0, 3.0).add(4.0, 4.0).agreement();
  CHECK(*agreement.rank_correlation == Approx(4.5 / std::sqrt(4.5 * 5)));
  CHECK(*Outcomes().add(1.0, 9.0).add(2.0, 5.0).agreement().rank_correlation == Approx(-1));
}

TEST_CASE("a table has runs and rows") {
  Diagnostics diagnostics;
  ValidationTable table = load(
      "runs:\n"
      "  a: {target: \"matmul:naive\", param: {n: 64, blocks: 2}, machine: tesla-c870, set: {dram.scheduler: fcfs}}\n"
      "  b: {target: vecadd}\n"
      "rows:\n"
      "  p/one: {published: 2.5, quantity: GB/s, role: predicted, source: me, value: b.x / a.x - b.y, note: hm}\n"
      "  p/two: {published: \"7\", quantity: text, role: input, source: me, value: b.x}\n"
      "  p/three: {published: 7, quantity: q, role: recalled, source: me, value: b.x}\n",
      diagnostics);
  CHECK(diagnostics.to_text().empty());
  REQUIRE(table.runs.size() == 2);
  CHECK(table.runs[0].target == "matmul:naive");
  CHECK(table.runs[0].parameters == std::vector<std::string>{"n=64", "blocks=2"});
  CHECK(table.runs[0].machine == "tesla-c870");
  CHECK(table.runs[0].overrides == std::vector<std::string>{"dram.scheduler=fcfs"});
  CHECK(table.runs[1].machine == "geforce-8800-gtx");
  REQUIRE(table.rows.size() == 3);
  CHECK(table.rows[0].name == "p/one");
  CHECK(table.rows[0].published == FigureValue(2.5));
  CHECK(table.rows[0].role == Role::Predicted);
  CHECK(table.rows[0].runs == std::vector<size_t>{1, 0});
  CHECK(table.rows[0].note == "hm");
  CHECK(table.rows[1].published == text("7"));  // in quotes
  CHECK(table.rows[1].role == Role::Input);
  CHECK(table.rows[2].role == Role::Recalled);
}

TEST_CASE("a run names the CPU that it is held against, a table where its figures were published") {
  Diagnostics diagnostics;
  ValidationTable table = load(
      "source: book\n"
      "runs:\n"
      "  a: {target: x, cpu: {processor: p, code: simd, kernel_share: 0.25}}\n"
      "  b: {target: x, cpu: {processor: p, code: scalar}}\n"
      "  c: {target: x}\n"
      "rows:\n"
      "  one: {published: 1, quantity: q, role: input, value: a.x}\n"
      "  two: {published: 1, quantity: q, role: input, source: paper, value: a.x}\n",
      diagnostics);
  CHECK(diagnostics.to_text().empty());
  REQUIRE(table.runs.size() == 3);
  CHECK(table.runs[0].cpu == CpuBaselineSpec{.processor = "p", .simd = true, .kernel_share = 0.25, .where = {}});
  CHECK(table.runs[1].cpu == CpuBaselineSpec{.processor = "p", .simd = false, .kernel_share = 1, .where = {}});
  CHECK(table.runs[2].cpu == CpuBaselineSpec{});
  CHECK(table.rows[0].source == "book");
  CHECK(table.rows[1].source == "paper");
}

TEST_CASE("mistakes in a table are told with their place") {
  std::string good = "published: 1, quantity: q, role: input, source: s, ";
  auto [yaml, message] = GENERATE_COPY(table<std::string, std::string>({
      {"rows: {}\n", "a validation table has only one of runs and rows"},
      {"runs: 3\nrows: {}\n", "\"runs\" must be a map"},
      {kRuns + "rows: {}\nrow: 3\n", "\"row\""},
      {"runs:\n  a-b: {target: x}\nrows: {}\n", "\"a-b\" cannot be a run's name"},
      {"runs:\n  a: {targt: x}\nrows: {}\n", "did you mean \"target\"?"},
      {with_row(good + "value: b.x"), "there is no run \"b\""},
      {with_row(good + "value: a.x +"), "expected a number or a name"},
      {with_row(good + "value: 1 + 1"), "a value must name a run's figure"},
      {with_row(good + "valu: a.x"), "did you mean \"value\"?"},
      {with_row("published: 0, quantity: q, role: input, source: s, value: a.x"), "relative to 0"},
      {with_row("published: 1, quantity: q, role: guess, source: s, value: a.x"), "guess"},
      {with_row("quantity: q, role: input, source: s, value: a.x"), "\"published\""},
      {with_row("published: 1, quantity: q, role: input, value: a.x"), "\"source\""},
      {"runs:\n  a: {target: x, cpu: {processor: p}}\nrows: {}\n", "\"code\""},
      {"runs:\n  a: {target: x, cpu: {code: simd}}\nrows: {}\n", "\"processor\""},
      {"runs:\n  a: {target: x, cpu: {processor: p, code: fast}}\nrows: {}\n", "scalar"},
      {"runs:\n  a: {target: x, cpu: {processor: p, code: simd, kernel_share: 0}}\nrows: {}\n", "0.001 to 1"},
      {"runs:\n  a: {target: x, cpu: p}\nrows: {}\n", "cpu must be a map"},
  }));
  CAPTURE(yaml);
  std::string told = mistakes(yaml);
  CHECK_THAT(told, Catch::StartsWith("t.yaml:") && Catch::Contains("error: ") && Catch::Contains(message));
}

}  // namespace warptime::host
