// `run --interval` and the counters of `trace --interval`: the parts of a launch add up to it.
#include <catch2/catch.hpp>
#include <sstream>

#include "host/report/interval_counters.h"
#include "tools/run_program.h"
#include "unit/cli/trace_readers.h"

using namespace warptime::test;
using Catch::Contains;
using Json = nlohmann::ordered_json;

namespace {

/// Rows by column.
struct IntervalRows {
  std::vector<std::string> columns;
  std::vector<std::map<std::string, std::string>> rows;

  explicit IntervalRows(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      std::vector<std::string> cells;
      std::istringstream parts(line);
      for (std::string cell; std::getline(parts, cell, ',');) cells.push_back(cell);
      if (columns.empty()) {
        columns = cells;
        continue;
      }
      REQUIRE(cells.size() == columns.size());
      rows.emplace_back();
      for (size_t i = 0; i < cells.size(); ++i) rows.back()[columns[i]] = cells[i];
    }
  }
  double number(size_t row, const std::string& column) const { return std::stod(rows[row].at(column)); }
  double sum(const std::string& column, const std::string& launch) const {
    double out = 0;
    for (size_t i = 0; i < rows.size(); ++i)
      if (rows[i].at("launch") == launch) out += number(i, column);
    return out;
  }
};

Outcome run_with(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return ::warptime::test::warptime(words);
}

}  // namespace

TEST_CASE("interval: the rows of a launch add up to its statistics") {
  TempFolder folder;
  const std::vector<std::vector<std::string>> runs{
      {"run", "matmul:tiled", "--param", "n=64"},
      {"run", "reduce", "--param", "n=20000"},
      {"run", "matmul:tiled", "--param", "n=64", "--machine", "geforce-gtx-480"},
      {"run", "vecadd", "--param", "n=5000", "--attribution", "off"}};
  for (const auto& words : runs) {
    CAPTURE(words);
    Outcome outcome = run_with(words, {"--quiet", "--interval", "700=" + folder.path("i.csv"), "--stats", "-"});
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    Json statistics = Json::parse(outcome.out);
    Outcome plain = run_with(words, {"--quiet", "--stats", "-"});
    statistics["host"] = nullptr;
    Json expected = Json::parse(plain.out);
    expected["host"] = nullptr;
    CHECK(statistics == expected);  // looking changes nothing

    IntervalRows table(read_text(folder.path("i.csv")));
    for (size_t l = 0; l < statistics["launches"].size(); ++l) {
      const Json& launch = statistics["launches"][l];
      std::string number = std::to_string(l);
      CHECK(table.sum("cycles", number) == launch["cycles"].get<double>());
      CHECK(table.sum("warp_instructions", number) == launch["warp_instructions"].get<double>());
      CHECK(table.sum("dram.read_bytes", number) == launch["dram"]["read_bytes"].get<double>());
      CHECK(table.sum("dram.row_misses", number) == launch["dram"]["row_misses"].get<double>());
      CHECK(table.sum("global.transactions", number) == launch["global"]["transactions"].get<double>());
      CHECK(table.sum("caches.constant.hits", number) == launch["caches"]["constant"]["hits"].get<double>());
    }
    double issued = 0;
    for (size_t i = 0; i < table.rows.size(); ++i) {
      CAPTURE(i);
      double all = 0;
      for (const std::string& column : table.columns) {
        if (column.ends_with(".share")) all += table.number(i, column);
        if (column.ends_with(".share") || column.ends_with(".busy") || column == "achieved_occupancy")
          CHECK((table.number(i, column) >= 0 && table.number(i, column) <= 1.05));
      }
      if (words.back() != "off") CHECK(all == Approx(1));
      CHECK(table.number(i, "cycles") <= 700);
      issued += table.number(i, "issue.issued.share") * table.number(i, "cycles");
    }
    double total = statistics["total"]["issue"]["issued"].get<double>();
    double slots = statistics["total"]["issue"]["slots"].get<double>();
    CHECK(issued / statistics["total"]["cycles"].get<double>() == Approx(total / slots));
  }
}

TEST_CASE("interval: the same bytes for any number of threads and any step") {
  std::string first;
  for (const std::vector<std::string>& more : std::vector<std::vector<std::string>>{
           {"--threads", "1"}, {"--threads", "2"}, {"--threads", "8"}, {"--step", "half"}, {"--step", "quarter"}}) {
    Outcome outcome = run_with({"run", "matmul:tiled", "--param", "n=64", "--interval", "333=-"}, more);
    REQUIRE(outcome.status == 0);
    CHECK(outcome.out.size() > 10000);
    if (first.empty()) first = outcome.out;
    CHECK(outcome.out == first);
  }
}

TEST_CASE("interval: a run that is cut short ends with a part") {
  Outcome outcome =
      run_with({"run", "matmul:tiled", "--param", "n=64", "--interval", "1000=-", "--max-cycles"}, {"2500"});
  CHECK(outcome.status == 3);
  IntervalRows table(outcome.out);
  REQUIRE(table.rows.size() == 3);
  CHECK(table.rows[1]["cycle"] == "2000");
  CHECK(table.rows[2]["cycle"] == "2500");
  CHECK(table.rows[2]["cycles"] == "500");
  CHECK(table.number(2, "active_warps") > 1);
  IntervalRows whole(
      run_with({"run", "matmul:tiled", "--param", "n=64", "--interval", "1000=-", "--max-cycles"}, {"2000"}).out);
  REQUIRE(whole.rows.size() == 2);
  CHECK(whole.rows[1] == table.rows[1]);
}

TEST_CASE("a run that is cut short: warps that are still resident count up to its end") {
  Outcome outcome = run_with({"run", "matmul:tiled", "--param", "n=64", "--max-cycles", "2000", "--stats", "-"}, {});
  Json launch = Json::parse(outcome.out)["launches"][0];
  const Json& cycles = launch["sm_cycles"];
  CHECK(cycles["active"].get<uint64_t>() <= cycles["elapsed"].get<uint64_t>());
  CHECK(cycles["warps"].get<uint64_t>() <= cycles["most_warps"].get<uint64_t>());
  CHECK(cycles["warps"] == launch["warp_cycles"]["resident"]);
  CHECK(launch["achieved_occupancy"].get<double>() > 0.1);
}

TEST_CASE("interval: stalls below 0 are taken from the largest") {
  ::warptime::sim::StallCounts stalls{};
  stalls[0] = 50;
  stalls[1] = 20;
  stalls[2] = uint64_t{0} - 60;
  ::warptime::sim::StallCounts settled = ::warptime::host::settled_stalls(stalls);
  CHECK(settled[0] == 0);
  CHECK(settled[1] == 10);
  CHECK(settled[2] == 0);
}

TEST_CASE("interval: mistakes are exit 2 with their place") {
  auto [options, message] = GENERATE(table<std::vector<std::string>, std::string>({
      {{"--interval", "100"}, "N=FILE.csv"},
      {{"--interval", "0=a.csv"}, "N=FILE.csv"},
      {{"--interval", "x=a.csv"}, "N=FILE.csv"},
      {{"--interval", "-5=a.csv"}, "N=FILE.csv"},
      {{"--interval", "99999999999999999999=a.csv"}, "N=FILE.csv"},
      {{"--interval", "5="}, "does not end in .csv"},
      {{"--interval", "5=a.json"}, "does not end in .csv"},
      {{"--interval", "5=/nonexistent/a.csv"}, "cannot write"},
      {{"--interval", "5=a.csv", "--functional"}, "a functional run has none"},
      {{"--interval", "5=a.csv", "--sample"}, "some of them only"},
      {{"--interval", "5=/tmp/same.csv", "--stats", "/tmp/same.csv"}, "are the same file"},
  }));
  Outcome outcome = run_with({"run", "vecadd", "--param", "n=64"}, options);
  CAPTURE(outcome.err);
  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
  CHECK_THAT(outcome.err, Contains(message) && Contains("^"));
}

TEST_CASE("trace --interval: counter tracks have the values of the table") {
  TempFolder folder;
  REQUIRE(run_with({"run", "matmul:tiled", "--param", "n=64", "--interval"}, {"500=" + folder.path("i.csv")}).status ==
          0);
  IntervalRows table(read_text(folder.path("i.csv")));
  Outcome outcome =
      run_with({"trace", "matmul:tiled", "--param", "n=64", "--interval", "500", "-o"}, {folder.path("t.json")});
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  ChromeTrace trace(read_text(folder.path("t.json")));
  trace.check_tracks();
  CHECK(trace.rates.size() > 20);
  for (const auto& [name, values] : trace.rates) {
    INFO(name);
    REQUIRE(values.size() == table.rows.size() + 1);
    for (size_t i = 0; i < table.rows.size(); ++i) {
      CHECK(values[i].first == 500 * i);
      CHECK(values[i].second == table.number(i, name));
    }
    CHECK(values.back().second == 0);
    CHECK(values.back().first == trace.about["cycles"].get<uint64_t>());
  }
}
