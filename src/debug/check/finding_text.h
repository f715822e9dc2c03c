// The findings of `warptime check` as text and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "debug/check/checker.h"

namespace warptime::debug {

/// A finding in the form of a diagnostic: place, line of PTX, caret; block, thread and address; the hint, the CUDA
/// line, the number. `all_calls`: with the whole chain of calls that were inlined there.
std::string finding_text(const Finding& finding, bool all_calls = false);
/// All of them, and the notes.
std::string findings_text(const Checker& checker, bool all_calls = false);
nlohmann::ordered_json finding_json(const Finding& finding);
/// "2 errors and 1 warning".
std::string findings_summary(const std::vector<Finding>& findings);
std::string findings_summary(const std::vector<nlohmann::ordered_json>& findings);

}  // namespace warptime::debug
