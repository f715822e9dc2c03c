// What `warptime measure` prints and writes of a target's launches: measured beside simulated times.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/workload/workload.h"
#include "measure/gpu_device.h"

namespace warptime::cli {

/// What all measurements are of.
struct MeasuredGpu {
  measure::GpuDescription gpu;
  double sm_mhz = 0;    // after the launches; 0: the GPU failed before
  double empty_us = 0;  // of an empty kernel, cold
};

struct MeasureReport {
  MeasuredGpu gpu;
  std::string target;
  std::vector<std::string> parameters;  // "n=512"
  uint32_t repetitions = 0;
  std::vector<measure::MeasuredLaunch> launches;
  std::string machine;                 // simulated; empty: none
  std::vector<std::string> overrides;  // of the machine: "PATH=VALUE"
  std::vector<double> simulated_us;    // of each launch; empty: not simulated
  std::vector<host::Check> checks;

  std::optional<double> simulated(size_t launch) const {
    return simulated_us.empty() ? std::nullopt : std::optional(simulated_us[launch]);
  }
};

std::string measure_text(const MeasureReport& report);
std::string measure_json(const MeasureReport& report);
std::string measure_csv(const MeasureReport& report);
/// A validation table with a row for each timed launch.
std::string measure_validation(const MeasureReport& report);

/// With so many digits after the point: what a clock or a difference of clocks tells, and no digits of its binary form.
double rounded(double value, int digits);
constexpr int kUsDigits = 3, kMhzDigits = 1, kDigits = 4;  // kDigits: of quotients

/// "NVIDIA H200, compute capability 9.0, CUDA 13.0, 580.159.04".
std::string gpu_line(const measure::GpuDescription& gpu);

}  // namespace warptime::cli
