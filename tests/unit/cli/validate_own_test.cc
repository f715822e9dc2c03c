// `warptime validate` on tables of the user's own: figures with uncertainties, limits of errors, agreement by quantity.
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tools/run_program.h"

using namespace warptime::test;
using Catch::Contains;
using Json = nlohmann::ordered_json;

namespace {

/// Rows of one quantity, whose values the expressions give whatever is simulated.
std::string own_table(const std::vector<std::pair<std::string, std::string>>& rows) {
  std::string out = "source: my card\nruns:\n  a: {target: vecadd, param: {n: 64}}\nrows:\n";
  for (size_t i = 0; i < rows.size(); ++i)
    out += "  r" + std::to_string(i) + ": {published: " + rows[i].first +
           ", quantity: us, role: predicted, value: " + rows[i].second + " + 0 * a.flops}\n";
  return out;
}

Outcome validate_own(const std::string& table, std::vector<std::string> more = {"--json"}) {
  TempFolder folder;
  more.insert(more.begin(), {"validate", folder.write("own.yaml", table)});
  return warptime::test::warptime(more);
}

}  // namespace

TEST_CASE("validate: uncertainties, ranges and samples") {
  Json report = Json::parse(validate_own(own_table({{"100 +- 5", "105"},
                                                    {"100 +- 5", "105.1"},
                                                    {"90..110", "95"},
                                                    {"[98, 101, 104]", "103"},
                                                    {"\"8 +- 1\"", "6"},
                                                    {"50", "50"}}))
                                .out);
  const Json& rows = report["rows"];
  CHECK(rows[0]["published"] == 100.0);
  CHECK(rows[0]["published_low"] == 95.0);
  CHECK(rows[0]["published_high"] == 105.0);
  CHECK(rows[0]["within_uncertainty"] == true);
  CHECK(rows[0]["error"].get<double>() == Approx(0.05));
  CHECK(rows[1]["within_uncertainty"] == false);
  CHECK(rows[2]["published"] == 100.0);
  CHECK(rows[2]["error"].get<double>() == Approx(-0.05));
  CHECK(rows[3]["published"].get<double>() == Approx(101));
  CHECK(rows[3]["samples"] == 3);
  CHECK(rows[3]["published_low"].get<double>() == Approx(98));  // the standard deviation of the sample is 3
  CHECK(rows[3]["published_high"].get<double>() == Approx(104));
  CHECK(rows[4]["published"] == 8.0);
  CHECK_FALSE(rows[5].contains("within_uncertainty"));
  const Json& quantity = report["summary"]["own"]["by_quantity"]["us"];
  CHECK(quantity["with_uncertainty"] == 5);
  CHECK(quantity["within_uncertainty"] == 3);
}

TEST_CASE("validate: the agreement of a quantity") {
  std::string table = own_table({{"1", "1.05"}, {"2", "2.3"}, {"4", "2.4"}, {"8", "16"}});
  Json us = Json::parse(validate_own(table).out)["summary"]["own"]["by_quantity"]["us"];
  CHECK(us["rows"] == 4);
  CHECK(us["mean_abs_error"].get<double>() == Approx((0.05 + 0.15 + 0.4 + 1) / 4));
  CHECK(us["within_10_percent"] == 0.25);
  CHECK(us["within_20_percent"] == 0.5);
  CHECK(us["rank_correlation"].get<double>() == Approx(1));
  CHECK(us["pearson_correlation"].get<double>() == Approx(0.9397156139));
  CHECK(us["geometric_mean_factor"].get<double>() ==
        Approx(std::exp((std::log(1.05) + std::log(1.15) + std::log(4 / 2.4) + std::log(2)) / 4)));
  CHECK_THAT(validate_own(table, {}).out,
             Contains("mean error  largest  factor  Pearson  Spearman  within 10 %  within 20 %  within uncertainty") &&
                 Contains("25 %         50 %"));
}

TEST_CASE("validate: limits of errors decide the exit status") {
  std::string table = own_table({{"100", "105"}, {"100 +- 30", "120"}, {"100", "70"}});
  CHECK(validate_own(table).status == 0);
  Outcome each = validate_own(table, {"--quiet", "--max-error", "10%"});
  CHECK(each.status == 1);
  // A row within its uncertainty exceeds nothing.
  CHECK_THAT(each.err, Contains("1 of 3 predicted figures is off by more than 10 %: r2 (-30.0 %)"));
  CHECK(validate_own(table, {"--quiet", "--max-error", "0.31"}).status == 0);
  Outcome mean = validate_own(table, {"--quiet", "--max-mean-error", "18 %"});
  CHECK(mean.status == 1);
  CHECK_THAT(mean.err, Contains("the mean error of 3 predicted figures is 18.3 %, more than 18 %"));
  CHECK(validate_own(table, {"--quiet", "--max-mean-error", "19%", "--max-error", "30.001%"}).status == 0);
  for (const char* wrong : {"10", "-5%", "ten", "%", "1e999%", ""}) {
    CAPTURE(wrong);
    CHECK(validate_own(table, {"--quiet", "--max-error", wrong}).status == 2);
  }
  Outcome fitted = validate_own(
      "source: s\nruns:\n  a: {target: vecadd, param: {n: 64}}\nrows:\n"
      "  r: {published: 1, quantity: us, role: fitted, value: a.time_us}\n",
      {"--quiet", "--max-error", "10%"});
  CHECK(fitted.status == 1);
  CHECK_THAT(fitted.err, Contains("no predicted figure"));
}

TEST_CASE("validate: figures that are not written as such have a place and a hint") {
  for (const char* wrong : {"100 +- x", "100 +-", "110..90", "100 +- -5", "5..", "[5]", "[]", "[1, x]", "[1, 2",
                            "[[1], 2]", "{a: 1}", "0 +- 1", "-1..1"}) {
    Outcome outcome = validate_own(own_table({{wrong, "1"}}));
    CAPTURE(wrong, outcome.err);
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.err, Contains("own.yaml:5:"));
  }
  CHECK_THAT(validate_own(own_table({{"100 +- x", "1"}})).err, Contains("an uncertainty is written as 100 +- 5"));
  CHECK_THAT(validate_own(own_table({{"[5]", "1"}})).err, Contains("their spread needs two"));
}

TEST_CASE("validate: rows of launch files, with their runs, as CSV and as a page that says whose figures they are") {
  TempFolder folder;
  std::string table =
      "source: my card\nruns:\n"
      "  a: {target: \"" WARPTIME_SOURCE_DIR
      "/docs/examples/scale-any.yaml\", param: {n: 1024}}\n"
      "  b: {target: vecadd, param: {n: 64}, machine: tesla-c1060}\nrows:\n"
      "  fast: {published: 5 +- 1, quantity: GB/s, role: predicted, value: a.bandwidth}\n"
      "  both: {published: 2, quantity: times as fast, role: predicted, value: a.time_us / b.time_us, "
      "source: a colleague}\n";
  Outcome outcome = warptime::test::warptime({"validate", folder.write("own.yaml", table), "--quiet", "--csv",
                                              folder.path("o.csv"), "--markdown", folder.path("o.md")});
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  std::string csv = read_text(folder.path("o.csv")), page = read_text(folder.path("o.md"));
  CHECK_THAT(csv, Contains(",published_low,published_high,samples,within_uncertainty,run,class\n") &&
                      Contains("scale-any.yaml n=1024 on geforce-8800-gtx; vecadd n=64 on tesla-c1060"));
  CHECK_THAT(read_text(folder.path("o.quantities.csv")),
             Contains("group,quantity,rows,mean_abs_error") && Contains("\nown,GB/s,1,"));
  CHECK(std::filesystem::exists(folder.path("o.summary.csv")));
  CHECK_THAT(page,
             Contains("of the user's own, who says where each is from:\nmy card (1 row); a colleague (1 row)") &&
                 Contains("| figure | quantity | published | simulated | error | role | machine | run | source |") &&
                 Contains("| 5 +- 1 |") && Contains("within uncertainty |"));
}
