// The files of `warptime measure`: JSON, CSV, a validation table.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/measure/measure_report.h"
#include "cli/output.h"
#include "host/report/report.h"

namespace warptime::cli {

namespace {

using Json = nlohmann::ordered_json;

Json us(const std::optional<measure::LaunchTimes>& times, measure::Times measure::LaunchTimes::*which,
        double (measure::Times::*value)() const, int digits = kUsDigits) {
  return times ? Json(rounded(((*times).*which.*value)(), digits)) : Json(nullptr);
}

Json json_of(const MeasureReport& report, size_t index) {
  using measure::LaunchTimes, measure::Times;
  const measure::MeasuredLaunch& launch = report.launches[index];
  const std::optional<double> simulated = report.simulated(index);
  const auto& times = launch.times;
  return {{"kernel", launch.kernel},
          {"grid", launch.grid},
          {"block", launch.block},
          {"registers_per_thread", launch.registers},
          {"cold_us", us(times, &LaunchTimes::cold, &Times::median)},
          {"warm_us", us(times, &LaunchTimes::warm, &Times::median)},
          {"in_a_row_us", us(times, &LaunchTimes::in_a_row, &Times::median)},
          {"spread", us(times, &LaunchTimes::cold, &Times::spread, kDigits)},
          {"cold_low_us", us(times, &LaunchTimes::cold, &Times::low)},
          {"cold_high_us", us(times, &LaunchTimes::cold, &Times::high)},
          {"warm_low_us", us(times, &LaunchTimes::warm, &Times::low)},
          {"warm_high_us", us(times, &LaunchTimes::warm, &Times::high)},
          {"restored", launch.restored},
          {"simulated_us", simulated ? Json(rounded(*simulated, kUsDigits)) : Json(nullptr)}};
}

/// A scalar of YAML: in quotes, which JSON's are.
std::string yaml_text(const std::string& text) { return Json(text).dump(); }

std::string map_of(const std::vector<std::string>& settings) {
  std::string out;
  for (const std::string& setting : settings) {
    const size_t equals = setting.find('=');
    out += fmt::format("{}{}: {}", out.empty() ? "" : ", ", yaml_text(setting.substr(0, equals)),
                       yaml_text(setting.substr(equals + 1)));
  }
  return "{" + out + "}";
}

}  // namespace

double rounded(double value, int digits) {
  const double scale = std::pow(10.0, digits);
  return std::round(value * scale) / scale;
}

std::string measure_json(const MeasureReport& report) {
  const measure::GpuDescription& gpu = report.gpu.gpu;
  Json json;
  json["gpu"] = {{"name", gpu.name},
                 {"compute_capability", fmt::format("{}.{}", gpu.major, gpu.minor)},
                 {"driver", gpu.driver},
                 {"sms", gpu.sms},
                 {"l2_bytes", gpu.l2_bytes},
                 {"sm_mhz", rounded(report.gpu.sm_mhz, kMhzDigits)},
                 {"empty_us", rounded(report.gpu.empty_us, kUsDigits)}};
  json["target"] = report.target;
  json["parameters"] = report.parameters;
  json["machine"] = report.machine.empty() ? Json(nullptr) : Json(report.machine);
  json["repetitions"] = report.repetitions;
  json["launches"] = Json::array();
  for (size_t i = 0; i < report.launches.size(); ++i) json["launches"].push_back(json_of(report, i));
  json["checks"] = Json::array();
  for (const host::Check& check : report.checks)
    json["checks"].push_back({{"name", check.name},
                              {"ok", check.ok},
                              {"max_abs_error", check.max_abs_error},
                              {"max_ulp_error", check.max_ulp_error}});
  return json_text(json);
}

std::string measure_csv(const MeasureReport& report) {
  const std::vector<std::string> columns{"cold_us",      "warm_us",     "in_a_row_us",  "spread",   "cold_low_us",
                                         "cold_high_us", "warm_low_us", "warm_high_us", "restored", "simulated_us"};
  std::string out = "gpu,sm_mhz,empty_us,target,parameters,launch,kernel,grid,block,registers_per_thread";
  for (const std::string& column : columns) out += "," + column;
  out += ",machine\n";
  for (size_t i = 0; i < report.launches.size(); ++i) {
    const measure::MeasuredLaunch& launch = report.launches[i];
    out += fmt::format(
        "{},{},{},{},{},{},{},{},{},{}", host::csv_cell(report.gpu.gpu.name), rounded(report.gpu.sm_mhz, kMhzDigits),
        rounded(report.gpu.empty_us, kUsDigits), host::csv_cell(report.target),
        host::csv_cell(fmt::format("{}", fmt::join(report.parameters, " "))), i, host::csv_cell(launch.kernel),
        fmt::join(launch.grid, "x"), fmt::join(launch.block, "x"), launch.registers);
    const Json json = json_of(report, i);
    for (const std::string& column : columns) out += "," + (json[column].is_null() ? "" : json[column].dump());
    out += "," + host::csv_cell(report.machine) + "\n";
  }
  return out;
}

std::string measure_validation(const MeasureReport& report) {
  std::string out = fmt::format(
      "# Written by `warptime measure`: times of launches with a cold L2, which two events and the start of a kernel "
      "are\n"
      "# part of (of an empty one {:.2f} us), medians of {}, and half the distance of the fastest and the slowest.\n"
      "source: {}\nruns:\n  run: {{target: {}, param: {}",
      report.gpu.empty_us, report.repetitions, yaml_text("measured: " + gpu_line(report.gpu.gpu)),
      yaml_text(report.target), map_of(report.parameters));
  if (!report.machine.empty()) out += fmt::format(", machine: {}", yaml_text(report.machine));
  if (!report.overrides.empty()) out += fmt::format(", set: {}", map_of(report.overrides));
  out += "}\nrows:\n";
  for (size_t i = 0; i < report.launches.size(); ++i) {
    const measure::MeasuredLaunch& launch = report.launches[i];
    if (!launch.times) continue;
    const measure::Times& cold = launch.times->cold;
    out += fmt::format(
        "  {}: {{published: {:.3f} +- {:.3f}, quantity: us, role: predicted, value: run.launches.{}.time_us}}\n",
        yaml_text(fmt::format("{}/{}/{}", report.target, launch.kernel, i)), cold.median(),
        std::max((cold.high() - cold.low()) / 2, 0.001), i);
  }
  return out;
}

}  // namespace warptime::cli
