// The bands of error: what their file may say, and what a run on a machine says of them.
#include "host/report/error_bands.h"

#include <catch2/catch.hpp>

#include "host/report/kernel_class.h"
#include "host/report/summary.h"

namespace warptime::host {

namespace {

using Catch::Matchers::Contains;

const std::string kHead = "machine,class,launches,median_abs_error,mean_abs_error,p80_abs_error,bias\n";

std::vector<ErrorBandRow> read_bands(const std::string& rows, std::string& mistakes) {
  Diagnostics diagnostics;
  auto out = read_error_bands(std::make_shared<SourceText>("b.csv", rows), diagnostics);
  mistakes = diagnostics.to_text();
  return out;
}

std::string band_mistakes(const std::string& rows) {
  std::string mistakes;
  read_bands(kHead + rows, mistakes);
  return mistakes;
}

std::vector<ErrorBandRow> two_machines() {
  std::string mistakes;
  auto rows = read_bands(kHead +
                             "a,small,12,0.1,0.12,0.1801,-0.05\n"
                             "a,all,20,0.1,0.134,0.25,0.01\n"
                             "b,all,1,0.1,0.2,0.3,0.01\n",
                         mistakes);
  CHECK(mistakes.empty());
  return rows;
}

sim::LaunchStatistics launch_of_blocks(uint32_t blocks) {
  sim::LaunchStatistics launch;
  launch.kernel = "k";
  launch.grid = {blocks, 1, 1};
  launch.block = {32, 1, 1};
  launch.time_us = 2;
  return launch;
}

std::string band_json(const ErrorBands& bands, const sim::LaunchStatistics& launch) {
  std::string text;
  JsonText out([&](std::string_view part) { text += part; });
  out.begin_object({});
  bands.write(out, launch);
  out.end();
  out.flush();
  return text;
}

}  // namespace

TEST_CASE("error bands: a file's rows") {
  std::vector<ErrorBandRow> rows = two_machines();
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].machine == "a");
  CHECK(rows[0].kernel_class == "small");
  CHECK(rows[0].launches == 12);
  CHECK(rows[0].median == 0.1);
  CHECK(rows[0].mean == 0.12);
  CHECK(rows[0].p80 == 0.1801);
  CHECK(rows[0].bias == -0.05);
}

TEST_CASE("error bands: a mistake in the file is shown at its cell") {
  CHECK(band_mistakes("a,smal,1,0.1,0.1,0.1,0\n") ==
        "b.csv:2:3: error: \"smal\" is not a class of kernels\n"
        "     2 | a,smal,1,0.1,0.1,0.1,0\n"
        "       |   ^~~~\n"
        "         hint: did you mean \"small\"?\n");
  CHECK_THAT(band_mistakes("a,x,1,0.1,0.1,0.1,0\n"), Contains("classes: all, small, constants, memory"));
  CHECK_THAT(band_mistakes("a,all,0,0.1,0.1,0.1,0\n"), Contains("b.csv:2:7: error: \"0\" is not a number of launches"));
  CHECK_THAT(band_mistakes("a,all,1,-0.1,0.1,0.1,0\n"),
             Contains("b.csv:2:9: error: median_abs_error is not a share: \"-0.1\""));
  CHECK_THAT(band_mistakes("a,all,1,0.1,x,0.1,0\n"),
             Contains("b.csv:2:13: error: mean_abs_error is not a share: \"x\""));
  CHECK_THAT(band_mistakes("a,all,1,0.1,0.1,1e999,0\n"), Contains("p80_abs_error is not a share: \"1e999\""));
  CHECK_THAT(band_mistakes("a,all,1,0.1,0.1,0.1,\n"), Contains("bias is not a share: \"\""));
  CHECK_THAT(band_mistakes("a,all,1,0.1\n"), Contains("4 cells, and there are 7 columns"));
  CHECK_THAT(band_mistakes("a,small,1,0,0,0,0\n"), Contains("b.csv:2:1: error: a has no row \"all\""));
  CHECK_THAT(band_mistakes("a,all,1,0,0,0,0\na,all,1,0,0,0,0\n"), Contains("b.csv:3:3: error: a has two rows \"all\""));
  std::string mistakes;
  read_bands("machine,launches\n", mistakes);
  CHECK_THAT(mistakes, Contains("b.csv:1:1: error: these are not the columns of error bands"));
  read_bands("", mistakes);
  CHECK_THAT(mistakes, Contains("these are not the columns"));
}

TEST_CASE("error bands: a launch has the band of its class, else of all, rounded up") {
  ErrorBands bands(two_machines(), {"a", "b"}, false);
  CHECK(bands.text(launch_of_blocks(64)) == "+-19 % for kernels like it (small: 12 measured launches)");
  CHECK(bands.text(launch_of_blocks(65)) == "+-25 % for all kinds of kernels (20 measured launches)");
  CHECK(bands.note().empty());
  CHECK(band_json(bands, launch_of_blocks(64)) ==
        "{\n  \"error_band\": {\n    \"class\": \"small\",\n    \"percent\": 19.0,\n    \"launches\": 12,\n"
        "    \"machine\": \"a\"\n  }\n}");
  ErrorBands of_one(two_machines(), {"b"}, false);
  CHECK(of_one.text(launch_of_blocks(64)) == "+-30 % for all kinds of kernels (1 measured launch)");
}

TEST_CASE("error bands: none on a changed machine, and without a time") {
  ErrorBands changed(two_machines(), {"a"}, true);
  CHECK(changed.of(launch_of_blocks(1)) == nullptr);
  CHECK(changed.text(launch_of_blocks(1)).empty());
  CHECK(band_json(changed, launch_of_blocks(1)) == "{\n  \"error_band\": null\n}");
  CHECK_THAT(changed.note(), Contains("changed machine"));
  sim::LaunchStatistics untimed = launch_of_blocks(1);
  untimed.timed = false;
  ErrorBands bands(two_machines(), {"a"}, false);
  CHECK(bands.text(untimed).empty());
  CHECK(band_json(bands, untimed) == "{\n  \"error_band\": null\n}");
}

TEST_CASE("error bands: a machine without rows names the nearest that it extends") {
  ErrorBands near(two_machines(), {"c", "d", "a", "b"}, true);
  CHECK(near.note() ==
        "no measured rows for c; a, its nearest measured relative, has a mean error of 13 % over 20 launches");
  CHECK(near.of(launch_of_blocks(1)) == nullptr);
  CHECK(band_json(near, launch_of_blocks(1)) == "{}");  // as if there were no bands
  CHECK_THAT(ErrorBands(two_machines(), {"c", "b"}, false).note(), Contains("over 1 launch"));
  ErrorBands unknown(two_machines(), {"c"}, false);
  CHECK(unknown.note().empty());
  CHECK(ErrorBands().note().empty());
  CHECK(band_json(ErrorBands(), launch_of_blocks(1)) == "{}");
}

TEST_CASE("error bands: the summary has them beside the time, and a note at the end") {
  RunReport report;
  report.target = "k";
  report.launches = {launch_of_blocks(64)};
  ErrorBands bands(two_machines(), {"a"}, false);
  CHECK_THAT(summarize(report, {}, bands),
             Contains("MHz\n               +-19 % for kernels like it (small: 12 measured "
                      "launches)\n"));
  CHECK_THAT(summarize(report), !Contains("kernels like it"));
  report.launches.push_back(launch_of_blocks(65));
  const std::string several = summarize(report, {}, bands);
  CHECK_THAT(several, Contains("time +-19 % for kernels like it (small: 12 measured launches)\n"));
  CHECK_THAT(several, Contains("time +-25 % for all kinds of kernels (20 measured launches)\n"));
  CHECK_THAT(summarize(report, {}, ErrorBands(two_machines(), {"c", "b"}, false)),
             Contains("  error        no measured rows for c; b, its nearest measured relative, has a\n"));
  for (sim::LaunchStatistics& launch : report.launches) launch.timed = false;
  CHECK_THAT(summarize(report, {}, ErrorBands(two_machines(), {"c", "b"}, false)), !Contains("measured rows"));
}

TEST_CASE("error bands: the shipped file has at least eight launches for each class of kernel") {
  std::string why;
  auto source = SourceText::read_file(WARPTIME_SOURCE_DIR "/validation/error_bands.csv", &why);
  REQUIRE(source != nullptr);
  Diagnostics diagnostics;
  std::vector<ErrorBandRow> rows = read_error_bands(source, diagnostics);
  CHECK(diagnostics.to_text().empty());
  size_t classes = 0;
  uint64_t launches = 0, all = 0;
  for (const ErrorBandRow& row : rows) {
    if (row.machine != "h200-sxm") continue;
    (row.kernel_class == kAllLaunches ? all : launches) += row.launches;
    classes += row.kernel_class != kAllLaunches ? 1 : 0;
    CHECK(row.launches >= 8);
  }
  CHECK(classes == kKernelClasses.size());
  CHECK(launches == all);
}

}  // namespace warptime::host
