// What the checkers found in the processes of a program (cuda/program_checks.h), also in those that were killed.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace warptime::cli {

struct ExecFindings {
  std::vector<nlohmann::ordered_json> all;  // as debug::finding_json has them, with "text"
  std::vector<std::string> notes;
};

/// By the lines of the file. A last line that is not whole is left out.
ExecFindings read_findings(std::string_view lines);

}  // namespace warptime::cli
