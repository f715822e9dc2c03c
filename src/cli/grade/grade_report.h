// The outcome of `warptime grade` for people and programs: a report per student, a table for the teacher, JSON, and the
// results file of Gradescope's autograders.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/grade/grading.h"

namespace warptime::cli {

/// "7.5": at most two decimals.
std::string points_text(double points);
/// What was asked and measured, and all that is wrong.
std::string student_report(const GradedSubmission& graded);
/// A row for each submission, with what it lacks.
std::string points_table(const std::vector<GradedSubmission>& all);
nlohmann::ordered_json grades_json(const Lab& lab, const std::vector<GradedSubmission>& all);
/// results.json: score, and a test for each task.
nlohmann::ordered_json gradescope_json(const GradedSubmission& graded);

}  // namespace warptime::cli
