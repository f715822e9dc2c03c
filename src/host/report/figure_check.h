// A figure that a launch file expects (`expect_figures`), beside the measured one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warptime::host {

struct FigureCheck {
  enum class Outcome : uint8_t { Passed, Failed, NotMeasured };
  std::string name;      // "time_us of launch 1 (tiled)"
  std::string asked;     // "at most 40 us"
  std::string measured;  // "52.3 us"; why there is none, if it was not measured
  Outcome outcome = Outcome::NotMeasured;
  std::string text;  // of a failed one: the diagnostic at its place in the launch file, ending in a newline
  bool failed() const { return outcome == Outcome::Failed; }
};

/// Lines of a run's printed summary: key and text.
std::vector<std::pair<std::string_view, std::string>> summary_rows(const std::vector<FigureCheck>& checks);

}  // namespace warptime::host
