// The table of `warptime measure` for people.
#include <fmt/format.h>

#include "cli/measure/measure_report.h"
#include "cli/text_table.h"

namespace warptime::cli {

namespace {

std::string extent(const std::array<uint32_t, 3>& of) {
  if (of[2] != 1) return fmt::format("{} x {} x {}", of[0], of[1], of[2]);
  return of[1] != 1 ? fmt::format("{} x {}", of[0], of[1]) : fmt::format("{}", of[0]);
}

std::string us(double value) { return value < 100 ? fmt::format("{:.2f}", value) : fmt::format("{:.1f}", value); }

std::vector<std::string> row_of(const MeasureReport& report, size_t index) {
  const measure::MeasuredLaunch& launch = report.launches[index];
  std::vector<std::string> cells{launch.kernel, extent(launch.grid), extent(launch.block)};
  if (launch.times) {
    const measure::LaunchTimes& times = *launch.times;
    for (std::string& cell :
         std::vector<std::string>{us(times.cold.median()), us(times.warm.median()), us(times.in_a_row.median()),
                                  fmt::format("{:.1f} %", 100 * times.cold.spread())})
      cells.push_back(std::move(cell));
  } else {
    cells.insert(cells.end(), {"-", "-", "-", "-"});
  }
  const std::optional<double> simulated = report.simulated(index);
  cells.push_back(simulated ? us(*simulated) : "-");
  cells.push_back(simulated && launch.times ? fmt::format("{:.2f}", *simulated / launch.times->cold.median()) : "-");
  return cells;
}

}  // namespace

std::string gpu_line(const measure::GpuDescription& gpu) {
  return fmt::format("{}, compute capability {}.{}, {}", gpu.name, gpu.major, gpu.minor, gpu.driver);
}

std::string measure_text(const MeasureReport& report) {
  std::string title = report.target;
  for (const std::string& parameter : report.parameters) title += " " + parameter;
  std::string out =
      fmt::format("{} on {}\n{} SMs at {:.0f} MHz; an empty kernel takes {}; us, medians of {}{}\n", title,
                  gpu_line(report.gpu.gpu), report.gpu.gpu.sms, report.gpu.sm_mhz, us(report.gpu.empty_us),
                  report.repetitions, report.machine.empty() ? "" : fmt::format("; simulated: {}", report.machine));
  TextRows rows{{"kernel", "grid", "block", "cold", "warm", "in a row", "spread", "simulated", "simulated/cold"}};
  bool restored = false;
  for (size_t i = 0; i < report.launches.size(); ++i) {
    rows.push_back(row_of(report, i));
    if (!report.launches[i].restored) continue;
    rows.back().front() += " *";
    restored = true;
  }
  out += text_table(rows);
  if (restored) out += "* reads what it changes, which was brought back before each launch, but not within a row\n";
  size_t passed = 0;
  for (const host::Check& check : report.checks) passed += check.ok ? 1 : 0;
  out += fmt::format("checks: {} passed, {} failed\n", passed, report.checks.size() - passed);
  return out;
}

}  // namespace warptime::cli
