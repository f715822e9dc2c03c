// What a lab asks of a submission, what was measured, and the points.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/grade/compile_submission.h"
#include "cli/grade/graded_run.h"
#include "cli/grade/submission.h"

namespace warptime::cli {

/// A launch file with points, and how it is run.
struct Lab {
  std::string name;  // of its file
  host::LaunchPlan plan;
  GradedRunOptions checked, timed;  // on a machine without limits, and on that of the figures
  ConfinementLimits limits;         // of each compilation and each run
  std::optional<Compiler> compiler;
};

/// One expectation of the lab.
struct GradedTask {
  std::string kind;   // "values", "findings", "figure"
  std::string name;   // "y", "coalesced"
  std::string asked;  // "at least 90 %"
  std::string measured;
  bool is_met = false;
  double of = 0;  // points
  std::string hint;
  nlohmann::ordered_json reasons;  // line, source_file, source_line, source_text, why, remedy, where they are known
  double points() const { return is_met ? of : 0; }
};

struct GradedSubmission {
  std::string name, file;  // Submission
  std::vector<GradedTask> tasks;
  /// All that is wrong, in the form of `warptime check`: what that finds, and what the compiler, the limits, the values
  /// and the figures say (`tool`); with "text".
  std::vector<nlohmann::ordered_json> findings;
  double points() const;
  double of() const;
  bool is_full() const;
};

GradedSubmission grade(const Lab& lab, const Submission& submission);

}  // namespace warptime::cli
