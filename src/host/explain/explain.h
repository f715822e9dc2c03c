// `explain`: what bounds a launch, and what of its time a change could save, by the rules of rule.h.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/device/host_clock.h"
#include "host/explain/rule.h"

namespace warptime::host {

struct Finding {
  std::string rule, lifts;
  uint32_t line = 0;                    // of the PTX; 0: not about one line
  std::string source = {};              // of the CUDA source: "k.cu:7"; empty: not known
  std::vector<std::string> calls = {};  // that were inlined there, the innermost first
  std::string message;
  double promised = 0;  // share of the time
  WhatIf what_if;
  std::optional<double> won;  // by --check
  std::string not_tried;      // why there is no what-if
};

struct Explanation {
  std::string kernel;
  double time_us = 0;
  uint64_t cycles = 0;
  std::string bound, paper_class;                              // paper_class: Verdict::paper_class
  std::string verdict;                                         // Verdict::line
  std::vector<std::pair<std::string_view, double>> resources;  // busy shares, largest first
  std::vector<Finding> findings;                               // largest first
  bool has_rows = false, has_stalls = false, knows_machine = false;
};

/// Explains a timed launch. `machine`: nullptr if only its name is known; rules that need parameters are then left out.
Explanation explain(const sim::LaunchStatistics& launch, const sim::MachineConfig* machine);

/// The host's part in a run: copies and launches. Shares of the time from the first event to the last one's end.
struct HostExplanation {
  double total_us = 0, kernels_us = 0;  // kernels: without the time of their launches
  std::vector<Finding> findings;
  /// Copies and launches take more than half.
  bool binds() const { return total_us > 0 && kernels_us < total_us / 2; }
};

class HostRecord {
 public:
  void launch(double time_us) { kernels_us_ += time_us; }
  void event(TimelineEvent::Kind kind, TimelineEvent::Direction direction, double start_us, double end_us);
  double end_us() const { return end_us_; }
  HostExplanation explain() const;

 private:
  double kernels_us_ = 0, kernel_events_us_ = 0, copies_us_ = 0, end_us_ = 0;
  uint64_t launches_ = 0, copies_ = 0;
};

/// Findings printed of a launch.
inline constexpr size_t kFindingsShown = 3;

/// For terminals. Of several launches of one kernel, the longest one.
std::string explanation_text(const std::vector<Explanation>& launches, const HostExplanation& host, bool checked);
nlohmann::ordered_json explanation_json(const std::vector<Explanation>& launches, const HostExplanation& host);

}  // namespace warptime::host
